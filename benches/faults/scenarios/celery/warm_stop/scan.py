import random
import time

from celery import Celery
from celery.utils.log import get_task_logger

app = Celery("scan", broker="redis://127.0.0.1:6404/0")
app.conf.update(broker_connection_retry_on_startup=True, task_acks_late=True)
log = get_task_logger("scan")


@app.task(name="scan.page")
def page(number):
    time.sleep(random.uniform(0.6, 1.4))
    sharp = random.uniform(0.5, 1.0)
    if sharp < 0.6:
        log.warning("page %d: sharpness %.2f is low, marked for a second scan", number, sharp)
    return round(sharp, 2)
