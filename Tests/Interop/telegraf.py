"""Applies the inputs of a Telegraf configuration to recorded MQTT messages, as Telegraf's documentation says: mqtt_consumer with the parsers
json_v2 (fields and tags) and value, and topic_parsing. An option that is not known here ends the program, so that a configuration can't use what this does
not read.

    telegraf.py CONFIGURATION MESSAGES

MESSAGES has a JSON object {"topic","payload"} on each line; a metric of each is printed the same way.
"""

import datetime
import json
import sys
import tomllib

CONSUMER = {"servers", "topics", "username", "password", "topic_tag", "data_format", "data_type", "name_override", "topic_parsing", "json_v2"}
PARSER = {"measurement_name", "timestamp_path", "timestamp_format", "field", "tag"}
MEMBER = {"path", "rename", "type", "optional"}
LAYOUT = "2006-01-02T15:04:05Z07:00"  # RFC 3339 as Go writes it; fractions of a second are read all the same


def only(options, known):
    if unknown := set(options) - known:
        sys.exit(f"options that this program does not know: {sorted(unknown)}")


def matches(topic_filter, topic):
    wanted, levels = topic_filter.split("/"), topic.split("/")
    return len(wanted) == len(levels) and all(one in ("+", level) for one, level in zip(wanted, levels))


def look(document, path):
    """The value at a path, and whether there is one."""
    for key in path.split("."):
        if not isinstance(document, dict) or key not in document:
            return None, False
        document = document[key]
    return document, True


def convert(value, kind):
    match kind:
        case "int" if isinstance(value, (int, float)) and not isinstance(value, bool):
            return int(value)
        case "float" if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        case "string":
            return str(value)
    sys.exit(f"{value!r} can't be made {kind}")


def members(document, wanted):
    for option in wanted:
        only(option, MEMBER)
        value, is_there = look(document, option["path"])
        if not is_there and not option.get("optional"):
            sys.exit(f"nothing at {option['path']}: {document}")
        if value is not None:
            yield option.get("rename") or option["path"].split(".")[-1], convert(value, option.get("type", "string"))


def metric(consumer, topic, payload):
    only(consumer, CONSUMER)
    made = {"measurement": consumer.get("name_override", "mqtt_consumer"), "tags": {}, "fields": {}, "time": None}
    for parsing in consumer.get("topic_parsing", []):
        only(parsing, {"topic", "tags"})
        if matches(parsing["topic"], topic):
            made["tags"] |= {name: level for name, level in zip(parsing["tags"].split("/"), topic.split("/")) if name != "_"}
    if consumer["data_format"] == "value":
        made["fields"]["value"] = {"integer": int, "string": str}[consumer["data_type"]](payload)
        return made
    (parser,) = consumer["json_v2"]
    only(parser, PARSER)
    document = json.loads(payload)
    made["measurement"] = parser["measurement_name"]
    if parser["timestamp_format"] != LAYOUT:
        sys.exit(f"not the layout of our times: {parser['timestamp_format']}")
    time, _ = look(document, parser["timestamp_path"])
    made["time"] = datetime.datetime.fromisoformat(time).isoformat()
    made["fields"] = dict(members(document, parser.get("field", [])))
    made["tags"] |= dict(members(document, parser.get("tag", [])))
    return made


with open(sys.argv[1], "rb") as file:
    configuration = tomllib.load(file)
only(configuration, {"inputs"})
only(configuration["inputs"], {"mqtt_consumer"})
with open(sys.argv[2], encoding="utf-8") as lines:
    for line in lines:
        message = json.loads(line)
        for consumer in configuration["inputs"]["mqtt_consumer"]:
            if any(matches(topic_filter, message["topic"]) for topic_filter in consumer["topics"]):
                print(json.dumps(metric(consumer, message["topic"], message["payload"])))
