r"""
fault = "The merge opens all 180 segments of an index at once; the service may have 128 open files."
kind = "resource"
outcome = "failed"
cause = [
  { file = "*", text = 'Too many open files', which = "all" },
]
subject = []
shows = 'Too many open files'
"""

import heapq
import random
import resource
import sys
import time
from pathlib import Path

from loguru import logger

logger.remove()
logger.add("indexer.log", format="{time:YYYY-MM-DDTHH:mm:ss.SSSZ} {level} [{function}] {message}", backtrace=False, diagnose=False)
SEGMENTS = Path("../segments")


def write_segments(count):
    SEGMENTS.mkdir()
    for n in range(count):
        chance = random.Random(n)
        terms = sorted(f"{chance.getrandbits(32):08x}" for _ in range(300))
        (SEGMENTS / f"seg-{n:03}").write_text("\n".join(terms))
        time.sleep(0.03)
        if n % 10 == 9:
            logger.info("{} segments flushed, {} terms, heap {} MB", n + 1, (n + 1) * 300, 40 + n % 7)


def merge(paths, target):
    files = [open(path) for path in paths]
    with open(target, "w") as out:
        out.writelines(heapq.merge(*files))
    for file in files:
        file.close()


@logger.catch(reraise=True)
def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    logger.info("indexer starting, corpus of 54000 terms, files limit {}", 128)
    write_segments(180)
    for level in range(3):
        part = sorted(SEGMENTS.iterdir())[level * 60 : level * 60 + 60]
        merge(part, f"../level-{level}")
        logger.info("level {}: {} segments merged", level, len(part))
    logger.info("optimising, 180 segments to 1")
    merge(sorted(SEGMENTS.iterdir()), "../index")
    logger.info("index written")


main()
