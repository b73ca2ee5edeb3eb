#!/usr/bin/env python3
"""Prints how quick the explorer is in a real terminal, on inputs it makes itself, beside lf and vifm where they are installed.

    cargo build --release && python3 benches/terminal.py target/release/dagwood

Needs git and about 1 GB in the temporary folder. A program runs in a pty of 120x40; every piece of its output is stamped
when it is read. A time runs from the write of the keys to the piece that shows what is waited for, or to the first or the
last piece of the answer. Processor time is what the system counted for all threads; memory is the peak of the resident set.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import sys
import termios
import time

import figures

ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[\]P].*?(?:\x07|\x1b\\)|\x1b.")
# how a frame begins
FRAME = b"\x1b[?2026h"
# what a terminal is asked, and answers
ASKED = [(re.compile(rb"\x1b\[0?c"), b"\x1b[?62;22c"), (re.compile(rb"\x1b\[6n"), b"\x1b[1;1R")]


class Terminal:
    def __init__(self, command, cwd, env, rows=40, columns=120):
        self.pieces = []
        self.begun = time.perf_counter()
        self.child, self.side = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(cwd)
            os.execvpe(command[0], command, dict(env, TERM="xterm-256color"))

    def read(self, until, quiet=None, wanted=None):
        """Reads until a moment, or until nothing came for `quiet` seconds, or until something has come."""
        last, seen = time.perf_counter(), len(self.pieces)
        while (now := time.perf_counter()) < until and not (quiet and now - last >= quiet):
            left = min(until - now, quiet - (now - last)) if quiet else until - now
            if not select.select([self.side], [], [], left)[0]:
                continue
            try:
                piece = os.read(self.side, 1 << 16)
            except OSError:
                sys.exit("the program ended:\n" + plain(b"".join(piece for _, piece in self.pieces))[-2000:])
            last = time.perf_counter()
            self.pieces.append((last, piece))
            for asked, answer in ASKED:
                for _ in asked.findall(piece):
                    os.write(self.side, answer)
            if wanted and re.search(wanted, plain(b"".join(piece for _, piece in self.pieces[seen:]))):
                return
        if wanted:
            sys.exit(f"{wanted!r} was not shown:\n" + plain(b"".join(piece for _, piece in self.pieces))[-2000:])

    def settle(self, quiet=0.3):
        self.read(time.perf_counter() + 60, quiet)

    def press(self, keys, quiet=0.15):
        """Milliseconds to the first and to the last piece of the answer that shows something, and the bytes of it."""
        seen = len(self.pieces)
        begun = time.perf_counter()
        os.write(self.side, keys.encode())
        self.read(begun + 30, quiet)
        answer = self.pieces[seen:]
        shown = [at for at, piece in answer if plain(piece)] or [at for at, _ in answer]
        if not shown:
            sys.exit(f"{keys!r} was not answered")
        return (shown[0] - begun) * 1000, (shown[-1] - begun) * 1000, sum(len(piece) for _, piece in answer)

    def processor(self):
        total = 0
        for task in os.listdir(f"/proc/{self.child}/task"):
            with open(f"/proc/{self.child}/task/{task}/schedstat") as told:
                total += int(told.read().split()[0])
        return total / 1e9

    def memory(self):
        with open(f"/proc/{self.child}/status") as told:
            return int(re.search(r"VmHWM:\s*(\d+)", told.read()).group(1)) / 1024

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.close(self.side)
        os.waitpid(self.child, 0)


def plain(piece):
    return ESCAPES.sub(b"", piece).decode(errors="replace").strip("\r\n\0")


def say(what, value, unit="ms"):
    print(f"  {what:<58} {value:10.{0 if unit in ('bytes', 'MiB') else 3 if unit == '%' else 1}f} {unit}", flush=True)


def keys(terminal, pressed, times, what):
    answers = [terminal.press(pressed) for _ in range(times)]
    first = sorted(answer[0] for answer in answers)
    say(f"{what}: median", statistics.median(first))
    say(f"{what}: 95 of 100", first[int(len(first) * 0.95)])
    return answers


def idle(terminal, seconds=20):
    # what the bottom line tells is taken away after six seconds
    terminal.settle(7)
    before, begun, seen = terminal.processor(), time.perf_counter(), len(terminal.pieces)
    terminal.read(begun + seconds)
    say("idle: processor time of a core", (terminal.processor() - before) / (time.perf_counter() - begun) * 100, "%")
    say("idle: output", sum(len(piece) for _, piece in terminal.pieces[seen:]), "bytes")


def together(binary, layer, registry, env):
    print("\n100,000 directories and a registry of 500,000 resources and 1,000,000 links")
    command = [binary, "--registry", registry]
    first, seen, states, cpu = [], [], [], []
    for _ in range(3):
        terminal = Terminal(command, layer, env)
        terminal.read(terminal.begun + 30, wanted="Directories")
        first.append((terminal.pieces[-1][0] - terminal.begun) * 1000)
        terminal.read(terminal.begun + 30, wanted="[●◌○]")
        seen.append((terminal.pieces[-1][0] - terminal.begun) * 1000)
        terminal.read(terminal.begun + 30, wanted=r"owed \d")
        states.append((terminal.pieces[-1][0] - terminal.begun) * 1000)
        terminal.settle(4)
        cpu.append(terminal.processor())
        terminal.end()
    say("first frame", statistics.median(first))
    say("states of the directories on the screen", statistics.median(seen))
    say("states of all directories", statistics.median(states))
    say("processor time until all is read and watched", statistics.median(cpu), "s")

    terminal = Terminal(command, layer, env)
    terminal.read(terminal.begun + 30, wanted=r"owed \d")
    terminal.settle(4)
    terminal.press("2")
    answers = keys(terminal, "j", 30, "a key, with another detail")
    say("a key, with another detail: output", statistics.median(answer[2] for answer in answers), "bytes")
    bursts = [terminal.press(pressed * 40)[1] for pressed in "kjkjk"]
    say("40 keys in one write, to the last piece", statistics.median(bursts))
    say("open everything", terminal.press("*")[1])
    say("close everything", terminal.press("-")[1])
    terminal.press("*")
    terminal.press("G")
    keys(terminal, "k", 20, "a key, at the last of all rows open")
    terminal.press("gg")
    terminal.press("/")
    typed = [terminal.press(letter, 0.5) for letter in "d7/d3"]
    say("a letter of a filter, to its echo", statistics.median(answer[0] for answer in typed))
    say("a letter of a filter, to the last piece", statistics.median(answer[1] for answer in typed))
    os.write(terminal.side, b"\x1b")
    idle(terminal)
    say("memory", terminal.memory(), "MiB")
    terminal.end()

    terminal = Terminal(command, layer, env, 24, 80)
    terminal.read(terminal.begun + 30, wanted=r"owed \d")
    terminal.settle(4)
    terminal.press("2")
    written = []
    for _ in range(20):
        before = len(terminal.pieces)
        terminal.press("j")
        written.append(b"".join(piece for _, piece in terminal.pieces[before:]).split(FRAME)[1:])
    moved = [len(frames[0]) + len(FRAME) for frames in written]
    say("on 80x24, the row under the cursor: median", statistics.median(moved), "bytes")
    say("on 80x24, the row under the cursor: most", max(moved), "bytes")
    say("on 80x24, with another detail", statistics.median(len(FRAME.join([b"", *frames])) for frames in written), "bytes")
    terminal.end()


def million(binary, folder, registry, env):
    print("\na node of 1,000,000 children, open")
    terminal = Terminal([binary, "--registry", registry], folder, env)
    terminal.read(terminal.begun + 30, wanted="n0")
    terminal.settle(2)
    terminal.press("1")
    begun = time.perf_counter()
    os.write(terminal.side, b"l")
    terminal.read(begun + 30, wanted="n1")
    say("opened, to the first rows below", (terminal.pieces[-1][0] - begun) * 1000)
    terminal.settle(1)
    say("opened, to the last of them", (terminal.pieces[-1][0] - begun) * 1000)
    terminal.press("G")
    keys(terminal, "k", 30, "a key, at the last of a million rows")
    say("close everything", terminal.press("-", 1)[1])
    say("open everything", terminal.press("*", 1)[1])
    idle(terminal, 10)
    say("memory", terminal.memory(), "MiB")
    terminal.end()


def peer(name, folder, env):
    if not shutil.which(name):
        print(f"\n{name} is not installed")
        return
    print(f"\n{name}, in a folder of 100,000 files")
    terminal = Terminal([name, folder], folder, env)
    terminal.read(terminal.begun + 30, wanted="file000")
    say("first names", (terminal.pieces[-1][0] - terminal.begun) * 1000)
    terminal.settle(1)
    answers = keys(terminal, "j", 30, "a key")
    say("a key: output", statistics.median(answer[2] for answer in answers), "bytes")
    say("40 keys in one write, to the last piece", statistics.median(terminal.press(key * 40)[1] for key in "kjkjk"))
    terminal.press("G")
    keys(terminal, "k", 20, "a key, at the last of all rows")
    idle(terminal)
    say("memory", terminal.memory(), "MiB")
    terminal.end()


def explorer(binary, folder, env):
    layer, _ = figures.layer(folder, env)
    registry = figures.registry(binary, folder, "tree.db", 500_000, figures.tree(500_000), env)
    wide = ((0, at) for at in range(1, 1_000_001))
    registry_of_a_million = figures.registry(binary, folder, "million.db", 1_000_001, wide, env)
    print(f"load {os.getloadavg()[0]:.2f} once the inputs are made")
    together(binary, layer, registry, env)
    million(binary, folder, registry_of_a_million, env)
    for name in ("lf", "vifm"):
        peer(name, figures.files(folder), env)


if __name__ == "__main__":
    figures.measured(__doc__, "terminal", explorer)
