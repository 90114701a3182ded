r"""
fault = "A guard, a program of its own with its own log, kills one of four workers since it held more memory than the guard allows."
kind = "watchdog"
outcome = "failed"
cause = [
  { file = "node-guard.log", text = 'SIGKILL', which = "all" },
]
subject = ["chunk 17", { class = "process", file = "variants.log", text = '(caller-\d)\(\d+\): chunk 17' }, { class = "pid", file = "node-guard.log", text = 'pid=(\d+) .*SIGKILL' }]
shows = 'incomplete'
"""

import logging
import multiprocessing as mp
import os
import subprocess
import sys
import time
from pathlib import Path

GUARD = '''
import os, signal, time
def say(text):
    with open("node-guard.log", "a") as log:
        log.write(time.strftime("%Y/%m/%d %H:%M:%S ") + text + "\\n")
say("guard: policy rss_max=160MiB period=0.5s user=batch")
over = {}
while os.getppid() != 1:
    seen = 0
    for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
        try:
            if os.readlink(f"/proc/{pid}/cwd") != os.getcwd():
                continue
            rss = int(open(f"/proc/{pid}/statm").read().split()[1]) * 4 // 1024
        except (OSError, IndexError):
            continue
        seen += 1
        if rss > 160:
            over[pid] = over.get(pid, 0) + 1
            say(f"guard: pid={pid} rss={rss}MiB over={over[pid]}/3" + (" action=SIGKILL" if over[pid] == 3 else ""))
            if over[pid] == 3:
                os.kill(int(pid), signal.SIGKILL)
    if int(time.time() * 2) % 4 == 0:
        say(f"guard: checked {seen} processes")
    time.sleep(0.5)
'''
logging.basicConfig(filename="variants.log", level=logging.INFO, format="%(levelname).1s %(asctime)s %(processName)s(%(process)d): %(message)s")
log = logging.getLogger("variants")


def call(chunks, results):
    log.info("ready")
    for chunk in iter(chunks.get, None):
        log.info("chunk %d: reading alignments", chunk)
        reads = bytearray(b"A") * ((240 if chunk == 17 else 12) << 20)
        for region in range(3):
            time.sleep(0.12 if chunk != 17 else 1.2)
            log.info("chunk %d: region %d of 3, %d reads", chunk, region + 1, len(reads) // 9000 + region)
        results.put(chunk)
        log.info("chunk %d: variants written", chunk)


def main():
    Path("../guard.py").write_text(GUARD)
    guard = subprocess.Popen([sys.executable, "../guard.py"])
    chunks, results = mp.Queue(), mp.Queue()
    workers = [mp.Process(target=call, args=(chunks, results), name=f"caller-{n}") for n in range(4)]
    for worker in workers:
        worker.start()
    for chunk in range(40):
        chunks.put(chunk)
    for _ in workers:
        chunks.put(None)
    for worker in workers:
        worker.join()
        log.info("%s ended with code %s", worker.name, worker.exitcode)
    time.sleep(1)
    done = results.qsize()
    log.info("%d of 40 chunks%s", done, "" if done == 40 else ", call set incomplete")
    guard.terminate()
    return 0 if done == 40 else 1


if __name__ == "__main__":
    sys.exit(main())
