"""Pastes the blocks of each document as a person does who reads it from its beginning, and finds what does not work then.

- Blocks of `yaml` go to the end of the file that the package installs, in the order of their document. `cast2mqtt check-config` must accept the file after
  each of them. The paragraph before a block may say another place: "in place of the section `web`", or "below `web`" for a block that is indented. A block
  whose first line is a comment with the name of the file is the whole file.
- A command that goes on is the last one of its block, because what is pasted after it goes to that command.
"""

import pathlib
import re
import subprocess
import tempfile

from rules import goes_on
from statements import of_text

FENCE = re.compile(r"( *)```(\w*)")
# The first words of blocks that are read by others: Home Assistant, cast-simulator.
FOREIGN = ("action:", "automation:", "fleet:", "recorder:")
BELOW = re.compile(r"\bbelow `([a-z_]+)[a-z_.]*`", re.IGNORECASE)
REPLACED = re.compile(r"\bin place of the section `([a-z_]+)`", re.IGNORECASE)
WHOLE = re.compile(r"#.*\bcast2mqtt\.yaml$")
# What a person has in place of shortened hashes.
HASHES = [(re.compile(r'scrypt:[^"]*'), "scrypt:16384:8:5:" + "ab" * 16 + ":" + "cd" * 32), (re.compile(r"(?<=hash: )[0-9a-f]+…"), "3f" * 32)]


class Unclear(Exception):
    """The document does not say where a block belongs."""


def blocks(page):
    """The blocks of `yaml`: the line of each, the paragraph before it, and its text without the fence's indent."""
    lines = page.splitlines()
    opened = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if fence and opened is None:
            opened, indent, kind = number, len(fence[1]), fence[2]
        elif fence:
            if kind == "yaml":
                before = "\n".join(lines[:opened]).rstrip().rpartition("\n\n")[2]
                yield opened + 1, " ".join(before.split()), "\n".join(one[indent:] for one in lines[opened + 1:number]) + "\n"
            opened = None


def section(file, name):
    found = re.search(rf"^{name}:\n(?:[ #].*\n|\n)*", file, re.MULTILINE)
    if not found:
        raise Unclear(f"the file has no section `{name}` that lines can be added to")
    return found


def pasted(file, before, block):
    """The file after a block was pasted into it."""
    replaced, below = REPLACED.search(before), BELOW.search(before)
    if WHOLE.match(block.partition("\n")[0]):
        return block
    if block.startswith(" "):
        if not below:
            raise Unclear("the block is indented, and the paragraph before does not say below what it belongs")
        end = section(file, below[1]).end()
        return file[:end] + block + file[end:]
    if replaced:
        if not block.startswith(f"{replaced[1]}:"):
            raise Unclear(f"the block is not a section `{replaced[1]}`")
        file = re.sub(rf"^{replaced[1]}:.*\n(?:[ #].*\n|\n)*", "", file, flags=re.MULTILINE)
    return file + block


def refused(program, file):
    """What the program says of a file that it does not accept."""
    for pattern, value in HASHES:
        file = pattern.sub(value, file)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "password").write_text("secret")
        file = file.replace("/etc/cast2mqtt/password", f"{folder}/password")
        path = pathlib.Path(folder, "cast2mqtt.yaml")
        path.write_text(file)
        environment = {"HOME": folder, "PATH": "/usr/bin:/bin"}
        result = subprocess.run([program, "check-config", "--config", path], capture_output=True, text=True, env=environment)
    return (result.stdout + result.stderr).replace(f"{folder}/", "").strip() if result.returncode else None


def problems(root, program, name, page):
    """What a person meets who pastes the blocks of a page in their order."""
    file = (root / "config/debian/cast2mqtt.yaml").read_text()
    for line, before, block in blocks(page):
        if block.startswith(FOREIGN):
            continue
        try:
            after = pasted(file, before, block)
            problem = refused(program, after)
        except Unclear as unclear:
            problem = str(unclear)
        if problem:
            yield f"{name}:{line}: {problem}"
        else:
            file = after
    for one in of_text(name, page):
        if one.is_followed and goes_on(one):
            yield f"{one}\n    goes on, and another command of its block follows"


def check_the_checker(root, program):
    """Fails unless each kind of problem is found in a made-up page, and nothing in a correct one."""
    web = "```yaml\nweb:\n  listen: [\"127.0.0.1:8099\"]\n```\n"
    slots = "```yaml\n  page:\n    title: Ours\n```\n"
    instead = "This, in place of the section `web`:\n\n" + web
    right = [
        instead + "Add below `web`:\n\n" + slots + "Others:\n\n```yaml\nlog:\n  level: debug\n```\n",
        "The file:\n\n```yaml\n# cast2mqtt.yaml\nweb:\n  listen: []\n```\n", "```yaml\naction: mqtt.publish\n```\n",
        "```yaml\nmqtt:\n  host: a.lan\n```\nAdd below `mqtt`:\n\n```yaml\n  port: 1884\n```\n",
        "```sh\nmosquitto_sub -t a &\nmake demo\n```\n",
    ]
    for page in right:
        assert not list(problems(root, program, "page", page)), (page, list(problems(root, program, "page", page)))
    for page in [
        web, instead + web, "Now:\n\n" + slots, "Below `discovery`:\n\n" + slots, "Below `web`:\n\n" + slots.replace("title", "tilte"),
        "In place of the section `mqtt`:\n\n" + web, "```yaml\nservices: {}\n```\n",
        "```sh\nmake demo\nls\n```\n", "```sh\nmosquitto_sub -t a\nls\n```\n",
    ]:
        assert len(list(problems(root, program, "page", page))) == 1, (page, list(problems(root, program, "page", page)))
