import random
import time

import redis
from celery import Celery
from celery.utils.log import get_task_logger

app = Celery("pay", broker="redis://127.0.0.1:6402/0", backend="redis://127.0.0.1:6402/1")
app.conf.broker_connection_retry_on_startup = True
log = get_task_logger("pay")
states = redis.Redis(port=6402, db=2, decode_responses=True)


class GatewayError(Exception):
    pass


class StateError(Exception):
    pass


def gateway(order, amount, currency):
    time.sleep(random.uniform(0.1, 0.3))
    if currency not in ("EUR", "SEK", "CHF"):
        raise GatewayError(f"currency {currency} is not enabled for merchant 5512")
    return f"tx{random.randrange(10**8):08}"


@app.task(name="pay.charge", autoretry_for=(GatewayError,), retry_kwargs={"max_retries": 3, "countdown": 2})
def charge(order, amount, currency):
    if not states.hsetnx("state", order, "pending"):
        raise StateError(f"order {order} is pending already")
    log.info("order %s: %s %s to the gateway", order, amount, currency)
    transaction = gateway(order, amount, currency)
    states.hset("state", order, transaction)
    log.info("order %s: paid, %s", order, transaction)
    return transaction
