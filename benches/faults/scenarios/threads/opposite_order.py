r"""
fault = "At the settlement hour two of five branch threads lock the same two accounts in opposite order and wait for each other."
kind = "deadlock"
outcome = "hangs"
cause = [
  { file = "ledger.log", text = '\[branch-north\s*\]', which = "last" },
  { file = "ledger.log", text = '\[branch-lake\s*\]', which = "last" },
]
subject = ["thread branch-north", "thread branch-lake"]
innocent = ["thread branch-town"]
shows = 'branch-hill.*closing the day'
stop = "KILL"
seconds = 14
"""

import logging
import random
import threading
import time

import fault

logging.basicConfig(
    filename="ledger.log", level=logging.DEBUG, datefmt="%d.%m.%Y %H:%M:%S",
    format="%(asctime)s,%(msecs)03d %(levelname)-5s [%(threadName)-12s] %(name)s - %(message)s",
)
log = logging.getLogger("ledger.transfer")
SETTLEMENT = time.monotonic() + 4.0
NETTING = {
    "north": (4411, 5093, 8120.00), "lake": (5093, 4411, 7764.35), "hill": (6002, 6178, 310.00),
    "town": (7120, 7404, 95.20), "port": (8035, 8210, 1450.75),
}
accounts = {number: threading.Lock() for pair in NETTING.values() for number in pair[:2]}
balances = {number: 50_000.0 for number in accounts}
booked = {}


def transfer(reference, source, target, amount, check=0.02):
    with accounts[source]:
        log.debug("%s debit %s: account held, balance %.2f", reference, source, balances[source])
        time.sleep(check)
        with accounts[target]:
            log.debug("%s credit %s: account held", reference, target)
            balances[source] -= amount
            balances[target] += amount
    log.info("%s booked %.2f from %s to %s", reference, amount, source, target)


def day(branch, seed):
    chance, done = random.Random(seed), 0
    own, other, net = NETTING[branch]
    while time.monotonic() < SETTLEMENT - 0.3:
        done += 1
        transfer(f"T{seed}{done:04}", min(own, other), max(own, other), chance.randint(100, 90_000) / 100)
        time.sleep(chance.uniform(0.15, 0.4))
    time.sleep(max(0, SETTLEMENT - time.monotonic()))
    log.info("settlement of %s, %d transfers so far", branch, done)
    transfer(f"N{seed}0001", own, other, net, check=0.4)
    if branch == "town":
        transfer(f"N{seed}0002", 7120, 5093, 12.50)
    booked[branch] = done + 1
    log.info("%s closing the day", branch)


def main():
    threads = [threading.Thread(target=day, args=(name, 31 + n), name=f"branch-{name}") for n, name in enumerate(NETTING)]
    for thread in threads:
        thread.start()
    fault.begun()
    while any(thread.is_alive() for thread in threads):
        time.sleep(2)
        logging.getLogger("ledger.day").info("%d of %d branches closed", len(booked), len(threads))
    print("day closed,", sum(booked.values()), "transfers")


main()
