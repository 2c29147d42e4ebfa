"""Finds the commands of the documents: the statements in their blocks of `sh` and `console`."""

import pathlib
import re
import subprocess
from dataclasses import dataclass, field

FENCE = re.compile(r"\s*```(\w*)")


@dataclass
class Statement:
    """One command of a document, as the shell takes it."""

    file: str
    line: int
    text: str
    # What the document shows below the command, in a block of `console`.
    output: list[str] = field(default_factory=list)
    # Whether another command of its block comes after it.
    is_followed: bool = False

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


def is_complete(text):
    return subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True).returncode == 0


def without_indent(lines):
    indent = min((len(line) - len(line.lstrip()) for _, line in lines if line.strip()), default=0)
    return [(number, line[indent:]) for number, line in lines]


def of_script(file, lines):
    """A statement may take several lines: a loop, or a line that ends with a backslash."""
    found, begun = [], None
    for number, line in lines:
        if begun is None:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            begun = Statement(file, number, line)
        else:
            begun.text += "\n" + line
        if not line.endswith("\\") and is_complete(begun.text):
            found.append(begun)
            begun = None
    if begun:
        raise SystemExit(f"{begun}: bash does not understand this")
    return found


def of_console(file, lines):
    found = []
    for number, line in lines:
        if line.startswith("$ "):
            found.append(Statement(file, number, line[2:]))
        elif found:
            found[-1].output.append(line)
    return found


def of_text(file, text):
    found, block, kind = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and kind is None:
            kind, block = fence[1], []
        elif fence:
            if kind == "sh":
                script = of_script(file, without_indent(block))
                for one in script[:-1]:
                    one.is_followed = True
                found += script
            elif kind == "console":
                found += of_console(file, without_indent(block))
            kind = None
        elif kind is not None:
            block.append((number, line))
    return found


def documents(root):
    """The documents of the repository: the name and the text of each."""
    files = subprocess.run(["git", "-C", root, "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split()
    return {file: (pathlib.Path(root) / file).read_text() for file in files}


def of_repository(root):
    return [statement for file, text in documents(root).items() for statement in of_text(file, text)]
