"""Renders the templates of announcements as Home Assistant does, and reports results that no state may have.

Reads from standard input a JSON array of {"name", "platform", "template", "payload", "device_class", "options"}, and perhaps "trigger" (its id),
"variables", "attributes" of any entity that the template asks, when that was "updated" (then now() fails unless "now" is given), and the "result" that is wanted; prints one line for each problem. Jinja is Home Assistant's own template language; an undefined name is an error here, while there it is a warning in the log.
"""

import datetime
import json
import sys

import jinja2

ENVIRONMENT = jinja2.Environment(undefined=jinja2.StrictUndefined)
# What Home Assistant adds to Jinja, as far as our templates use it.
ENVIRONMENT.globals["as_datetime"] = lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
ENVIRONMENT.filters["to_json"] = json.dumps


class States:
    """Every entity, as it was updated at one time."""

    def __init__(self, updated):
        self.last_updated = updated

    def __getitem__(self, entity):
        return self


def clock(case):
    """The time of the last update, and now()."""
    as_datetime = ENVIRONMENT.globals["as_datetime"]
    if "updated" not in case:
        present = datetime.datetime.now(datetime.timezone.utc)
        return present, lambda: present

    def now():
        if "now" not in case:
            raise ValueError("asks for the time, which renders it each minute")
        return as_datetime(case["now"])

    return as_datetime(case["updated"]), now


def render(case):
    try:
        value_json = json.loads(case["payload"])
    except ValueError:
        value_json = None
    template = ENVIRONMENT.from_string(case["template"])
    attributes = case.get("attributes") or {}
    context = {"value": case["payload"], "value_json": value_json, **(case.get("variables") or {})}
    if "trigger" in case:
        context["trigger"] = {"id": case["trigger"], "payload": case["payload"]} | ({} if value_json is None else {"payload_json": value_json})
        context["this"] = {"state": attributes.get("state"), "attributes": attributes}
    updated, now = clock(case)
    # Home Assistant takes the blanks around a result away.
    return template.render(
        context, now=now, states=States(updated), state_attr=lambda entity, name: attributes.get(name),
        is_state_attr=lambda entity, name, wanted: attributes.get(name) == wanted).strip()


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def media_player_problem(key, state):
    """The rules of the template media player; None is nothing."""
    if state == "None":
        return None
    if key == "state":
        return None if state in ("off", "on", "idle", "playing", "paused", "buffering") else "no state of a media player"
    if key in ("availability", "is_volume_muted", "shuffle"):
        return None if state in ("True", "False") else "no boolean"
    if key == "repeat":
        return None if state in ("off", "one", "all") else "no repeat mode"
    if key == "volume_level":
        return None if is_number(state) and 0 <= float(state) <= 1 else "no level"
    if key in ("media_duration", "media_position"):
        return None if is_number(state) and float(state) >= 0 else "no time"
    return None


def problem(case, state):
    """Why the state is none for this platform, or nothing."""
    platform, device_class, options = case["platform"], case["device_class"], case["options"]
    if platform.startswith("media_player."):
        return media_player_problem(platform.removeprefix("media_player."), state)
    if len(state) > 255:
        return "longer than 255 characters"
    if platform == "device_automation":
        return None
    if platform == "image":
        return None if state.startswith(("http://", "https://")) else "no web address"
    if platform in ("binary_sensor", "switch"):
        return None if state in ("ON", "OFF", "None") else "neither ON, OFF nor None"
    if options is not None:
        return None if state in options or state == "None" else "none of the options"
    if platform == "number" or device_class == "duration":
        return None if state == "None" or is_number(state) else "no number"
    if device_class == "timestamp":
        if state == "None":
            return None
        return None if datetime.datetime.fromisoformat(state.replace("Z", "+00:00")).tzinfo else "a time without zone"
    return None if state else "empty"


for case in json.load(sys.stdin):
    try:
        state = render(case)
        wanted = case.get("result")
        found = problem(case, state) if wanted is None else None if state == wanted else f"not {wanted!r}"
        if found:
            print(f"{case['name']}: {found}: {state!r}")
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        print(f"{case['name']}: {error!r} in {case['template']}")
print("rendered")
