"""Counts the instructions and the lines of code that one status and one command take, stage by stage, and the instructions of a heartbeat, and writes
them as tables.

Run it through scripts/cost. cast2mqtt runs under valgrind's callgrind with one simulated device. Each change has a window of its own, from right before the
change until everything that it causes has been acknowledged. The average of the quarter of the windows around the lower quartile is shown: into many
of the dearer ones falls a ping, a timer or a report that has nothing to do with the change.

Heartbeats are counted with many devices that run no application. The process does nothing else then, so the window is simply some seconds long, and
all that is counted in it is divided by the number of pings: timers, health reports and the link to the broker are included.
"""

import argparse
import collections
import contextlib
import datetime
import json
import os
import signal
import sys
import tempfile
import time

import callgrind
from measure import ITEM, PAUSE, PLAY, VOLUME, Run
from processes import FILM, Failure, Process, Simulator
from report import table
from stages import OTHER, Stages
from subjects import Bridge, Floor, sizes

# The changes that are shown, and what brings the device back.
CHANGES = {PAUSE: PLAY, ITEM: None}
NAMES = {PAUSE: "pause", ITEM: "new item"}
SPLITS = ("none", "basic")
# Seconds between two changes, after which the document of the queue is formed with the others (`DocumentPace`), not at some time later.
PERIOD = 2.1
# Seconds from the last message until all acknowledgements are back and nothing is under way.
SETTLE = 0.15
# A command sets the volume. The device answers so much later that what goes to it and what comes from it are counted apart.
TO_DEVICE, FROM_DEVICE = "command to the device", "answer and status"
ANSWER_DELAY = 7.0
# The comparison program has no timers, and its windows hardly differ.
FLOOR_WINDOWS = 8
# Heartbeats: a device pings every 5 s, at its own phase, and is answered. Whole periods are counted, so that each device has pinged as often.
HEARTBEAT_DEVICES, PING_PERIOD, PING_PERIODS = 100, 5, 5
# What still happens after the applications have ended: Home Assistant gets each device's announcement twice, one device every 100 ms.
CALM_SECONDS = 30
# How many functions are listed.
LISTED, HEARTBEAT_LISTED = 15, 25


def windows(run, recorder, change, back, count):
    """The costs of `count` changes of one kind, each by itself."""
    costs, changed = [], 0.0
    for turn in range(count + 2):
        time.sleep(max(0, changed + PERIOD - time.monotonic()))
        recorder.skip()
        changed = time.monotonic()
        run.change(0, change)
        run.until_published(change, [0])
        time.sleep(SETTLE)
        window = recorder.costs()
        # The first ones still find the way; the program's caches and tables take their size.
        if turn >= 2:
            costs.append(window)
        if back:
            run.change(0, back)
            run.until_published(back, [0])
            time.sleep(SETTLE)
    return costs


def command_windows(run, recorder, count):
    """The costs of `count` commands, each by itself: until the request is at the device, and from its answer on."""
    costs, answered = {TO_DEVICE: [], FROM_DEVICE: []}, 0.0
    run.fleet.ask({"device": run.fleet.names[0], "do": "delay", "ms": int(ANSWER_DELAY * 1000)})
    for turn in range(count + 2):
        time.sleep(max(0, answered + PERIOD - time.monotonic()))
        recorder.skip()
        run.command(0)
        answered = time.monotonic() + ANSWER_DELAY
        time.sleep(SETTLE)
        window = recorder.costs()
        if recorder.counted >= answered:
            raise Failure("the device answered before the command was counted")
        # What happens meanwhile, such as pings, belongs to neither.
        time.sleep(max(0, answered - 1 - time.monotonic()))
        recorder.skip()
        time.sleep(max(0, answered + SETTLE - time.monotonic()))
        if turn >= 2:
            costs[TO_DEVICE].append(window)
            costs[FROM_DEVICE].append(recorder.costs())
    run.fleet.ask({"device": run.fleet.names[0], "do": "delay", "ms": 0})
    return costs


def typical(costs):
    """The quarter of the windows around the lower quartile of their totals."""
    costs = sorted(costs, key=lambda cost: cost.total)
    return costs[len(costs) // 8:max(len(costs) * 3 // 8, 1)]


@contextlib.contextmanager
def under_callgrind(subject, fleet, tools, directory):
    """The program while it runs, connected to all devices, and what counts its instructions."""
    names = [device["name"] for device in fleet.ask({"do": "list"})["devices"]]
    record = os.path.join(directory, "callgrind")
    subject.command = callgrind.command(record) + subject.command
    # Hash tables are laid out the same way in every run.
    os.environ["SWIFT_DETERMINISTIC_HASHING"] = "1"
    run = Run(subject, fleet, names, tools["probe"], directory)
    try:
        run.start()
        yield run, callgrind.Recorder(subject.process, record)
    finally:
        run.stop()


def counted(subject, fleet, tools, directory, changes, count, commands=False):
    """For each change, and for commands: the windows that are shown and the totals of all; and the messages that each change causes."""
    with under_callgrind(subject, fleet, tools, directory) as (run, recorder):
        run.learn()
        recorder.begin()
        result = {}
        for change in changes:
            print(f"{subject.name}: {NAMES[change]}", file=sys.stderr)
            costs = windows(run, recorder, change, CHANGES[change], count)
            result[change] = typical(costs), [cost.total for cost in costs]
        if commands:
            print(f"{subject.name}: command", file=sys.stderr)
            for part, costs in command_windows(run, recorder, count).items():
                result[part] = typical(costs), [cost.total for cost in costs]
        return result, run.messages


def heartbeat(subject, fleet, tools, directory, periods):
    """The instructions of a heartbeat: of the process, at devices without an application, divided by the number of pings."""
    print(f"{subject.name}: heartbeats", file=sys.stderr)
    with under_callgrind(subject, fleet, tools, directory) as (run, recorder):
        fleet.ask({"device": "*", "do": "quit"})
        run.wait((time.monotonic_ns() - subject.process.started_ns) / 1e9 + CALM_SECONDS)
        recorder.begin()
        recorder.skip()
        began = time.monotonic()
        run.wait((time.monotonic_ns() - subject.process.started_ns) / 1e9 + periods * PING_PERIOD)
        costs = recorder.costs()
        pings = round(run.count * (recorder.counted - began) / PING_PERIOD)
    return heartbeat_cell(costs, pings)


def heartbeat_figures(fleet, tools, directory, periods):
    """Of cast2mqtt, and of the C program, which forwards statuses as they are."""
    result = heartbeat(Bridge(tools["cast2mqtt"], SPLITS[0], directory, "cast2mqtt-rest"), fleet, tools, directory, periods)
    fleet.play(FILM)
    result["floor"] = heartbeat(Floor(tools["floor"], "C program", "-", "0", fleet.addresses, directory), fleet, tools, directory, periods)
    return result


def heartbeat_cell(costs, pings):
    stages = Stages([costs])

    def share(counter, count=None):
        return [{"instructions": round(number / pings), "function": function} for function, number in counter.most_common(count)]

    functions = collections.Counter()
    for of_stage in stages.functions.values():
        functions.update(of_stage)
    return {
        "heartbeats": pings, "instructions": round(stages.total / pings), "stages": {name: round(stages.instructions[name] / pings) for name in stages.names},
        "functions": share(functions, HEARTBEAT_LISTED), "innermost": share(collections.Counter(stages.innermost), HEARTBEAT_LISTED),
        "inclusive": share(stages.inclusive, 2 * HEARTBEAT_LISTED),
    }


def figures(split, fleet, tools, directory, count):
    """Of each change: cast2mqtt by stage, and the C program with equal messages. The same of a command, with `none` alone, since it has no documents."""
    subject = Bridge(tools["cast2mqtt"], split, directory)
    bridge, messages = counted(subject, fleet, tools, directory, CHANGES, count, commands=split == SPLITS[0])
    result = {part: cell(*bridge[part]) for part in (TO_DEVICE, FROM_DEVICE) if part in bridge}
    for change in CHANGES:
        costs, totals = bridge[change]
        own = messages[change].values()
        floor = Floor(tools["floor"], f"C program, {len(own)} messages", sizes(messages[VOLUME].values()), sizes(own), fleet.addresses, directory)
        is_last = change == tuple(CHANGES)[-1]
        floor_parts = counted(floor, fleet, tools, directory, (change,), min(count, FLOOR_WINDOWS), commands=is_last and TO_DEVICE in result)[0]
        result[change] = {"messages": len(own)} | cell(costs, totals, *floor_parts[change])
        if TO_DEVICE in floor_parts:
            result[TO_DEVICE]["floor"] = floor_cell(*floor_parts[TO_DEVICE])
    return result


def cell(costs, totals, *floor):
    """A column of the tables."""
    stages = Stages(costs)
    return {
        "instructions": stages.total, "lines": stages.all_lines, "windows": totals,
        "stages": {name: {"instructions": stages.instructions[name], "lines": stages.lines[name]} for name in stages.names},
        "floor": floor_cell(*floor) if floor else None,
        "functions": {stage: largest(functions) for stage, functions in stages.functions.items()}, "innermost": largest(stages.innermost),
    }


def floor_cell(costs, totals):
    """The comparison program's part of a column."""
    stages = Stages(costs)
    return {"instructions": stages.total, "lines": stages.all_lines, "windows": totals}


def largest(costs):
    """The functions that cost most."""
    return [{"instructions": count, "function": function} for function, count in sorted(costs.items(), key=lambda entry: -entry[1])[:LISTED]]


def thousands(number):
    return f"{number:,}".replace(",", " ")


def tables(columns):
    """One table of instructions and one of lines of code; `columns` are cells by title."""
    cells = list(columns.values())
    stages = [name for name in cells[0]["stages"] if any(cell["stages"][name]["instructions"] for cell in cells)]
    for key, title in (("instructions", "Instructions"), ("lines", "Lines of code (64 bytes)")):
        lines = [(name, *(thousands(cell["stages"][name][key]) for cell in cells)) for name in stages]
        lines.append(("**all**", *(f"**{thousands(cell[key])}**" for cell in cells)))
        lines.append(("C program, equal messages", *(thousands(cell["floor"][key]) if cell["floor"] else "" for cell in cells)))
        lines.append(("ratio", *(f"{cell[key] / cell['floor'][key]:.1f}" if cell["floor"] else "" for cell in cells)))
        yield table((title, *columns), lines) + "\n"


def heartbeat_report(cell, shows_functions):
    """A table of the instructions of a heartbeat, and the functions that take most of them."""
    lines = [(name, thousands(count)) for name, count in cell["stages"].items() if count]
    lines.append(("**all**", f"**{thousands(cell['instructions'])}**"))
    lines.append(("C program", thousands(cell["floor"]["instructions"])))
    lines.append(("ratio", f"{cell['instructions'] / cell['floor']['instructions']:.1f}"))
    yield table(("Instructions", f"heartbeat, {HEARTBEAT_DEVICES} devices without an application"), lines) + "\n"
    titles = {"functions": "with the runtime and the C library", "inclusive": "with all that they call", "innermost": "by themselves"}
    for key, title in titles.items() if shows_functions else ():
        yield f"heartbeat: functions {title}"
        yield from (f"  {thousands(entry['instructions']):>8} {entry['function']}" for entry in cell[key])
    yield f"{thousands(cell['heartbeats'])} heartbeats were counted, {thousands(cell['floor']['heartbeats'])} of the C program\n"


def report(document, shows_functions=False):
    parts = status_report(document["splits"], shows_functions) if "splits" in document else []
    if "heartbeat" in document:
        parts += heartbeat_report(document["heartbeat"], shows_functions)
    return "\n".join([*parts, f"{document['build']} build; {document['date']}"])


def status_report(splits, shows_functions):
    changes = {f"{NAMES[change]}, `{split}`": splits[split][change] for split in splits for change in CHANGES}
    commands = {part: splits[SPLITS[0]][part] for part in (TO_DEVICE, FROM_DEVICE)}
    parts = [table(("", *changes), [("Messages to the broker", *(str(cell["messages"]) for cell in changes.values()))]) + "\n"]
    parts += [*tables(changes), *tables(commands)]
    for title, cell in (changes | commands).items():
        lists = {OTHER: cell["functions"][OTHER]} if not shows_functions else cell["functions"] | {"all stages, by itself": cell["innermost"]}
        for name, functions in lists.items():
            parts.append(f"{title}: {name}")
            parts += [f"  {thousands(entry['instructions']):>8} {entry['function']}" for entry in functions]
        parts.append(f"windows: {', '.join(thousands(total) for total in sorted(cell['windows']))}\n")
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True, help="directory of cast2mqtt, with its symbols, and cast-simulator")
    parser.add_argument("--tools", required=True, help="directory of floor and probe")
    parser.add_argument("--build", default="release", help="what the binaries are, in a word")
    parser.add_argument("--output", required=True, help="JSON file for all figures")
    parser.add_argument("--functions", action="store_true", help="list the largest functions of every stage")
    parser.add_argument("--windows", type=int, default=24, help="how many changes of each kind are counted")
    parser.add_argument("--periods", type=int, default=PING_PERIODS, help="for how many pings of each device heartbeats are counted")
    parser.add_argument("--only", choices=("status", "heartbeat"), help="one part")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tools = {name: os.path.join(arguments.tools, name) for name in ("floor", "probe")}
    document = {"build": arguments.build, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}
    with tempfile.TemporaryDirectory(prefix="cast2mqtt-cost-") as directory:
        try:
            tools["cast2mqtt"] = callgrind.prepared(os.path.join(arguments.binaries, "cast2mqtt"), directory)
            simulator = os.path.join(arguments.binaries, "cast-simulator")
            if arguments.only != "heartbeat":
                fleet = Simulator(simulator, 1, "127.77.7.1", directory, hides_queue=True)
                document["splits"] = {split: figures(split, fleet, tools, directory, arguments.windows) for split in SPLITS}
                fleet.end()
            if arguments.only != "status":
                fleet = Simulator(simulator, HEARTBEAT_DEVICES, "127.78.7.1", directory)
                document["heartbeat"] = heartbeat_figures(fleet, tools, directory, arguments.periods)
        except Failure as failure:
            sys.exit(f"cost: {failure}")
        finally:
            Process.end_all()
    with open(arguments.output, "w") as file:
        json.dump(document, file, indent=1)
    print(report(document, arguments.functions))


if __name__ == "__main__":
    main()
