"""The table: figures of both programs, their ratio, and the bars the project has set itself."""

COLUMNS = ("Figure", "Devices", "C program", "cast2mqtt", "Ratio", "Bar", "")


def at_most(limit):
    return lambda value, floor: value <= limit


def times_floor(factor):
    return lambda value, floor: value <= factor * floor


# Name, unit, decimals, where the value is, and bars: which devices (None: any), its words, its test.
NONE_FIGURES = [
    ("Status to MQTT, median", "ms", 2, ("status_latency_ms", "median"), [(None, "≤ 1.2 × C", times_floor(1.2))]),
    ("Status to MQTT, p99", "ms", 2, ("status_latency_ms", "p99"), [(None, "≤ 5 ms", at_most(5))]),
    ("Command to device, median", "ms", 2, ("command_latency_ms", "median"), [(None, "≤ 1.2 × C", times_floor(1.2))]),
    ("Command to device, p99", "ms", 2, ("command_latency_ms", "p99"), [(None, "≤ 5 ms", at_most(5))]),
    ("All devices at once, last message, median", "ms", 1, ("burst_ms", "median"), [(100, "≤ 15 ms", at_most(15))]),
    ("CPU per status", "µs", 1, ("cpu_us_per_status",), [(100, "≤ 60 µs", at_most(60))]),
    ("CPU at rest", "% of a core", 3, ("rest", "cpu_percent"), [(100, "≤ 3 × C", times_floor(3))]),
    ("Wake-ups at rest", "/s", 1, ("rest", "wake_ups"), []),
    ("Resident memory", "MiB", 1, ("memory_kib", "resident"), [(100, "≤ 38 MiB", at_most(38))]),
    ("Anonymous memory", "MiB", 1, ("memory_kib", "anonymous"), [(100, "≤ 12 MiB", at_most(12))]),
    ("Start to all states, median", "s", 3, ("start_s", "median"), [(100, "≤ 0.4 s", at_most(0.4))]),
]
BASIC_FIGURES = [
    (name, unit, decimals, path, [(100, "≤ 110 µs", at_most(110))] if path == ("cpu_us_per_status",) else [])
    for name, unit, decimals, path, _ in NONE_FIGURES if path[0] in ("status_latency_ms", "burst_ms", "cpu_us_per_status", "rest")
]


def value_at(figures, path):
    value = figures
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value / 1024 if path[0] == "memory_kib" and value is not None else value


def rows(results, split, definitions):
    for name, unit, decimals, path, bars in definitions:
        for result in results:
            floor, bridge = (value_at(result[key], path) for key in (f"floor_{split}", f"cast2mqtt_{split}"))
            if bridge is None:
                continue
            bar, verdict = "", ""
            for devices, words, test in bars:
                if devices in (None, result["devices"]):
                    bar, verdict = words, "met" if test(bridge, floor) else "not met"
            ratio = f"{bridge / floor:.1f}" if floor else "–"
            numbers = [f"{number:.{decimals}f} {unit}" if number is not None else "–" for number in (floor, bridge)]
            yield (name, str(result["devices"]), *numbers, ratio, bar, verdict)


def messages(figures):
    caused = {change: len(topics) for change, topics in figures["messages"].items()}
    return f"messages that cast2mqtt sends for a pause: {caused['pause']}, for playing on: {caused['play']}; the C program: {caused['play']} each"


def table(lines):
    lines = [COLUMNS, *lines]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


def report(document):
    results = document["results"]
    parts = []
    for split, definitions in (("none", NONE_FIGURES), ("basic", BASIC_FIGURES)):
        parts.append(f"`status.split` `{split}`; {messages(results[0][f'cast2mqtt_{split}'])}\n")
        parts.append(table(rows(results, split, definitions)) + "\n")
    parts.append(f"{document['build']} build; status of {document['status_bytes']} bytes; load average {document['load_before']} before, "
                 f"{document['load_after']} after; {document['seconds']:.0f} s; {document['date']}")
    return "\n".join(parts)
