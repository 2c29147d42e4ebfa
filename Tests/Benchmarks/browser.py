"""What the web page takes in a browser: headless Chromium, steered over Playwright."""

import os
import sys
import time

from playwright.sync_api import sync_playwright

from measure import ITEM, Run, percentile, spread
from processes import LIMIT, TOKEN, AnsweringProcess, Failure, free_port
from web import web_bridge

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# Changes of every device before a page is taken for warm: its lists of events are full then.
WARM_ROUNDS = 4
# Between two new items of a household of 100: each device begins one every 200 seconds.
ITEM_SECONDS = 2

# Notes when all devices are shown, and when each title is.
OBSERVER = """
    window.shown = null;
    window.titles = {};
    new MutationObserver((records) => {
        const now = performance.now();
        if (window.shown === null && document.querySelectorAll('device-card').length >= DEVICES) window.shown = now;
        for (const { target } of records) if (target.localName === 'strong') window.titles[target.textContent] ??= now;
    }).observe(document, { childList: true, characterData: true, subtree: true });
    localStorage.setItem('introduced', 'yes');
"""


def exists():
    return os.access(CHROMIUM, os.X_OK)


class Page:
    """A page in a context of its own, whose caches are empty."""

    def __init__(self, chromium, port, devices):
        self.context = chromium.new_context(viewport={"width": 1280, "height": 800})
        self.context.add_init_script(OBSERVER.replace("DEVICES", str(devices)))
        self.page = self.context.new_page()
        self.page.set_default_timeout(LIMIT * 1000)
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.goto(f"http://127.0.0.1:{port}/#token={TOKEN}")
        self.until("() => window.shown", "all devices")
        self.protocol = self.context.new_cdp_session(self.page)
        self.protocol.send("Performance.enable")

    def until(self, function, what, argument=None):
        """The first result of a function that is not null. Playwright's own way to wait needs `eval`, which the page's policy refuses."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if (result := self.page.evaluate(function, argument)) is not None:
                return result
            time.sleep(0.01)
        raise Failure(f"the page does not show {what}")

    def close(self):
        self.context.close()
        if self.problems:
            raise Failure(f"the page reports {self.problems[:3]}")

    def paint(self):
        """Milliseconds from the begin of the navigation to the first paint, the first paint of a content, and the last device."""
        times = {name: self.until("(name) => performance.getEntriesByName(name)[0]?.startTime ?? null", name, name)
                 for name in ("first-paint", "first-contentful-paint")}
        return {"first": times["first-paint"], "content": times["first-contentful-paint"], "devices": self.page.evaluate("() => window.shown")}

    def metrics(self):
        return {metric["name"]: metric["value"] for metric in self.protocol.send("Performance.getMetrics")["metrics"]}

    def heap(self):
        """KiB that are in use after a collection."""
        for _ in range(3):
            self.protocol.send("HeapProfiler.collectGarbage")
            time.sleep(0.2)
        return self.metrics()["JSHeapUsedSize"] / 1024

    def origin(self):
        """The zero of `performance.now()` on CLOCK_MONOTONIC, in seconds: Chromium's own clock is that one."""
        metrics = self.metrics()
        if abs(metrics["Timestamp"] - time.monotonic()) > 0.1:
            raise Failure("Chromium's clock is not CLOCK_MONOTONIC here")
        return metrics["NavigationStart"]

    def shown_at(self, title):
        """Milliseconds of `performance.now()` at which the title was on the page."""
        return self.until("(title) => window.titles[title] ?? null", title, title)


def worker_seconds():
    """CPU time of the thread that reads the stream of events for all pages, in our Chromium."""
    parents, total = {}, 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                parents[int(pid)] = int(stat.read().rsplit(") ", 1)[1].split()[1])
        except OSError:
            continue  # it ended
    ours, added = set(), {os.getpid()}
    while added:
        ours |= added
        added = {pid for pid, parent in parents.items() if parent in ours} - ours
    for pid in ours:
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/comm") as name, open(f"/proc/{pid}/task/{task}/schedstat") as times:
                    total += int(times.read().split()[0]) if name.read().startswith("SharedWorker") else 0
        except OSError:
            continue
    return total / 1e9


def paints(chromium, ports, devices, count):
    """Medians of fresh contexts, of each server in turn."""
    pages = {name: [] for name in ports}
    for turn in range(count + 1):
        for name in sorted(ports, reverse=turn % 2 == 1):
            page = Page(chromium, ports[name], devices)
            figures = page.paint()
            page.close()
            # The first of each warms the browser, and lets the other server know the files.
            if turn:
                pages[name].append(figures)
    return {name: {key: percentile([figures[key] for figures in own], 0.5) for key in own[0]} for name, own in pages.items()}


def latencies(page, run, count):
    """Milliseconds from a device's word to the last message of a new item at the broker, and to its title on the page."""
    origin, changed = page.origin(), [0.0] * run.count
    broker, dom = [], []
    for _ in range(count):
        device = run.rested(changed)
        said = run.change(device, ITEM)
        changed[device] = time.monotonic()
        broker.append((run.until_published(ITEM, [device]) - said) / 1e6)
        dom.append(origin * 1e3 + page.shown_at(run.title()) - said / 1e6)
        time.sleep(run.random.uniform(0.06, 0.1))
    return {"broker": spread(broker), "page": spread(dom)}


def stay(page, run, seconds):
    """How much a page that stays open works and keeps, while new items begin now and then."""
    for _ in range(WARM_ROUNDS):
        run.fleet.ask({"do": "burst", "change": "item", **run.next_track()})
        time.sleep(1)
    heaps, before, began = [page.heap()], page.metrics(), time.monotonic()
    work, worker = 0.0, worker_seconds()
    for part in range(1, 5):
        while (wait := began + seconds * part / 4 - time.monotonic()) > 0:
            time.sleep(min(ITEM_SECONDS, wait))
            run.change(run.random.randrange(run.count), ITEM)
        after = page.metrics()
        work += after["ScriptDuration"] - before["ScriptDuration"]
        heaps.append(page.heap())
        # A forced collection is no work of the page.
        before = page.metrics()
    worker = worker_seconds() - worker
    if worker <= 0:
        raise Failure("the thread of the page's shared worker is not found")
    return {"script_percent": 100 * (work + worker) / seconds, "page_percent": 100 * work / seconds, "heap_kib": heaps, "seconds": seconds}


def figures(tools, effort, fleet, names, directory):
    print(f"{effort.devices} devices: page in a browser, {effort.minutes} minutes and more", file=sys.stderr)
    bridge, port = web_bridge(tools, directory, "browser")
    run = Run(bridge, fleet, names, tools["probe"], directory)
    static = None
    try:
        run.start()
        run.learn()
        static_port = free_port()
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static_server.py")
        static = AnsweringProcess("static-server", [sys.executable, program, str(static_port), str(port)], directory)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            result = {"paint_ms": paints(chromium, {"bridge": port, "static": static_port}, effort.devices, effort.paints)}
            page = Page(chromium, port, effort.devices)
            result["latency_ms"] = latencies(page, run, effort.latencies)
            result["stay"] = stay(page, run, effort.minutes * 60)
            page.close()
            chromium.close()
        return {"browser": result}
    finally:
        if static:
            static.end()
        run.stop()
