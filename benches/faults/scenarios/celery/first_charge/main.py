r"""
fault = "The gateway refuses the currency of order 118; the retry finds the order marked as pending by the first attempt, and ends with another error."
kind = "retries"
outcome = "failed"
cause = [
    { file = "worker.log", text = "Task pay.charge.*retry: Retry in .*currency" },
    { file = "worker.log", text = "order 118: .*XAF" },
]
subject = ["order 118"]
innocent = []
on = ["services"]
needs = ["redis-server"]
shows = "is pending already"
limit = 80
program = "celery 5.7.0, redis 7.0"
"""

import sys
import time

import fault
from fault_services import redis, stop

sys.path.insert(0, "..")
from pay import charge

server = redis(6402)
worker = fault.start("worker", [
    sys.executable, "-m", "celery", "--workdir", "..", "-A", "pay", "worker", "-n", "till@%h", "-c", "3", "-l", "INFO",
])
fault.wait_for("ready", "worker.log", 40)
orders = [(n, "XAF" if n == 118 else ("EUR", "SEK", "CHF")[n % 3]) for n in range(104, 130)]
results = []
for order, currency in orders:
    results.append((order, charge.delay(order, 10 + order % 40, currency)))
    time.sleep(0.12)
unpaid = 0
for order, result in results:
    try:
        result.get(timeout=30)
    except Exception as error:
        unpaid += 1
        print(f"order {order} is not paid: {type(error).__name__}: {error}", file=sys.stderr)
print(f"{len(results) - unpaid} orders paid, {unpaid} not")
stop(worker, server)
sys.exit(1 if unpaid else 0)
