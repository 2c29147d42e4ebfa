#!/usr/bin/env python3
"""Runs every command of the documents, so that none of them is out of date, and pastes their blocks (`pasting.py`).

    commands.py --binaries DIR                     all of them
    commands.py --binaries DIR docs/API.md ...     those of these documents
    commands.py --list                             only shows how each is treated

Commands run in namespaces of their own, beside a broker, simulated devices and the bridge, on a copy of this source
and of /etc. What can't run there (systemd, docker, package managers) has a stand-in in `stand-ins`, which checks its
arguments as far as it can: that a unit, a service or a package exists. What neither runs nor has a stand-in is named
in `rules.py`, with the reason.
"""

import argparse
import os
import pathlib
import sys

sys.dont_write_bytecode = True
import pasting  # noqa: E402
from rules import Kind, rule_for  # noqa: E402
from statements import documents, of_repository  # noqa: E402
from world import World  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", type=pathlib.Path, help="where cast2mqtt and cast-simulator are")
    parser.add_argument("--list", action="store_true", help="run nothing")
    parser.add_argument("documents", nargs="*")
    return parser.parse_args()


def enter_namespaces():
    """Begins again with mounts and a network of its own."""
    if os.environ.get("COMMANDS_INSIDE"):
        return
    os.environ["COMMANDS_INSIDE"] = "1"
    how = ["-mn"] if os.geteuid() == 0 else ["-Urmn"]
    os.environ["COMMANDS_ROOT"] = "1" if os.geteuid() == 0 else ""
    os.execvp("unshare", ["unshare", *how, "--kill-child", "--fork", sys.executable, *sys.argv])


def paste(options):
    """What a person meets who pastes the documents' blocks in their order."""
    program = options.binaries.resolve() / "cast2mqtt"
    pasting.check_the_checker(ROOT, program)
    pages = {name: page for name, page in documents(ROOT).items() if not options.documents or name in options.documents}
    return [problem for name, page in pages.items() for problem in pasting.problems(ROOT, program, name, page)]


def main():
    options = arguments()
    statements = [one for one in of_repository(ROOT) if not options.documents or one.file in options.documents]
    if options.list:
        for one in statements:
            print(f"{rule_for(one).kind.name:8} {one}")
        return 0
    enter_namespaces()
    unpasted = paste(options)
    print(*(f"FAILED   {problem}" for problem in unpasted), sep="\n", flush=True)
    counts, failures = dict.fromkeys(Kind, 0), []
    with World(ROOT, options.binaries.resolve()) as world:
        for one in statements:
            rule = rule_for(one)
            kind, problem = world.perform(one, rule)
            counts[kind] += 1
            print(f"{kind.name.lower():8} {one}" + (f"\n         {rule.reason}" if kind is Kind.LEFT else ""), flush=True)
            if problem:
                failures.append(one)
                print(f"FAILED   {problem}", flush=True)
    print(", ".join(f"{count} {kind.value}" for kind, count in counts.items()))
    if failures:
        print(f"{len(failures)} commands failed:", *failures, sep="\n  ")
    return 1 if failures or unpasted else 0


sys.exit(main())
