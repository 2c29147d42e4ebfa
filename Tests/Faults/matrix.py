"""The matrix of faults: python3 matrix.py --binaries DIR [--rows REGEX] [--devices 20] [--jobs 1] [--bars] [--table] [--quick] [--forge] [--list]

Each row breaks one link of the bridge, to the broker or to devices, or what both stand on, in one way. Meanwhile the devices go on changing. When the
fault is over, the broker must show what the devices are, and retain byte by byte what a fresh start puts on an empty broker with the same state directory.
Exit status 1: a difference, or a bridge that crashed; with --bars also a time above its bar. Needs root, or a user namespace with rights over networks."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
import traceback

from hosts import until
from house import House
from rows import ROWS

# Members of JSON that time alone changes. Everything else must be the same bytes in the same order.
TIMES = re.compile(r"ts|last_seen|position|.*_at")
# Topics that are about time or the process itself.
LEFT_OUT = re.compile(r".*/bridge/health|.*/status/(position.*|ends_at)")
EVENTUALLY = 120.0


def timeless(payload):
    """The payload without the members of TIMES. The order of members and the spelling of numbers stay."""

    def kept(pairs):
        return {key: value for key, value in pairs if isinstance(value, dict) or not TIMES.fullmatch(key)}

    text = payload.decode()
    try:
        value = json.loads(text, object_pairs_hook=kept, parse_float=lambda number: f"number {number}", parse_int=lambda number: f"number {number}")
    except ValueError:
        return text
    return json.dumps(value, ensure_ascii=False)


def comparable(topics):
    return {topic: timeless(payload) for topic, payload in topics.items() if not LEFT_OUT.fullmatch(topic)}


def differences(healed, fresh):
    return [f"{topic}\n    healed: {healed.get(topic, 'nothing')}\n    fresh:  {fresh.get(topic, 'nothing')}"
            for topic in sorted({*healed, *fresh}) if healed.get(topic) != fresh.get(topic)]


def at_rest(house):
    """What the broker retains once it no longer changes: lists follow after a second, queues and announcements in a pace of their own."""
    kept, since = None, time.monotonic()

    def rests():
        nonlocal kept, since
        now = comparable(house.retained())
        if now != kept:
            kept, since = now, time.monotonic()
        time.sleep(0.3)
        return time.monotonic() - since > 3.5

    until(rests, "the broker comes to rest", EVENTUALLY)
    return kept


def judge_fresh_start(house):
    """What differs from a fresh start; afterwards the house is whole again."""
    if house.is_forged:
        house.client.publish("cast2mqtt/forged/state", "{}", qos=1, retain=True).wait_for_publish(10)
    healed = at_rest(house)
    house.client.publish("cast2mqtt/forged/state", "", qos=1, retain=True)
    house.stop("bridge")
    house.mend()
    house.stop("broker")
    house.start_broker()
    house.start_bridge()
    house.wait_right(EVENTUALLY)
    fresh = at_rest(house)
    # What is forged stays different.
    end = time.monotonic() + (1 if house.is_forged else 30)
    while fresh != healed and time.monotonic() < end:
        time.sleep(0.5)
        fresh = comparable(house.retained())
    return len(healed), differences(healed, fresh)


class Result:
    def __init__(self, row):
        self.row, self.found, self.healed, self.note, self.problems, self.misses = row, None, None, "", [], []

    @property
    def equal(self):
        """Whether the topics were those of a fresh start; "-" for a row that did not come to the comparison."""
        return "-" if self.healed is None else "no" if any("differ" in problem for problem in self.problems) else "yes"

    def line(self):
        found, healed = ("-" if value is None else f"{value:.2f} s" for value in (self.found, self.healed))
        text = f"{self.row.key}: found after {found}, healed after {healed}, equal: {self.equal}"
        return text + "".join(f"; {part}" for part in [self.note, *self.misses, *self.problems] if part)

    def cells(self):
        found, healed = ("" if value is None else f"{value:.2f}" for value in (self.found, self.healed))
        note = "; ".join(part for part in (self.row.seen_text, self.note) if part)
        return f"| {self.row.link} | {self.row.fault} | {note} | {found} | {self.row.found_bar or ''} | {healed} | {self.row.heal_bar or ''} | {self.equal} |"


def perform(house, row):
    result = Result(row)
    house.note = ""
    house.links, house.began = house.broker_links(), time.monotonic()
    row.begin(house)
    if row.varies == "during":
        house.vary()
    result.found = row.seen(house, EVENTUALLY)
    time.sleep(max(0.0, house.began + row.lasts - time.monotonic()))
    if row.varies == "late":
        house.vary()
    house.ended = time.monotonic()
    since = row.end(house) or house.ended
    if row.varies == "after":
        house.vary()
        since = max(since, time.monotonic()) if row.counts_from_change else since
    result.healed = house.wait_right(EVENTUALLY) - since
    if row.link == "broker" and house.acknowledged and house.acknowledged > house.ended:
        result.note = f"right {max(0.0, since + result.healed - house.acknowledged):.2f} s after CONNACK"
    result.note = result.note or house.note
    left = [event[3] for event in house.to_devices.events if event[1] == "left" and event[0] - event[3] > house.began]
    if left:
        result.note = f"attempts given up after {max(left):.2f} s"
    result.problems += row.problems(house)
    bridge = house.processes["bridge"]
    number, differing = judge_fresh_start(house)
    if differing:
        result.problems.append(f"{len(differing)} of {number} retained topics differ from a fresh start:\n  " + "\n  ".join(differing[:20]))
    if bridge.returncode != 0:
        result.problems.append(f"the bridge ended with {bridge.returncode}")
    for what, value, bar in (("found", result.found, row.found_bar), ("healed", result.healed, row.heal_bar)):
        if bar and value is not None and value > bar:
            result.misses.append(f"{what} above its bar of {bar:g} s")
    return result


def attempt(house, row):
    try:
        return perform(house, row)
    except Exception as error:  # noqa: BLE001 every failure is one of this row, and the next one gets another house
        result = Result(row)
        result.problems.append(f"{type(error).__name__}: {error}")
        traceback.print_exc()
        print("\n".join(line for line in house.log("bridge").splitlines() if "DEBUG" not in line)[-4000:], file=sys.stderr)
        return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", default=".build/debug")
    parser.add_argument("--rows", default="", help="a regular expression that is searched in LINK: FAULT")
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--bars", action="store_true", help="fail when a time is above its bar")
    parser.add_argument("--table", action="store_true", help="print the rows of docs/RELIABILITY.md at the end")
    parser.add_argument("--jobs", type=int, default=1, help="how many houses break at a time; times are only true with one")
    parser.add_argument("--quick", action="store_true", help="the rows of \"make test\", with four devices and all at a time")
    parser.add_argument("--forge", action="store_true", help="leave a topic that no fresh start has, to prove that each row would notice")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("--keep-log", help="a folder for the logs of the programs after each row")
    arguments = parser.parse_args()
    rows = [row for row in ROWS if re.search(arguments.rows, row.key) and (row.is_quick or not arguments.quick)]
    if arguments.quick:
        arguments.devices, arguments.jobs = 4, len(rows)
    if arguments.list or not rows:
        print("\n".join(row.key for row in rows or ROWS))
        return 0 if arguments.list else 64
    return share(rows, arguments) if arguments.jobs > 1 else run(rows, arguments)


def share(rows, arguments):
    """Runs the rows in several processes, each with a house of its own."""
    jobs, failed = [], False
    for number in range(min(arguments.jobs, len(rows))):
        keys = "|".join(re.escape(row.key) for row in rows[number :: arguments.jobs])
        command = [sys.executable, __file__, "--binaries", arguments.binaries, "--devices", str(arguments.devices), "--rows", f"^({keys})$"]
        command += [f"--{name}" for name in ("bars", "table", "forge") if getattr(arguments, name)]
        command += ["--keep-log", arguments.keep_log] if arguments.keep_log else []
        jobs.append(subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command]))
    for job in jobs:
        failed = bool(job.wait()) or failed
    return 1 if failed else 0


def run(rows, arguments):
    results, house = [], None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for row in rows:
            if reason := row.is_impossible():
                print(f"{row.key}: left out, {reason}", flush=True)
                continue
            if not house:
                house = House(os.path.abspath(arguments.binaries), arguments.devices)
                house.is_forged = arguments.forge
                house.start_all()
            results.append(attempt(house, row))
            print(results[-1].line(), flush=True)
            house.keep_logs(arguments.keep_log, row.key)
            if results[-1].problems:
                house.end()
                house = None
    finally:
        if house:
            house.end()
    if arguments.table:
        print("\n".join(result.cells() for result in results))
    failed = [result for result in results if result.problems or (arguments.bars and result.misses)]
    print(f"{len(results)} rows, {len(failed)} failed" + "".join(f"\n  {result.row.key}" for result in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
