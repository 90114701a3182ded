#!/usr/bin/env python3
"""Processor time that the explorer takes while it follows a run to which one line a second is written.

    python3 benches/follow.py PROGRAM RUN LOG [SECONDS]

LOG is a file below RUN: its last line is written to it again and again, so use a copy of a run. Prints percent of a core,
first with nothing written, then with one line a second."""

import fcntl
import os
import pty
import struct
import sys
import termios
import threading
import time

COLUMNS, ROWS = 120, 40


def spent(pid):
    """Seconds of all threads so far."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def drain(fd):
    try:
        while os.read(fd, 1 << 16):
            pass
    except OSError:
        pass


def settle(pid, patience=120):
    """Waits until hardly anything is computed any more."""
    for _ in range(patience):
        before = spent(pid)
        time.sleep(1)
        if spent(pid) - before < 0.02:
            return
    sys.exit("it does not come to rest")


def last_line(log):
    """Last line of a log, with its line end."""
    with open(log, "rb") as text:
        text.seek(-min(1 << 16, os.path.getsize(log)), os.SEEK_END)
        return text.read().rstrip(b"\n").rsplit(b"\n", 1)[-1] + b"\n"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, run, log = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    line = last_line(log)
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="")
        os.execvp(program, [program, "--follow", run])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    threading.Thread(target=drain, args=(fd,), daemon=True).start()
    time.sleep(5)
    settle(pid)
    before = spent(pid)
    time.sleep(seconds)
    idle = (spent(pid) - before) / seconds
    before = spent(pid)
    for _ in range(seconds):
        with open(log, "ab") as out:
            out.write(line)
        time.sleep(1)
    busy = (spent(pid) - before) / seconds
    print(f"nothing written: {idle:.1%} of a core; one line a second: {busy:.1%}")
    os.write(fd, b"q")
    os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
