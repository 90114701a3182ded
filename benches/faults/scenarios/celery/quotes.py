r"""
fault = "the clock of the second worker's host is five minutes ahead, so that it takes every message, which expires after 60 s, for expired and discards it"
kind = "clock"
outcome = "failed"
needs = ["faketime"]
cause = [{ file = "w2.log", text = "Discarding revoked task" }, { file = "w2.log", text = "ready\\." }]
subject = ["worker w2", "host w2"]
innocent = ["worker w1"]
shows = "quotes: \\d+ of 16"
"""
import logging
import time

import fault
import queueing

logging.basicConfig(filename="desk.log", level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
log = logging.getLogger("desk")
logging.getLogger("kombu").setLevel(logging.WARNING)
queueing.application("quote", '''
app.conf.worker_prefetch_multiplier = 1

@app.task
def price(symbol):
    time.sleep(0.4)
    return len(symbol) * 7.25
''', queue="quotes")
w1 = queueing.worker("quote", "w1", ["--concurrency", "1", "-n", "w1@%h", "--without-mingle", "--without-gossip"])
w2 = queueing.worker("quote", "w2", ["--concurrency", "1", "-n", "w2@%h", "--without-mingle", "--without-gossip"], before=["faketime", "-f", "+300s"])
client = queueing.Client("quote", "quotes")
symbols = ["SAP", "ALV", "BAS", "BMW", "DTE", "EOAN", "IFX", "MUV2", "RWE", "SIE", "VOW3", "ZAL", "AIR", "BEI", "CON", "HEI"]
results = {}
for symbol in symbols:
    results[symbol] = client.send("price", symbol, expires=60)
    log.info("asked for %s (%s)", symbol, results[symbol].id)
    time.sleep(0.25)
good = 0
for symbol, result in results.items():
    try:
        log.info("%s %.2f", symbol, result.get(timeout=8))
        good += 1
    except Exception as error:
        log.info("%s no price: %s", symbol, type(error).__name__)
log.info("quotes: %d of %d", good, len(symbols))
queueing.end(w1, w2)
raise SystemExit(0 if good == 16 else 1)
