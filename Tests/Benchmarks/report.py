"""The tables: figures of what is compared, their ratio, and the bars the project has set itself."""

COLUMNS = ("Figure", "Devices", "C program", "cast2mqtt", "Ratio", "Bar", "")
LIBRARY_COLUMNS = ("Figure", "Sessions", "pychromecast", "CastSender", "Ratio")


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
    ("Resident memory", "MiB", 1, ("memory_kib", "resident"), [(100, "≤ 38 MiB", at_most(38)), (500, "≤ 55 MiB", at_most(55))]),
    ("Anonymous memory", "MiB", 1, ("memory_kib", "anonymous"), [(100, "≤ 12 MiB", at_most(12)), (500, "≤ 28 MiB", at_most(28))]),
    ("Start to all states, median", "s", 3, ("start_s", "median"), [(100, "≤ 0.4 s", at_most(0.4))]),
]
BASIC_FIGURES = [
    (name, unit, decimals, path, [(100, "≤ 110 µs", at_most(110))] if path == ("cpu_us_per_status",) else [])
    for name, unit, decimals, path, _ in NONE_FIGURES if path[0] in ("status_latency_ms", "burst_ms", "cpu_us_per_status", "rest")
]

# Name, how many sessions there are (None: all), unit, decimals, where the value is.
LIBRARY_FIGURES = [
    ("Resident memory of the process", 0, "KiB", 0, ("memory_kib", "none", "resident")),
    ("Resident memory of the process", None, "KiB", 0, ("memory_kib", "all", "resident")),
    ("Memory per idle session, resident", None, "KiB", 1, ("memory_kib", "per_session", "resident")),
    ("Memory per idle session, anonymous", None, "KiB", 1, ("memory_kib", "per_session", "anonymous")),
    ("Round trip of a request, median", None, "ms", 3, ("round_trip_ms", "median")),
    ("Round trip of a request, p99", None, "ms", 3, ("round_trip_ms", "p99")),
    ("CPU per request", None, "µs", 1, ("cpu_us_per_request",)),
]

TRAFFIC_COLUMNS = ("Figure", "`none`", "`basic`")
TRAFFIC_FIGURES = [
    ("Retained messages from the load of a track to its end", "retained_messages"),
    ("Documents among them", "documents"),
    ("Topics held while it plays", "topics_held"),
    ("Bytes held, topics and payloads", "bytes_held"),
    ("Bytes of its announcement to Home Assistant", "announcement_bytes"),
]


def value_at(figures, path):
    value = figures
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value / 1024 if path[0] == "memory_kib" and value is not None else value


def rows(results, split, definitions):
    for name, unit, decimals, path, bars in definitions:
        for result in results:
            floor, bridge = (value_at(result.get(key), path) for key in (f"floor_{split}", f"cast2mqtt_{split}"))
            if bridge is None:
                continue
            bar, verdict = "", ""
            for devices, words, test in bars:
                if devices in (None, result["devices"]):
                    bar, verdict = words, "met" if test(bridge, floor) else "not met"
            ratio = f"{bridge / floor:.1f}" if floor else "–"
            numbers = [f"{number:.{decimals}f} {unit}" if number is not None else "–" for number in (floor, bridge)]
            yield (name, str(result["devices"]), *numbers, ratio, bar, verdict)


def library_rows(library):
    for name, sessions, unit, decimals, path in LIBRARY_FIGURES:
        values = []
        for subject in ("pychromecast", "CastSender"):
            value = library[subject]
            for key in path:
                value = value and value[key]
            values.append(value)
        other, own = values
        numbers = [f"{number:.{decimals}f} {unit}" if number is not None else "–" for number in values]
        yield (name, str(library["sessions"] if sessions is None else sessions), *numbers, f"{own / other:.2f}" if other else "–")


def traffic_rows(traffic):
    for name, key in TRAFFIC_FIGURES:
        yield (name, *(str(traffic[split][key]) for split in ("none", "basic")))


def messages(figures):
    caused = {change: len(topics) for change, topics in figures["messages"].items()}
    return f"messages that cast2mqtt sends for a pause: {caused['pause']}, for playing on: {caused['play']}; the C program: {caused['play']} each"


def table(columns, lines):
    lines = [columns, *lines]
    widths = [max(len(line[column]) for line in lines) for column in range(len(columns))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


def report(document):
    parts = []
    if results := document.get("results"):
        for split, definitions in (("none", NONE_FIGURES), ("basic", BASIC_FIGURES)):
            if f"cast2mqtt_{split}" not in results[0]:
                continue
            parts.append(f"`status.split` `{split}`; {messages(results[0][f'cast2mqtt_{split}'])}\n")
            parts.append(table(COLUMNS, rows(results, split, definitions)) + "\n")
    if traffic := document.get("traffic"):
        parts.append("What one device costs the broker\n")
        parts.append(table(TRAFFIC_COLUMNS, traffic_rows(traffic)) + "\n")
    if library := document.get("library"):
        parts.append(f"The library beside pychromecast, {library['requests']} requests\n")
        parts.append(table(LIBRARY_COLUMNS, library_rows(library)) + "\n")
    status = f"status of {document['status_bytes']} bytes; " if "status_bytes" in document else ""
    parts.append(f"{document['build']} build; {status}load average {document['load_before']} before, {document['load_after']} after; "
                 f"{document['seconds']:.0f} s; {document['date']}")
    return "\n".join(parts)
