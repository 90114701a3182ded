r"""
fault = "the task that draws up statements is sent to the queue `statements`; the only worker consumes `bookings` (option -Q), so that nobody takes it; killed after 14 s"
kind = "no-consumer"
outcome = "hangs"
cause = [{ file = "monthend.log", text = "statements" }, { file = "worker.log", text = "\\. bookings|bookings +exchange" }]
subject = ["queue statements"]
innocent = ["queue bookings"]
stop = "KILL"
seconds = 14
"""
import logging

import fault
import queueing

logging.basicConfig(filename="monthend.log", level=logging.INFO, format="%(asctime)s [%(levelname)s] %(name)s: %(message)s")
log = logging.getLogger("monthend")
logging.getLogger("kombu").setLevel(logging.WARNING)
queueing.application("books", '''
@app.task
def book(account, amount):
    time.sleep(0.3)
    logging.getLogger("books").info("account %s booked %.2f", account, amount)
    return amount

@app.task
def statement(account):
    time.sleep(0.3)
    return account
''', queue="bookings")
worker = queueing.worker("books", options=["-Q", "bookings", "--concurrency", "2", "-n", "books1@%h"])
client = queueing.Client("books", "bookings")
bookings = [client.send("book", f"DE{4400 + n}", 17.5 * n + 3) for n in range(16)]
log.info("16 bookings of November sent")
statements = [client.send("statement", f"DE{4400 + n}", queue="statements") for n in range(4)]
log.info("4 statements sent (queue statements): %s", " ".join(s.id[:8] for s in statements))
fault.begun()
log.info("bookings: %.2f EUR", sum(b.get(timeout=60) for b in bookings))
log.info("waiting for statements, 0 of 4")
for n, s in enumerate(statements, 1):
    s.get()
    log.info("waiting for statements, %d of 4", n)
