"""Counts the living objects of some types in the heap of a process, which does not count them itself: python3 census.py PID

Every object of Swift begins with the address of its type, and each block of glibc's heap with its size, so the blocks are walked one by one. The process
runs on meanwhile: take it at rest. It may miss blocks of an arena that changes just then, so the census is taken again until two agree."""

import collections
import functools
import re
import struct
import subprocess
import sys
import time

# What is counted: the symbol of the type, or with * of a pointer to it, in the program or in a library of Swift.
TYPES = {"timers": "$s15EventLoopTiming8DeadlineCN", "tasks": "*_ZN5swift19taskHeapMetadataPtrE"}
# A heap of another thread than the first begins at a multiple of this; its blocks follow its head, in the first one also the arena's state.
ARENA, HEAD = 64 << 20, 4096
PREVIOUS_IN_USE, MAPPED, FLAGS = 1, 2, 7


@functools.cache
def symbols(file):
    """The addresses of those symbols in a program or library, from its beginning."""
    wanted, found = {symbol.lstrip("*") for symbol in TYPES.values()}, {}
    for option in ("--defined-only", "--dynamic"):
        for line in subprocess.run(["nm", option, file], capture_output=True, text=True).stdout.splitlines():
            if (words := line.split())[-1] in wanted and len(words) == 3:
                found[words[-1]] = int(words[0], 16)
    return found


class Census:
    def __init__(self, pid):
        self.pid = pid
        self.memory = open(f"/proc/{pid}/mem", "rb", buffering=0)
        self.types = {self.address(symbol): name for name, symbol in TYPES.items()}

    def maps(self):
        with open(f"/proc/{self.pid}/maps", encoding="utf-8") as lines:
            for fields in (line.split() for line in lines):
                start, end = (int(number, 16) for number in fields[0].split("-"))
                yield start, end, fields[1], fields[5] if len(fields) > 5 else ""

    def read(self, start, size):
        self.memory.seek(start)
        return self.memory.read(size)

    def address(self, symbol):
        files = {}
        for start, _, _, name in self.maps():
            if re.search("/(cast2mqtt|libswift_Concurrency.so)$", name):
                files.setdefault(name, start)
        for name, base in files.items():
            if place := symbols(name).get(symbol.lstrip("*")):
                return struct.unpack("<Q", self.read(base + place, 8))[0] if symbol.startswith("*") else base + place
        raise LookupError(f"{symbol} is in none of {list(files)}")

    def count(self):
        counts = collections.Counter({name: 0 for name in TYPES})
        for start, end, rights, name in self.maps():
            if name == "[heap]" or not name and rights.startswith("rw") and end - start >= HEAD:
                self.walk(self.read(start, end - start), name == "[heap]", start % ARENA == 0, counts)
        return counts

    def walk(self, heap, isFirst, isArena, counts):
        position = 0
        if isArena and not isFirst:
            position = next((offset for offset in range(32, HEAD, 16) if self.leads(heap, offset)), len(heap))
        while position + 32 <= len(heap):
            size, kind = struct.unpack_from("<QQ", heap, position + 8)
            isMapped, length = size & MAPPED, size & ~FLAGS
            if length < 32 or length % 16 or position + length > len(heap):
                if isFirst or isArena:
                    return
                position += HEAD
                continue
            following = position + length + 8
            isUsed = isMapped or following + 8 > len(heap) or struct.unpack_from("<Q", heap, following)[0] & PREVIOUS_IN_USE
            if isUsed and kind in self.types:
                counts[self.types[kind]] += 1
            position += length

    @staticmethod
    def leads(heap, offset):
        """Whether blocks follow each other from here to some distance."""
        for _ in range(12):
            if offset + 16 > len(heap):
                return False
            size = struct.unpack_from("<Q", heap, offset + 8)[0] & ~FLAGS
            if size < 32 or size % 16:
                return False
            offset += size
        return True

    def taken(self):
        """The counts on which two looks agree; after ten looks the largest ones."""
        looks = []
        for _ in range(10):
            looks.append(self.count())
            if looks[-1] in looks[:-1]:
                return dict(looks[-1])
            time.sleep(0.3)
        return {name: max(look[name] for look in looks) for name in TYPES}


if __name__ == "__main__":
    print(Census(int(sys.argv[1])).taken())
