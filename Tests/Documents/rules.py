"""How each command of the documents is treated."""

import enum
import re
from dataclasses import dataclass


class Kind(enum.Enum):
    RUN = "were run"
    CHECKED = "were checked: their targets, scripts and options exist"
    LEFT = "were left out"


@dataclass
class Rule:
    pattern: str
    kind: Kind = Kind.RUN
    # Why it is left out.
    reason: str = ""
    # Goes on until it is ended, and must print something before unless it is quiet.
    streams: bool = False
    is_quiet: bool = False
    # Goes on until the end of its document.
    stays: bool = False
    codes: tuple = (0,)
    # What is typed into it.
    typed: str = ""
    # Must be in its output.
    prints: str = ""
    # Must not be in its output.
    never: str = ""
    # The file that it writes in place of an output, while a device and the bridge have events.
    writes: str = ""
    needs_root: bool = False
    needs_queue: bool = False
    # Where it runs; by default where the document's last command left off.
    folder: str = ""


# The first that matches counts.
RULES = [
    Rule(r"git pull|COMMIT=\$\(git", Kind.LEFT, "updates a clone from where it came"),
    Rule(r"openssl s_client .*:8099", Kind.LEFT, "needs a listener with TLS; WebServerTests has one"),
    Rule(r"sudo ufw ", Kind.LEFT, "changes the machine's firewall"),
    Rule(r"prometheus-mqtt-exporter", Kind.LEFT, "needs the package; make test-brokers runs it with these files"),
    Rule(r"wget ADDRESS/", Kind.LEFT, "takes a file of a release; DocumentTests and scripts/test-home-assistant use the folder"),
    Rule(r"curl -X (POST|DELETE) .*/settings/tokens", Kind.LEFT, "the documents' bridge has its token in its file; CredentialTests has them"),
    Rule(r"swift run ", Kind.LEFT, "builds a package for minutes; ExampleTests runs the example"),
    Rule(r"make |scripts/|CI=1 scripts/", Kind.CHECKED),
    Rule(r"(docker .* bridge|cast2mqtt) hash-password", typed="a good password\na good password\n", prints="scrypt:"),
    Rule(r"export CAST2MQTT_WEB_PASSWORDS_ADMIN=", typed="a good password\na good password\n"),
    # The page of the documents' bridge has passwords.
    Rule(r".*cast2mqtt setup-code", codes=(0, 1)),
    Rule(r"python3 -m http\.server", streams=True, is_quiet=True),
    Rule(r"cast2mqtt check http", codes=(0, 1), prints="http"),
    Rule(r"for user in .*mosquitto_passwd", typed="secret\n" * 10, needs_root=True),
    Rule(r"python3(\.\d+)? -m venv|\.venv/bin/python -m pip|cast-simulator run .*(pytest|-- \S*hass)", Kind.LEFT, "installs from PyPI; recipes.py runs it"),
    Rule(r"cast-simulator run ", prints="10.98.0.2:8009"),
    Rule(r"cast-simulator ", streams=True, stays=True),
    Rule(r"mosquitto_rr .* > snapshot.json"),
    Rule(r".*\bmosquitto_rr ", prints='"code":"done"|"code":"accepted"'),
    Rule(r".*>> cast-history.log", streams=True, writes="cast-history.log", prints="cast2mqtt/living-room/event ", never="cast2mqtt/bridge/event "),
    Rule(r"mosquitto_sub -t 'cast2mqtt/bridge/response/#'", streams=True, is_quiet=True),
    Rule(r"mosquitto_sub .* 'cast/\+/", Kind.LEFT, "needs several bridges; scripts/test-fleets has them"),
    # 27 is the end of -W.
    Rule(r"mosquitto_sub .* --retained-only", codes=(0, 27), prints="cast2mqtt/"),
    Rule(r"(docker .* )?mosquitto_sub (?!.* -[CW] )", streams=True),
    Rule(r"curl -N", streams=True),
    Rule(r"curl .*/artwork/", needs_queue=True),
    Rule(r"install -m \d+ (-g cast2mqtt )?(ca\.crt|bridge\.key)", needs_root=True, folder="~/certificates"),
    Rule(r"(sudo )?(install|chown|useradd|usermod)|sudo -u|docker .*exec bridge", needs_root=True),
    Rule(r""),
]

# Beside those that stream: they are only checked, or their stand-ins end at once.
GOES_ON = re.compile(r"make (run|demo)\b|journalctl .*-f\b|docker compose .* (logs .*--follow|up (?!.*--detach))|prometheus-mqtt-exporter ")


def goes_on(statement):
    """Whether a command keeps its terminal until a person ends it."""
    text = re.split(r"\s+#", statement.text)[0]
    return not text.endswith("&") and bool(rule_for(statement).streams or GOES_ON.search(text))


def rule_for(statement):
    return next(rule for rule in RULES if re.match(rule.pattern, statement.text, re.DOTALL))
