#!/usr/bin/env python3
"""Milliseconds from a key press to what the explorer sends for it, in a terminal of 120x40: for every kind of key, on a run as
large as one likes, also while that is still being read.

    python3 benches/keys.py PROGRAM PATH [--only WORD] [--repeats 5]

`first`: until the first bytes of a frame; `all`: until nothing more came for a quarter of a second (what is counted in the
background is in it). `held`: after each of these keys, once more at once and a few times later, the screen is asked to be
drawn anew; the longest time until it answers, so how long the interface did nothing.
Lines over the limits (16 ms until the first bytes, 50 ms held) end with a mark, and the exit code is 1.
"""

import argparse
import fcntl
import os
import pty
import select
import struct
import sys
import tempfile
import termios
import time

COLUMNS, ROWS = 120, 40
FIRST, HELD = 16.0, 50.0
ESC, REDRAW, ERASE = "\x1b", "\x0c", "\x7f"

# What is measured: a name, what is pressed before, the keys that are timed one by one, what is pressed after. A key with a
# blank before it is not timed.
STEPS = [
    ("move by a line", [], ["j", "k", "j", "j"], []),
    ("move by pages", [], ["\x04", "\x04", "\x15"], []),
    ("to the end, to the start", [], ["G", "g"], []),
    ("next and previous error", [], ["e", "e", "E"], []),
    ("next and previous warning", [], ["w", "W"], []),
    ("pivot list", [], ["p", ESC], []),
    ("a pivot, undone, redone", ["p"], ["\r", "u", "U", "u"], []),
    ("the record pane, a pivot there", [], ["\t", "j", "j", "\r", "u"], ["A"]),
    ("filter line, completion", [], ["f", "p", "a", "r", "s", "l", ".", "t", "a", "s", "k", " ", "=", " ", "1", "7"], [ESC]),
    ("a filter on a value, undone", ["f"] + list("level=error"), ["\r", "u"], []),
    ("a filter on a text, undone", ["f"] + list("heartbeat"), ["\r", "u"], []),
    ("context", ["f"] + list("level=error") + ["\r"], ["c", "+", "-", "c"], ["u"]),
    ("search", [], ["/", "h", "e", "a", "r", "t", "\r", "n", "n", "N"], []),
    ("search for what the record is about", [], ["*", "#"], []),
    ("palette: a word", [], [":", "t", "a", "s", "k"], [ESC]),
    ("palette: a thing", [], [":", "t", "a", "s", "k", " ", "5", "8", ERASE, ERASE], [ESC]),
    ("palette: a number", [], [":", "4", "2"], [ESC]),
    ("palette: a command", [], [":", "v", "i", "e", "w", "-", "s"], [ESC]),
    ("help, searched", [], ["?", "e", "r", "r", "o", "r"], [ESC]),
    ("go to a time", [], ["T", "1", "2", ":", "0"], [ESC]),
    ("the same value", ["p", "="], ["o", "o", "o", "O", "O", "o"], ["="]),
    ("marked for a value", [], ["=", "="], []),
    ("marks", [], ["m", "'", "\"", ESC, "m"], []),
    ("time shown as", [], ["t", "t", "t", "t"], []),
    ("a source hidden, undone", [], ["H", "u"], []),
    ("brush", ["[", "\x04", "\x04", "]"], ["{", "}", "\r", "u"], ["A"]),
    ("zoom", [], ["z", "z", "Z", "0"], []),
    ("trail", ["p", "\r"], ["`", "x", "u"], [ESC, "A"]),
    ("prefixes", [], ["v", ESC, "Y", ESC, "K", ESC, "\x17", ESC], []),
    ("panes", [], ["v", "h", "v", "v", "\\", "\\", ">", "<"], []),
    ("copy", [], ["y"], [ESC]),
    ("fold, theme", [], [" "], []),
]
# Views, each with what is done in its rows.
VIEWS = [
    ("2", "hung", ["j", "k", "p", ESC]),
    ("d", "diagnose", ["j", "j", "p", ESC]),
    ("x", "contrast", ["j", "s", "S", "&", "a", ESC]),
    ("r", "runs", ["j", "s"]),
    ("3", "states", ["j", "s", "S"]),
    ("4", "timeline", ["j", "k", "l", "h", "z", "0"]),
    ("5", "latency", ["j", "s", "S", "\r", ESC]),
    ("6", "joins", ["j", "s"]),
    ("7", "entities", ["j", "s", "S", "p", ESC]),
    ("7\r", "things of a kind", ["j", "s", "S", "s", "G", "g", "/", "1", "\r", ESC, "&", "1", "2", ESC]),
    ("8", "keys", ["j", "s", "S", "/", "t", ESC]),
    ("8\r", "values", ["j", "s", "S", "G"]),
    ("9", "sources", ["j", "s", "S"]),
    ("vu", "durations", ["j", "s", "S"]),
    ("vn", "numbers", ["j"]),
    ("vf", "flow", ["j"]),
    ("vT", "throughput", ["b", ESC, "l"]),
    ("vR", "rules", ["j", "s", "S"]),
    ("vt", "templates", ["j", "s", "S", "&", "x", ESC]),
    ("i", "trace", ["j", "k"]),
]


class Screen:
    """The program in a terminal."""

    def __init__(self, program, path):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            folder = tempfile.mkdtemp(prefix="keys-")
            os.environ.update(TERM="xterm-256color", COLORTERM="", XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder)
            os.execvp(program, [program, path])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(self, quiet, patience):
        """When the first and the last bytes came, until nothing came for `quiet`; the first may take `patience`."""
        first = last = None
        while True:
            ready = select.select([self.fd], [], [], patience if first is None else quiet)[0]
            if not ready:
                return first, last
            try:
                piece = os.read(self.fd, 1 << 16)
            except OSError:
                sys.exit("the program ended")
            if not piece:
                return first, last
            last = time.perf_counter()
            first = first or last

    def press(self, key):
        os.write(self.fd, key.encode())

    def settle(self, quiet=0.3, patience=0.3):
        self.read(quiet, patience)

    def timed(self, key, quiet=0.25, patience=0.25):
        """Milliseconds until the first and the last bytes of what a key brings; None when nothing came."""
        self.read(0.0, 0.0)
        began = time.perf_counter()
        self.press(key)
        first, last = self.read(quiet, patience)
        return first and ((first - began) * 1e3, (last - began) * 1e3)

    def held(self, key):
        """The longest time until the screen is drawn anew while what a key asked for is worked out."""
        longest = 0.0
        self.press(key)
        for pause in (0.0, 0.01, 0.03, 0.06, 0.15, 0.4):
            time.sleep(pause)
            self.read(0.0, 0.0)
            began = time.perf_counter()
            self.press(REDRAW)
            first, _ = self.read(0.02, 2.0)
            longest = max(longest, ((first or time.perf_counter()) - began) * 1e3)
        return longest

    def leave(self):
        self.press("\x03")
        time.sleep(0.2)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def shown(key):
    names = {ESC: "esc", "\r": "enter", "\t": "tab", " ": "space", ERASE: "backspace"}
    letter = lambda c: names.get(c) or (c if c >= " " else "ctrl-" + chr(ord(c) + 96))
    return " ".join(letter(c) for c in key)


class Report:
    def __init__(self):
        self.over = 0

    def line(self, name, keys, times, held):
        if not times:
            print(f"{name:36} {keys:10} nothing was sent")
            return
        first, last = sorted(t[0] for t in times), sorted(t[1] for t in times)
        middle = len(first) // 2
        over = first[middle] > FIRST or held > HELD
        self.over += over
        what = f"first {first[middle]:6.1f} (to {first[-1]:6.1f})  all {last[middle]:7.1f}  held {held:6.1f}"
        print(f"{name:36} {keys:10} {what}{'  <-- over the limit' if over else ''}", flush=True)


def session(screen, report, name, before, keys, after, repeats):
    """Each key of a list, in turn, as often as wanted; the slowest of equal names are told together."""
    times, held = [[] for _ in keys], [0.0] * len(keys)
    for turn in range(repeats):
        for key in before:
            screen.press(key)
            screen.settle(0.15, 0.4)
        screen.settle()
        for at, key in enumerate(keys):
            # One turn in which the interface is asked whether it is there.
            if turn + 1 == repeats and turn:
                held[at] = screen.held(key)
                screen.settle()
                continue
            # A step of several keys is done when the last of them is.
            for part in key[:-1]:
                screen.press(part)
                screen.settle(0.15, 0.4)
            found = screen.timed(key[-1])
            if found:
                times[at].append(found)
        for key in after:
            screen.press(key)
            screen.settle(0.05, 0.3)
        screen.settle()
    for at, key in enumerate(keys):
        report.line(name, shown(key), times[at], held[at])


def loading(program, path, report):
    """Keys while the run is being read: the first ten seconds of it."""
    screen = Screen(program, path)
    screen.read(0.05, 5.0)
    began, worst = time.perf_counter(), {}
    keys = ["j", "G", "g", "p", ESC, "f", "l", ESC, ":", "t", "a", ESC, "8", "1", "v", ESC, "?", "e", ESC, "/", "a", ESC, "4", "1"]
    while time.perf_counter() - began < 10.0:
        for key in keys:
            found = screen.timed(key, 0.02, 0.2)
            worst.setdefault(key, []).extend([found] if found else [])
    for key, times in worst.items():
        report.line("while it is read", shown(key), times, max((t[0] for t in times), default=0.0))
    screen.leave()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("path")
    parser.add_argument("--only", default="", help="steps that have this word in their names")
    parser.add_argument("--repeats", type=int, default=4, help="turns; the last is for what is held")
    asked = parser.parse_args()
    program, report = os.path.abspath(asked.program), Report()
    is_asked = lambda name: asked.only in name
    if is_asked("while it is read"):
        loading(program, asked.path, report)
    screen = Screen(program, asked.path)
    screen.settle(6.0, 120.0)
    # In the middle of the run, not where everything begins.
    for key in [":"] + list("#100000") + ["\r"]:
        screen.press(key)
        screen.settle(0.1, 0.3)
    screen.settle()
    for name, before, keys, after in STEPS:
        if is_asked(name):
            session(screen, report, name, before, keys, after, asked.repeats)
    for key, name, inside in VIEWS:
        if is_asked(name):
            session(screen, report, f"view: {name}", [], [key], ["1"], asked.repeats)
            session(screen, report, f"view: {name}", list(key), inside, [ESC, "1"], asked.repeats)
    screen.leave()
    print(f"{report.over} over the limits")
    sys.exit(report.over > 0)


if __name__ == "__main__":
    main()
