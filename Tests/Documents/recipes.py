#!/usr/bin/env python3
"""Runs the recipes of docs/SIMULATOR.md as they are written: the files of each section, then its commands.

    recipes.py --binaries DIR --folder DIR SECTION ...     the sections with these titles

A section's folder remains below --folder, so that what its commands install is fetched once. Each recipe is run a second time with broken devices, and
must fail then.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from statements import of_text  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/SIMULATOR.md"
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What each recipe must notice.
SABOTAGE = "launch-unanswered"


def section(title):
    """The text below a heading of the third level."""
    found = re.search(rf"^### {re.escape(title)}\n(.*?)(?=^##)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"{PAGE.name} has no recipe {title!r}")
    return found[1]


def run(title, options):
    text = section(title)
    folder = options.folder / re.sub(r"\W+", "-", title).lower()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "Examples/cast-simulator-client/cast_simulator.py", folder)
    files, commands = FILE.findall(text), [one.text for one in of_text(PAGE.name, text)]
    if not files or not commands[-1].startswith("cast-simulator run "):
        sys.exit(f"{title!r} has no file, or does not end with cast-simulator run")
    for name, content in files:
        (folder / name).write_text(content)
    environment = {**os.environ, "PATH": f"{options.binaries.resolve()}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    # The recipe's own environment, not that of a caller.
    environment.pop("VIRTUAL_ENV", None)
    for command in [*commands, commands[-1].replace(" run ", f" run --sabotage {SABOTAGE} ", 1)]:
        must_fail = SABOTAGE in command
        print(f"{title}: {command}", flush=True)
        result = subprocess.run(["bash", "-ec", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(result.stdout[-4000:], flush=True)
        # 1 is a failed test of pytest; anything else is a test that did not run.
        if result.returncode != (1 if must_fail else 0):
            sys.exit(f"{title}: ended with {result.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--binaries", type=pathlib.Path, required=True, help="where cast-simulator is")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where the recipes are run")
    parser.add_argument("sections", nargs="+", metavar="SECTION")
    options = parser.parse_args()
    for title in options.sections:
        run(title, options)


main()
