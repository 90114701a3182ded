#!/usr/bin/env python3
"""Bytes that the explorer sends for each line it scrolls, in a terminal of 120x40, beside those of less.

    python3 benches/scroll.py PROGRAM PATH [FILE for less]
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

COLUMNS, ROWS, STEPS = 120, 40, 60


def read(fd, quiet, patience=None):
    """All that comes until nothing came for `quiet` seconds; the first of it may take `patience`."""
    out = b""
    while select.select([fd], [], [], quiet if out or patience is None else patience)[0]:
        try:
            piece = os.read(fd, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        out += piece
    return out


def measure(name, command, before, key, steps=STEPS):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="", LESS="")
        os.execvp(command[0], command)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    read(fd, 2.0, 10.0)
    for one in before:
        os.write(fd, one.encode())
        read(fd, 0.3, 2.0)
    sizes = []
    for _ in range(steps):
        os.write(fd, key.encode())
        # On a busy machine the answer is late, and would be counted for the next step.
        sizes.append(len(read(fd, 0.1, 2.0)))
    os.write(fd, b"q")
    time.sleep(0.1)
    os.close(fd)
    os.waitpid(pid, 0)
    sizes.sort()
    if sizes[steps // 2] < 60:
        sys.exit(f"{name}: hardly anything is sent, so nothing scrolls: are these still the right keys?")
    print(f"{name:32} median {sizes[steps // 2]:6} bytes, 95 % below {sizes[steps * 95 // 100]:6}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    down = ["g"] + ["j"] * 40
    measure("list and record, one line", [program, path], down, "j")
    measure("list alone, one line", [program, path], ["v", "h"] + down, "j")
    measure("list alone, half a page", [program, path], ["v", "h"] + down, "\x04")
    # The cursor stays on its record, as long as that is in sight: what `less` does.
    vim = [program, path, "--keymap", "vim"]
    measure("list alone, view by one line", vim, ["v", "h"] + down, "\x05", 20)
    if len(sys.argv) > 3:
        measure("less, one line", ["less", "-S", sys.argv[3]], [], "j")
        measure("less, half a page", ["less", "-S", sys.argv[3]], [], "d")


if __name__ == "__main__":
    main()
