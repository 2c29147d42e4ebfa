"""The tables: figures of what is compared, their ratio, and the bars the project has set itself."""

import scale

LIBRARY_COLUMNS = ("Figure", "Sessions", "pychromecast", "CastSender", "Ratio")

# Who is measured: the key of its figures, and the column of the table. Figures of `script` do not depend on `status.split`.
SUBJECTS = [("floor", "C program"), ("script", "pychromecast"), ("peer", "Other build"), ("cast2mqtt", "cast2mqtt")]


def at_most(limit):
    return lambda value, others: value <= limit


def times(subject, factor, allows_equal=True):
    """At most (or below) so many times another subject's figure; undecided without it."""
    def test(value, others):
        other = others.get(subject)
        if other is None:
            return None
        return value <= factor * other if allows_equal else value < factor * other
    return test


# A bar: which devices (None: 1, 10 and 100), its words, its test.
LATENCY_BARS = [(None, "≤ 1.3 × C", times("floor", 1.3)), (None, "< pychromecast", times("script", 1, False))]
BURST_BARS = [(100, "≤ 1.7 × C", times("floor", 1.7)), (100, "< pychromecast", times("script", 1, False))]
CPU_BARS = [(100, "≤ 2 × C", times("floor", 2))]
P99_BARS = [(None, "≤ 5 ms", at_most(5))]


def rest_bars(factor):
    return [(devices, f"≤ {factor} × C", times("floor", factor)) for devices in (100, 1000)]


# Name, unit, decimals, where the value is, and bars.
NONE_FIGURES = [
    ("Pause or resume to MQTT, median", "ms", 2, ("playback", "status_latency_ms", "median"), LATENCY_BARS),
    ("Pause or resume to MQTT, p99", "ms", 2, ("playback", "status_latency_ms", "p99"), P99_BARS),
    ("New item to MQTT, median", "ms", 2, ("item", "status_latency_ms", "median"), LATENCY_BARS),
    ("New item to MQTT, p99", "ms", 2, ("item", "status_latency_ms", "p99"), P99_BARS),
    ("Command to device, median", "ms", 2, ("command_latency_ms", "median"), LATENCY_BARS[1:]),
    ("Command to device, p99", "ms", 2, ("command_latency_ms", "p99"), P99_BARS),
    ("All devices at once, pause or resume, last message, median", "ms", 1, ("playback", "burst_ms", "median"), []),
    ("All devices at once, new item, last message, median", "ms", 1, ("item", "burst_ms", "median"), BURST_BARS),
    ("CPU per status, pause or resume", "µs", 1, ("playback", "cpu_us_per_status"), CPU_BARS),
    ("CPU per status, new item", "µs", 1, ("item", "cpu_us_per_status"), []),
    ("CPU at rest", "% of a core", 3, ("rest", "cpu_percent"), rest_bars(1.5)),
    ("Wake-ups at rest", "/s", 1, ("rest", "wake_ups"), []),
    ("Resident memory", "MiB", 1, ("memory_kib", "resident"), [(100, "≤ 35 MiB", at_most(35)), (500, "≤ 60 MiB", at_most(60))]),
    ("Anonymous memory", "MiB", 1, ("memory_kib", "anonymous"), [(100, "≤ 10 MiB", at_most(10)), (500, "≤ 36 MiB", at_most(36))]),
    ("Start to all states, median", "s", 3, ("start_s", "median"), [(100, "≤ 0.4 s", at_most(0.4))]),
    ("First start, devices found by mDNS", "s", 3, ("discovery_start_s",), [(1000, "≤ 2.5 s", at_most(2.5))]),
    ("Versions of the state file", "", 0, ("state_versions",), []),
    ("Versions of the state file in the first minute, new devices", "", 0, ("new_devices", "state_versions"), [(500, "≤ 12", at_most(12))]),
    ("Versions of the state file in the first minute, known devices", "", 0, ("known_devices", "state_versions"), [(500, "≤ 3", at_most(3))]),
    ("CPU in the second minute, new ÷ known devices", "", 2, ("cpu_new_to_known",), [(500, "≤ 1.1", at_most(1.1))]),
]
BASIC_BARS = {
    ("item", "burst_ms", "median"): [(100, "≤ 1.2 × C", times("floor", 1.2)), *BURST_BARS[1:]], ("item", "cpu_us_per_status"): CPU_BARS,
    ("rest", "cpu_percent"): rest_bars(2.5),
}
BASIC_FIGURES = [
    (name, unit, decimals, path, BASIC_BARS.get(path, [])) for name, unit, decimals, path, _ in NONE_FIGURES if path[0] in ("playback", "item", "rest")
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

WEB_COLUMNS = ("Figure", "Reference", "With the page", "Ratio", "More", "Bar", "")


def more(limit):
    return lambda value, reference: value - reference <= limit


def ratio(limit):
    return lambda value, reference: value <= limit * reference


# Name, unit, decimals, where reference and value are, and the bar with its test. A reference that is `None` has no place.
WEB_FIGURES = [
    *((f"CPU per status, {words}, {pages} open pages", "µs", 1, ("cpu_us_per_status", "on", kind), ("cpu_us_per_status", str(pages), kind),
       f"≤ {limit} × no reader", ratio(limit))
      for kind, words in (("playback", "pause or resume"), ("item", "new item")) for pages, limit in ((10, 1.5), (100, 4))),
    *((f"CPU per status, {words}, page on, no reader", "µs", 1, ("cpu_us_per_status", "off", kind), ("cpu_us_per_status", "on", kind), None, None)
      for kind, words in (("playback", "pause or resume"), ("item", "new item"))),
    *((f"{words} memory, page on, no reader", "MiB", 1, ("memory_kib", "off", key), ("memory_kib", "on", key), "≤ 3 MiB more", more(3))
      for key, words in (("resident", "Resident"), ("anonymous", "Anonymous"))),
    ("Anonymous memory, a minute after 100 pages", "MiB", 1, ("memory_kib", "off", "anonymous"), ("memory_kib", "left", "anonymous"), None, None),
    ("First paint, median", "ms", 0, ("browser", "paint_ms", "static", "first"), ("browser", "paint_ms", "bridge", "first"), "≤ 1.5 × static", ratio(1.5)),
    ("First content, median", "ms", 0, ("browser", "paint_ms", "static", "content"), ("browser", "paint_ms", "bridge", "content"), None, None),
    ("All devices on the page, median", "ms", 0, ("browser", "paint_ms", "static", "devices"), ("browser", "paint_ms", "bridge", "devices"), None, None),
    ("New item to MQTT, and to the page, median", "ms", 1, ("browser", "latency_ms", "broker", "median"), ("browser", "latency_ms", "page", "median"),
     "≤ 30 ms more", more(30)),
    ("Script time of an open page and its worker", "% of a core", 2, None, ("browser", "stay", "script_percent"), "≤ 2 %", lambda value, _: value <= 2),
    ("JS heap at the start, and at the end", "MiB", 2, ("browser", "stay", "heap_kib", 0), ("browser", "stay", "heap_kib", -1), "flat: ≤ 1.05 ×", ratio(1.05)),
]


def value_at(figures, path):
    value = figures
    for key in path:
        value = value.get(key) if isinstance(value, dict) else value[key] if isinstance(value, list) else None
    return value / 1024 if value is not None and ("memory_kib" in path or "heap_kib" in path) else value


def figures_of(result, split):
    """The figures of each subject with this `status.split`, by its key."""
    keys = {subject: "script" if subject == "script" else f"{subject}_{split}" for subject, _ in SUBJECTS}
    return {subject: result[key] for subject, key in keys.items() if key in result}


def measured_subjects(results, split):
    """Key and column of those that were measured with any fleet; cast2mqtt is the last one."""
    return [(subject, column) for subject, column in SUBJECTS if any(subject in figures_of(result, split) for result in results)]


def columns(subjects):
    return ("Figure", "Devices", *(column for _, column in subjects), *(f"÷ {column}" for _, column in subjects[:-1]), "Bar", "")


def rows(results, split, definitions):
    subjects = [subject for subject, _ in measured_subjects(results, split)]
    for name, unit, decimals, path, bars in definitions:
        for result in results:
            values = {subject: value_at(figures, path) for subject, figures in figures_of(result, split).items()}
            bridge = values.get("cast2mqtt")
            if bridge is None:
                continue
            own = [(words, test(bridge, values)) for devices, words, test in bars
                   if devices == result["devices"] or (devices is None and result["devices"] <= 100)]
            decided = [(words, is_met) for words, is_met in own if is_met is not None]
            bar = ", ".join(words for words, _ in decided)
            verdict = "" if not decided else "met" if all(is_met for _, is_met in decided) else "not met"
            numbers = [f"{values[subject]:.{decimals}f} {unit}".strip() if values.get(subject) is not None else "–" for subject in subjects]
            ratios = [f"{bridge / values[subject]:.2f}" if values.get(subject) else "–" for subject in subjects[:-1]]
            yield (name, str(result["devices"]), *numbers, *ratios, bar, verdict)


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


def web_rows(web):
    for name, unit, decimals, reference_path, path, bar, test in WEB_FIGURES:
        value = value_at(web, path)
        if value is None:
            continue
        reference = value_at(web, reference_path) if reference_path else None
        numbers = [f"{number:.{decimals}f} {unit}" if number is not None else "" for number in (reference, value)]
        ratio_and_more = (f"{value / reference:.2f}", f"{value - reference:+.{decimals}f} {unit}") if reference else ("", "")
        yield (name, *numbers, *ratio_and_more, bar or "", "" if test is None else "met" if test(value, reference) else "not met")


def messages(figures):
    caused = {change: len(topics) for change, topics in figures["messages"].items()}
    return (f"messages that cast2mqtt sends for a pause: {caused['pause']}, for playing on: {caused['play']}, for a new item: {caused['item']}; "
            f"the C program: {caused['play']} and {caused['item']}")


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
            parts.append(table(columns(measured_subjects(results, split)), rows(results, split, definitions)) + "\n")
    if traffic := document.get("traffic"):
        parts.append("What one device costs the broker\n")
        parts.append(table(TRAFFIC_COLUMNS, traffic_rows(traffic)) + "\n")
    if web := document.get("web"):
        parts.append(f"The web page, {web['devices']} devices, `status.split` `none`, {web['statuses']} statuses of each kind\n")
        parts.append(table(WEB_COLUMNS, web_rows(web)) + "\n")
    if curves := document.get("scale"):
        parts.append(table(scale.columns(curves), scale.rows(curves)) + "\n")
    if library := document.get("library"):
        parts.append(f"The library beside pychromecast, {library['requests']} requests\n")
        parts.append(table(LIBRARY_COLUMNS, library_rows(library)) + "\n")
    status = f"status of {document['status_bytes']} bytes; " if "status_bytes" in document else ""
    parts.append(f"{document['build']} build; {status}load average {document['load_before']} before, {document['load_after']} after; "
                 f"{document['seconds']:.0f} s; {document['date']}")
    return "\n".join(parts)
