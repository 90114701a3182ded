#!/usr/bin/env python3
"""Memory and processor time of the explorer while a run is followed and its views are opened one after another.

    python3 benches/memory.py PROGRAM RUN LOG [--seconds 20] [--rounds 1] [--only WORD] [-- ARGUMENT...]

LOG is a file below RUN: its last line is written to it once a second, so use a copy of a run. Every view is open for
`--seconds` seconds. Prints a row per view: largest resident set, resident set at the end, percent of a core. Terminal of 80x24."""

import argparse
import fcntl
import os
import pty
import struct
import sys
import termios
import threading
import time

from follow import drain, last_line, spent

COLUMNS, ROWS = 80, 24
# Views and what is typed there; every visit ends in the list of records without a selection.
VIEWS = [
    ("records", "G"),
    ("filter", "fparsl.task > 17\r"),
    ("search", "/heartbeat\r"),
    ("pivot", "p\r"),
    ("hung", "2"),
    ("diagnose", "d"),
    ("contrast", "x"),
    ("runs", "r"),
    ("states", "3"),
    ("timeline", "4"),
    ("latency", "5"),
    ("joins", "6"),
    ("entities", "7"),
    ("instances", "7\r"),
    ("keys", "8"),
    ("values", "8\r"),
    ("sources", "9"),
    ("durations", "vu"),
    ("numbers", "vn"),
    ("flow", "vf"),
    ("throughput", "vT"),
    ("rules", "vR"),
    ("templates", "vt"),
    ("trace", "i"),
]


class Explorer:
    def __init__(self, program, arguments):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="")
            os.execvp(program, [program, *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.largest = 0
        threading.Thread(target=drain, args=(self.fd,), daemon=True).start()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            self.largest = max(self.largest, self.resident())
            time.sleep(0.02)

    def resident(self):
        """Resident set, MB."""
        try:
            with open(f"/proc/{self.pid}/statm") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except (OSError, IndexError):
            return 0.0

    def type(self, keys):
        for key in keys:
            os.write(self.fd, key.encode())
            time.sleep(0.05)

    def settle(self, patience=120):
        for _ in range(patience):
            before = spent(self.pid)
            time.sleep(1)
            if spent(self.pid) - before < 0.02:
                return


def append(path, seconds):
    line = last_line(path)
    for _ in range(seconds):
        with open(path, "ab") as out:
            out.write(line)
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("run")
    parser.add_argument("log")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="")
    given, rest = sys.argv[1:], []
    if "--" in given:
        given, rest = given[: given.index("--")], given[given.index("--") + 1 :]
    asked = parser.parse_args(given)
    explorer = Explorer(os.path.abspath(asked.program), ["--follow", *rest, asked.run])
    time.sleep(5)
    explorer.settle()
    print(f"{'loaded':12} largest {explorer.largest:6.0f} MB  end {explorer.resident():6.0f} MB  {spent(explorer.pid):6.1f} CPU s", flush=True)
    worst = 0.0
    for _ in range(asked.rounds):
        for name, keys in VIEWS:
            if asked.only not in name:
                continue
            explorer.largest, before = 0.0, spent(explorer.pid)
            explorer.type(keys)
            append(asked.log, asked.seconds)
            share = (spent(explorer.pid) - before) / asked.seconds
            print(f"{name:12} largest {explorer.largest:6.0f} MB  end {explorer.resident():6.0f} MB  {share:6.1%} of a core", flush=True)
            worst = max(worst, explorer.largest)
            explorer.type(["\x1b"])
            time.sleep(0.3)
            explorer.type("1A")
    time.sleep(2)
    explorer.settle(30)
    print(f"{'at rest':12} largest {worst:6.0f} MB  end {explorer.resident():6.0f} MB", flush=True)
    os.write(explorer.fd, b"q")
    os.waitpid(explorer.pid, 0)


if __name__ == "__main__":
    main()
