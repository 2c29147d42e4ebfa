"""Installs a release of Home Assistant that is written for Python 3.14 into an environment of Python 3.13, where its wheel was downloaded.

Rewrites what older versions can't read: `except` without brackets, and annotations that are evaluated when somebody asks for them. Requirements
that are for 3.14 only are taken in the newest version that is not. Installs a file of further requirements when it is named.
"""

import ast
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

WITHOUT_BRACKETS = re.compile(r"^(\s*except\*? )((?:[\w.]+, )+[\w.]+):", re.MULTILINE)
VERSION = re.compile(r"^(REQUIRED_\w*PYTHON_VER\b.*=) \(3, 14, \d+\)", re.MULTILINE)
FUTURE = "from __future__ import annotations"
UNFIT = re.compile(r"([\w.-]+)==\S+ depends on Python|there is no version of ([\w.-]+)==")


def rewritten(text: str) -> str:
    text = WITHOUT_BRACKETS.sub(r"\1(\2):", text)
    text = VERSION.sub(r"\1 (3, 13, 0)", text).replace("inspect.signature(func, annotation_format=Format.FORWARDREF)", "inspect.signature(func)")
    if re.search(f"^{FUTURE}", text, re.MULTILINE):
        return text
    lines = text.splitlines(keepends=True)
    body = ast.parse(text).body
    after = 0
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
        after = body[0].end_lineno or 0
    return "".join([*lines[:after], "\n" * bool(after), f"{FUTURE}\n", *lines[after:]])


def unpack(environment: pathlib.Path, site: pathlib.Path) -> list[str]:
    """Puts the release in its place, and returns what it requires."""
    wheel = next((environment / "download").glob("homeassistant-*.whl"))
    zipfile.ZipFile(wheel).extractall(site)
    for path in (site / "homeassistant").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if (changed := rewritten(text)) != text:
            path.write_text(changed, encoding="utf-8")
    shutil.copy(pathlib.Path(__file__).with_name("annotationlib_for_3_13.py"), site / "annotationlib.py")
    program = environment / "bin" / "hass"
    program.write_text(
        f"#!{environment.resolve()}/bin/python\nimport sys\nfrom homeassistant.__main__ import main\nsys.exit(main())\n")
    program.chmod(0o755)
    metadata = next(site.glob("homeassistant-*.dist-info")) / "METADATA"
    return [line.removeprefix("Requires-Dist: ") for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist: ")]


def install(environment: pathlib.Path, wanted: list[str]) -> None:
    """Installs requirements; those that are for a newer Python lose their version, one after the other."""
    constraints = environment / "download" / "constraints.txt"
    for _ in range(30):
        requirements = environment / "download" / "requirements.txt"
        requirements.write_text("\n".join(wanted) + "\n")
        result = subprocess.run(
            [environment / "bin" / "uv", "pip", "install", "--quiet", "--python", environment / "bin" / "python", "--constraint", constraints,
             "--requirement", requirements], capture_output=True, text=True, check=False)
        if result.returncode == 0:
            return
        unfit = {plain(name) for names in UNFIT.findall(result.stderr) for name in names if name}
        if not unfit:
            sys.exit(result.stderr)
        print("older_python: without a version:", *sorted(unfit), file=sys.stderr)
        wanted = [name_of(line) if plain(name_of(line)) in unfit else line for line in wanted]
        kept = [line for line in constraints.read_text().splitlines() if plain(name_of(line)) not in unfit]
        constraints.write_text("\n".join(kept) + "\n")
    sys.exit("older_python: too many requirements do not fit")


def name_of(requirement: str) -> str:
    return re.match(r"[\w.-]*", requirement.strip()).group()


def plain(name: str) -> str:
    return name.lower().replace("_", "-")


def main() -> None:
    environment = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        install(environment, [line for line in pathlib.Path(sys.argv[2]).read_text().splitlines() if line])
    else:
        install(environment, unpack(environment, pathlib.Path(sysconfig.get_path("purelib"))))


main()
