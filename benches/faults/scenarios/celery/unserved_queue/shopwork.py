import random
import time

from celery import Celery
from celery.utils.log import get_task_logger

app = Celery("shopwork", broker="redis://127.0.0.1:6401/0", backend="redis://127.0.0.1:6401/1")
app.conf.update(task_default_queue="default", broker_connection_retry_on_startup=True, task_routes={
    "shopwork.thumb": {"queue": "thumbs"}, "shopwork.weekly": {"queue": "reports"},
})
log = get_task_logger("shopwork")


@app.task
def mail(to):
    time.sleep(random.uniform(0.1, 0.3))
    log.info("mail to %s queued at relay", to)


@app.task
def thumb(picture):
    time.sleep(random.uniform(0.1, 0.4))
    return f"{picture}-s.webp"


@app.task
def weekly(week):
    time.sleep(1)
    return week
