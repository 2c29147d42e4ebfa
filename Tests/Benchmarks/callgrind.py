"""Runs a program under valgrind's callgrind and reads what it counted between two moments.

Callgrind keeps a function's costs apart by the chain of its callers (`--separate-callers`), so that what malloc, memcpy or swift_retain cost
can be given to the part of the program that called them.
"""

import collections
import glob
import os
import re
import shutil
import subprocess
import time

from processes import LIMIT, Failure

# Callers that are distinguished. The longest chains of a status have about 60 functions, few of them below the last stage.
CALLERS = 40
LINE_BYTES = 64
# An instruction of a function: its address, and how often it ran.
COST = re.compile(r"0x([0-9a-f]+) (\d+)$")
# A name that is written out once, and by its number from then on.
NAME = re.compile(r"\((\d+)\)(?: (.+))?$")


def prepared(program, directory):
    """A copy of the program with its symbols and without debug sections, which valgrind 3.19 cannot all read."""
    copy = os.path.join(directory, os.path.basename(program))
    subprocess.run(["objcopy", "--strip-debug", program, copy], check=True)
    return copy


def command(record):
    """What goes before the command of a program that is to be counted; costs are written to files that begin with `record`."""
    if shutil.which("valgrind") is None:
        raise Failure("valgrind is not installed; scripts/bootstrap bench installs it")
    return ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no", "--demangle=no",
            f"--separate-callers={CALLERS}", f"--callgrind-out-file={record}"]


class Recorder:
    """Reads the costs of a process that was started with `command`."""

    def __init__(self, process, record):
        self.process, self.record, self.known = process, record, set()
        self.counted = 0.0  # when the last count ended

    def begin(self):
        """Counts from now on; before, the program runs several times as fast."""
        self.control("--instr=on")

    def skip(self):
        """Forgets what was counted."""
        self.control("--zero")

    def costs(self):
        """What was counted since `skip` or the previous call."""
        self.control("--dump")
        self.counted = time.monotonic()
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            for path in set(glob.glob(self.record + ".*")) - self.known:
                if self.is_complete(path):
                    self.known.add(path)
                    costs = Costs(path)
                    os.unlink(path)
                    return costs
            time.sleep(0.05)
        raise Failure("callgrind writes nothing")

    def control(self, option):
        self.process.check()
        asked = subprocess.run(["callgrind_control", option, str(self.process.pid)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if asked.returncode != 0:
            raise Failure(f"callgrind_control {option}: {asked.stdout}")

    @staticmethod
    def is_complete(path):
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 200))
            return b"totals:" in file.read()


class Costs:
    """A dump: instructions and lines of code by chain of functions, innermost first."""

    def __init__(self, path):
        self.instructions = collections.Counter()
        self.lines = collections.defaultdict(set)
        self.read(path)

    @property
    def total(self):
        return sum(self.instructions.values())

    @property
    def all_lines(self):
        return set().union(*self.lines.values())

    def read(self, path):
        names = {"ob": {}, "fn": {}}
        program, chain, is_call = None, None, False
        with open(path) as file:
            for line in file:
                if cost := COST.match(line):
                    # The line behind a call has the cost of what was called, which is counted there.
                    if not is_call:
                        self.instructions[chain] += int(cost[2])
                        self.lines[chain].add((program, int(cost[1], 16) // LINE_BYTES))
                    is_call = False
                    continue
                key, _, value = line.rstrip("\n").partition("=")
                if key == "calls":
                    is_call = True
                elif key in ("ob", "cob"):
                    name = self.name(names["ob"], value)
                    program = name if key == "ob" else program
                elif key in ("fn", "cfn"):
                    name = self.name(names["fn"], value)
                    chain = self.chain(name) if key == "fn" else chain

    @staticmethod
    def name(known, value):
        match = NAME.match(value)
        if match is None:
            return value
        if match[2] is not None:
            known[match[1]] = match[2]
        return known[match[1]]

    @staticmethod
    def chain(name):
        # A number behind an apostrophe distinguishes levels of recursion.
        return tuple(part for part in name.split("'") if not part.isdigit())
