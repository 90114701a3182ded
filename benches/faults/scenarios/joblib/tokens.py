r"""
fault = "a mark of an earlier run (`shard-05.done`) is still there, so that the task takes shard 5 for done and leaves it out"
kind = "skipped"
outcome = "failed"
cause = [{ file = "tokens.log", text = "shard-05.*(done|marked|skip)" }]
subject = ["shard-05.jsonl", "shard-05", "file shard-05.done"]
innocent = ["shard-04.jsonl", "shard-06.jsonl"]
shows = "tokens of \\d+ shards"
"""
import json
import logging
import sys
import time
from pathlib import Path

import joblib

DATA = Path("../corpus")


def tokens(path):
    logging.basicConfig(filename="tokens.log", level=logging.INFO, format='level=%(levelname)s ts=%(asctime)s pid=%(process)d msg="%(message)s"', datefmt="%Y-%m-%dT%H:%M:%S")
    log = logging.getLogger("tokens")
    mark = path.with_suffix(".done")
    if mark.exists():
        log.info("%s done %s", path.stem, time.strftime("%F %T", time.localtime(mark.stat().st_mtime)))
        return 0
    log.info("%s begin, %d bytes", path.stem, path.stat().st_size)
    time.sleep(0.4)
    count = sum(len(json.loads(line)["text"].split()) for line in open(path))
    mark.touch()
    log.info("%s %d tokens", path.stem, count)
    return count


if __name__ == "__main__":
    import os

    DATA.mkdir()
    for n in range(12):
        with open(DATA / f"shard-{n:02}.jsonl", "w") as file:
            for row in range(300):
                file.write(json.dumps({"id": row, "text": "the quick brown fox " * (1 + (n + row) % 5)}) + "\n")
    old = DATA / "shard-05.done"
    old.touch()
    os.utime(old, (time.time() - 86400 * 2,) * 2)
    counts = joblib.Parallel(n_jobs=3, verbose=5)(joblib.delayed(tokens)(p) for p in sorted(DATA.glob("*.jsonl")))
    expected = sum(len(json.loads(line)["text"].split()) for p in DATA.glob("*.jsonl") for line in open(p))
    print(f"{sum(counts)} tokens of {len(counts)} shards, catalogue {expected}")
    sys.exit(sum(counts) != expected)
