"""How the costs of one bridge grow with its fleet: curves beside the comparison program in C, their exponents, and a picture of them."""

import math
import os
import sys
import time

from measure import ITEM, VOLUME, Run, spread
from processes import AnsweringProcess, Broker, Failure, Probe, Simulator, free_port
from subjects import Bridge, Floor, sizes
from web import web_bridge

FLEETS = (100, 500, 1000, 2000)
QUICK_FLEETS = (5, 10)
# The seconds that a network break lasts: the bridge has noticed, and waits for the devices.
BREAK_SECONDS = 20

# Name, unit, where the value is, where that of the C program is, the largest ratio to it, and whether the curve has an exponent to meet.
FIGURES = [
    ("Start, known devices", "s", ("known_start_s",), ("start_s",), 2.5, True),
    ("First start, found by mDNS", "s", ("first_start_s",), ("start_s",), None, True),
    ("Burst of new items", "ms", ("item", "burst_ms", "median"), ("item", "burst_ms", "median"), 2.5, True),
    ("CPU of a new item", "µs", ("item", "cpu_us_per_status"), ("item", "cpu_us_per_status"), None, False),
    ("CPU at rest", "% of a core", ("rest", "cpu_percent"), ("rest", "cpu_percent"), 2.5, True),
    ("Resident memory", "MiB", ("memory_kib", "resident"), ("memory_kib", "resident"), None, True),
    ("Anonymous memory", "MiB", ("memory_kib", "anonymous"), ("memory_kib", "anonymous"), None, True),
    ("Writes of the state file in 30 s, new devices", "", ("new_versions",), None, None, True),
    ("Writes of the state file in 30 s, known devices", "", ("known_versions",), None, None, True),
    ("All devices back after a break", "s", ("reconnect_s",), ("start_s",), None, True),
    ("Broker back with an empty store", "s", ("broker_s",), ("start_s",), None, True),
    ("Page with all devices", "ms", ("page", "bridge", "devices"), ("page", "static", "devices"), None, True),
]
EXPONENT_BAR = 1.1
# KiB that each device may take, from the smallest fleet to the largest.
MEMORY_BAR = 90


def curve(count, tools, address_base, directory, is_quick):
    """The figures of cast2mqtt and of the C program with a fleet of this size."""
    print(f"{count} devices", file=sys.stderr)
    fleet = Simulator(tools["cast-simulator"], count, address_base, directory, hides_queue=True)
    names = [device["name"] for device in fleet.ask({"do": "list"})["devices"]]
    rest, times = (3, 1) if is_quick else (20, 3)
    statuses = count * (2 if is_quick else 6)
    try:
        bridge = Bridge(tools["cast2mqtt"], "basic", directory)
        run = Run(bridge, fleet, names, tools["probe"], directory)
        own = {"first_start_s": run.start()}
        run.wait(5 if is_quick else 30)
        own["new_versions"] = bridge.state_versions()
        run.stop()
        own["known_start_s"] = spread(run.starts(times))["median"]
        run.wait(5 if is_quick else 30)
        own["known_versions"] = bridge.state_versions()
        run.learn()
        own |= measured(run, statuses, rest)
        own["broker_s"] = broker_back(run)
        own["reconnect_s"] = reconnect(run)
        run.stop()
        result = {"devices": count, "cast2mqtt": own, "floor": {}}
        fleet.play_again()
        floor = Floor(tools["floor"], "C program", sizes(run.messages[VOLUME].values()), sizes(run.messages[ITEM].values()), fleet.addresses, directory)
        reference = Run(floor, fleet, names, tools["probe"], directory, ("item",))
        least = result["floor"]
        try:
            least["start_s"] = spread(reference.starts(times))["median"]
            reference.learn()
            least |= measured(reference, statuses, rest)
        except Failure as failure:
            # It gives up for reasons that a bridge may not have: one device that reads late ends it.
            print(f"{count} devices: nothing more is measured of the C program: {failure}", file=sys.stderr)
        reference.stop()
        if page := painted(tools, fleet, names, directory, is_quick):
            own["page"] = least["page"] = page
        return result
    finally:
        fleet.end()


def measured(run, statuses, seconds):
    times, cpu = run.bursts("item", statuses)
    run.fleet.play_again()
    run.probe.drain(1)
    return {
        "item": {"burst_ms": spread(times), "cpu_us_per_status": cpu}, "rest": run.rest(seconds), "memory_kib": run.subject.process.memory_kib()}


def until_all(run, what, fits, began):
    """Seconds from a time until a message that fits has come of every device."""
    missing = set(range(run.count))

    def completes(message):
        if fits(message):
            missing.discard(run.subject.device_of(message))
        return not missing

    try:
        return run.probe.until(what, completes, run.subject.process).t_ns / 1e9 - began
    except Failure as failure:
        raise Failure(f"{failure}\n{len(missing)} devices are missing") from None


def broker_back(run):
    """The broker is killed and listens again, with an empty store; seconds from then until the playing state of every device is there."""
    run.broker.child.kill()
    run.broker.end()
    run.probe.end()
    time.sleep(3)
    run.broker = Broker(run.directory, run.broker.port)
    began = time.monotonic()
    run.probe = Probe(run.probe_program, run.broker, run.subject.mark, run.directory)
    return until_all(run, "the state of all devices after the broker's return", lambda message: message.marked, began)


def reconnect(run):
    """All devices lose their power for a while; seconds from their return until the last is online."""
    run.fleet.ask({"device": "*", "do": "stop", "goodbye": False})
    returns = time.monotonic() + BREAK_SECONDS
    # A bridge without its devices is never quiet.
    while (left := returns - time.monotonic()) > 0:
        run.probe.read(left)
    run.probe.end()
    run.probe = Probe(run.probe_program, run.broker, "online", run.directory)
    began = time.monotonic()
    run.fleet.ask({"device": "*", "do": "start"})
    return until_all(run, "all devices to be online again", lambda message: message.marked and message.topic.endswith("/availability"), began)


def painted(tools, fleet, names, directory, is_quick):
    """Milliseconds until the page shows all devices, from the bridge and from a server of the same bytes; `None` without a browser."""
    try:
        import browser
    except ImportError:
        return None
    if not browser.exists():
        return None
    bridge, port = web_bridge(tools, directory, "scale")
    run = Run(bridge, fleet, names, tools["probe"], directory)
    static = None
    try:
        run.start()
        static_port = free_port()
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static_server.py")
        static = AnsweringProcess("static-server", [sys.executable, program, str(static_port), str(port)], directory)
        with browser.sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser.CHROMIUM, args=["--no-sandbox"])
            figures = browser.paints(chromium, {"bridge": port, "static": static_port}, run.count, 1 if is_quick else 3)
            chromium.close()
        return figures
    finally:
        if static:
            static.end()
        run.stop()


# MARK: What the curves say


def value_at(figures, path):
    value = figures
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value / 1024 if value is not None and path[0] == "memory_kib" else value


def exponent(points):
    """The slope of a line through the logarithms: 1 where twice the devices cost twice as much. `None` with fewer than two values above 0."""
    points = [(math.log(count), math.log(value)) for count, value in points if value]
    if len(points) < 2:
        return None
    x, y = (sum(column) / len(points) for column in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def memory_per_device(results):
    """KiB of anonymous memory for each device, from the smallest fleet to the largest."""
    first, last = (result["cast2mqtt"]["memory_kib"]["anonymous"] for result in (results[0], results[-1]))
    return (last - first) / (results[-1]["devices"] - results[0]["devices"])


def number(value):
    return "–" if value is None else f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def rows(results):
    for name, unit, path, reference, ratio_bar, has_exponent in FIGURES:
        values = [value_at(result["cast2mqtt"], path) for result in results]
        least = [value_at(result["floor"], reference) if reference else None for result in results]
        if not any(value is not None for value in values):
            continue
        ratios = [value / other if other else None for value, other in zip(values, least)]
        slope = exponent([(result["devices"], value) for result, value in zip(results, values)])
        bars, met = [], []
        if ratio_bar:
            bars.append(f"≤ {ratio_bar} × C")
            met.append(all(value is not None and value <= ratio_bar for value in ratios))
        if has_exponent and slope is not None:
            bars.append(f"exponent ≤ {EXPONENT_BAR}")
            met.append(slope <= EXPONENT_BAR)
        verdict = "" if not met else "yes" if all(met) else "no"
        yield (f"{name}, {unit}".rstrip(", "), *map(number, values), ", ".join(number(value) for value in ratios) if reference else "–",
               "–" if slope is None else f"{slope:.2f}", ", ".join(bars), verdict)
    each = memory_per_device(results)
    yield ("Anonymous memory of a device, KiB", *("–" for _ in results[1:]), number(each), "–", "–", f"≤ {MEMORY_BAR} KiB", "yes" if each <= MEMORY_BAR else "no")


def columns(results):
    return ("Figure", *(str(result["devices"]) for result in results), "÷ C program", "Exponent", "Bar", "Met")


# MARK: The picture

PICTURED = [row for row in FIGURES if row[0] in {
    "Start, known devices", "First start, found by mDNS", "Burst of new items", "CPU at rest", "Anonymous memory", "All devices back after a break",
    "Broker back with an empty store", "Page with all devices"}]
WIDTH, HEIGHT, MARGIN = 300, 190, 42


def picture(results):
    """An SVG with a small picture for each figure, both axes logarithmic; readable on light and dark ground."""
    parts = []
    pictured = [row for row in PICTURED if any(value_at(result["cast2mqtt"], row[2]) for result in results)]
    for place, (name, unit, path, reference, *_) in enumerate(pictured):
        lines = [(style, [(result["devices"], value) for result in results if (value := value_at(result[program], where))])
                 for style, program, where in (("c2m", "cast2mqtt", path), ("ref", "floor", reference))]
        parts.append(panel(place % 2 * WIDTH, 30 + place // 2 * HEIGHT, f"{name}, {unit}", lines))
    height = 30 + (len(pictured) + 1) // 2 * HEIGHT
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {height}" font-family="sans-serif" font-size="11">
<style>
text {{ fill: #777 }} .title {{ font-weight: bold }} path {{ fill: none; stroke-width: 2 }} .grid {{ stroke: #8884; stroke-width: 1 }}
.c2m {{ stroke: #0a84ff; fill: #0a84ff }} .ref {{ stroke: #999; fill: #999 }} path.ref {{ stroke-dasharray: 5 3 }}
path.c2m, path.ref {{ fill: none }} text.c2m, text.ref {{ stroke: none }}
</style>
<text x="{MARGIN}" y="18" class="c2m">— cast2mqtt</text><text x="{MARGIN + 100}" y="18" class="ref">- - C program; for the page, a server of the same bytes</text>
{"".join(parts)}</svg>
"""


def panel(left, top, title, lines):
    values = [value for _, line in lines for _, value in line]
    counts = [count for _, line in lines for count, _ in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
    first, last = math.log10(min(counts)), math.log10(max(counts))

    def x(count):
        return left + MARGIN + (math.log10(count) - first) / ((last - first) or 1) * (WIDTH - MARGIN - 18)

    def y(value):
        return top + HEIGHT - 34 - (math.log10(value) - low) / ((high - low) or 1) * (HEIGHT - 62)

    parts = [f'<text class="title" x="{left + MARGIN}" y="{top + 14}">{title}</text>']
    for power in range(low, high + 1):
        parts.append(f'<path class="grid" d="M{x(min(counts)):.1f} {y(10 ** power):.1f}H{x(max(counts)):.1f}"/>'
                     f'<text x="{left + MARGIN - 6}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">{10 ** power:g}</text>')
    for count in sorted(set(counts)):
        parts.append(f'<text x="{x(count):.1f}" y="{top + HEIGHT - 18}" text-anchor="middle">{count}</text>')
    for style, line in lines:
        points = [(x(count), y(value)) for count, value in line]
        parts.append(f'<path class="{style}" d="M{" L".join(f"{a:.1f} {b:.1f}" for a, b in points)}"/>')
        parts += [f'<circle class="{style}" cx="{a:.1f}" cy="{b:.1f}" r="2.5"/>' for a, b in points]
    return "".join(parts) + "\n"
