import redis
from celery import Celery
from celery.utils.log import get_task_logger

app = Celery("remind", broker="redis://127.0.0.1:6403/0", backend="redis://127.0.0.1:6403/1")
app.conf.update(broker_connection_retry_on_startup=True, broker_transport_options={"visibility_timeout": 5})
log = get_task_logger("remind")
mails = redis.Redis(port=6403, db=2)


@app.task(name="remind.send", bind=True)
def send(self, number):
    mails.incr(f"mail:{number}")
    log.info("reminder %s mailed, redelivered=%s", number, self.request.delivery_info.get("redelivered"))


send.count = lambda number: int(mails.get(f"mail:{number}") or 0)


@app.task(name="remind.ping")
def ping(number):
    log.info("ping %s", number)
