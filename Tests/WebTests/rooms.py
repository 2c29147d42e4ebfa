"""A press acts on the device that is shown, whatever ten devices do: rooms.py --url URL --control SOCKET --journal FILE --password PASSWORD

Random plays, pauses, choices and failures. The simulator's state and journal say which device a press reached.
"""

import argparse
import json
import random
import sys

from playwright.sync_api import expect

import harness
from harness import until
from controllers import card_of

parser = argparse.ArgumentParser()
parser.add_argument("--url", required=True)
parser.add_argument("--control", required=True)
parser.add_argument("--journal", required=True)
parser.add_argument("--password", required=True)
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--seed", type=int, default=random.randrange(10_000))
given = parser.parse_args()

# Counts the commands without an answer.
COUNT = """
    const fetchOf = window.fetch;
    window.commands = 0;
    window.fetch = async (...given) => {
        const counts = String(given[0]?.url ?? given[0]).includes('/commands/');
        if (counts) window.commands += 1;
        try { return await fetchOf(...given); } finally { if (counts) window.commands -= 1; }
    };
"""
# The devices that the mini controller, the outlined card and the Cast button name, and after that a press, in one turn of the page.
SHOWN = """([names, press]) => {
    const named = (text) => names.filter((name) => text?.includes(name));
    const mini = document.querySelector('mini-controller');
    const shown = {
        mini: mini.hidden ? [] : named(mini.getAttribute('aria-label') + mini.textContent),
        card: named(document.querySelector('device-card[data-chosen] h2')?.textContent),
        button: named(document.querySelector('.bar cast-button button').getAttribute('aria-label')),
        expanded: named(document.querySelector('.expanded-device')?.textContent),
    };
    if (press === 'play') mini.querySelector('play-pause-button button').click();
    else if (press === 'expanded') document.querySelector('.expanded .main button')?.click();
    else if (press) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: press, bubbles: true, cancelable: true }));
    return shown;
}"""
PRESSES = ["play", "play", " ", "m", "+", "-", "n", "l"]
ACTING = {"PLAY", "PAUSE", "STOP", "SEEK", "SET_VOLUME", "VOLUME", "QUEUE_UPDATE", "LOAD", "LAUNCH", "QUEUE_NEXT", "QUEUE_PREV", "SET_PLAYBACK_RATE"}


class House:
    """The page and the ten devices, and what must be true of them."""

    def __init__(self, page, simulator, devices):
        self.page = page
        self.simulator = simulator
        self.names = {entry["device"]: entry["name"] for entry in devices}
        self.random = random.Random(given.seed)
        self.chosen = None
        self.off = set()
        self.deaf = set()

    def shown(self, press=None):
        shown = self.page.evaluate(SHOWN, [list(self.names.values()), press])
        agreeing = {name for names in shown.values() for name in names}
        assert len(agreeing) <= 1, shown
        assert all(len(names) <= 1 for names in shown.values()), shown
        if self.chosen and agreeing:
            assert agreeing == {self.names[self.chosen]}, (shown, self.chosen)
        return shown

    def reached(self, since):
        with open(given.journal, encoding="utf-8") as file:
            entries = [json.loads(line) for line in file.read().splitlines()[since:] if line.endswith("}")]
        return {entry["device"] for entry in entries if entry["event"] == "message" and isinstance(entry.get("payload"), dict)
                and (entry["payload"].get("type") or entry["payload"].get("responseType")) in ACTING}

    def press(self):
        with open(given.journal, encoding="utf-8") as file:
            since = len(file.read().splitlines())
        others = lambda: {device: [self.simulator.state(device).get(key) for key in ("player", "muted", "volume")] for device in self.names}
        before = others()
        what = "expanded" if self.page.locator(".expanded").count() > 0 else self.random.choice(PRESSES)
        shown = self.shown(what)
        until(lambda: self.page.evaluate("window.commands") == 0, "every command is answered")
        visible = {name for place in ("mini", "expanded") for name in shown[place]}
        allowed = {device for device, name in self.names.items() if name in visible}
        assert (reached := self.reached(since)) <= allowed, (what, shown, reached)
        for device, state in others().items():
            # One that loads begins to play by itself.
            alike = state == before[device] or before[device][0] in ("LOADING", "BUFFERING")
            assert device in allowed or device in self.off or alike, (what, shown, device, before[device], state)
        return f"{what} on {visible}: {reached or 'nothing'}"

    def choose(self):
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        on = sorted(set(self.names) - self.off)
        playing = [device for device in on if self.simulator.state(device).get("player") in ("PLAYING", "PAUSED")]
        # Mostly one that has something to press.
        device = self.random.choice(playing if playing and self.random.random() < 0.8 else on)
        name = self.names[device]
        self.chosen = None
        plays = card_of(self.page, name).get_by_role("button", name=f"Show the controls of {name}")
        if plays.count() > 0 and plays.is_visible():
            plays.click()
            if self.random.random() < 0.5:
                self.page.keyboard.press("Escape")
        elif device not in self.deaf:
            card_of(self.page, name).locator(".card-cast").click()
            until(lambda: self.page.evaluate("window.commands") == 0, "connected")
            # The button of a connected device opens its dialog.
            self.page.keyboard.press("Escape")
            self.page.keyboard.press("Escape")
        else:
            return "nothing"
        expect(card_of(self.page, name)).to_have_attribute("data-chosen", "")
        self.chosen = device
        return name

    def act(self):
        device = self.random.choice(sorted(self.names))
        do = self.random.choice(["play", "play", "play", "pause", "resume", "quit", "off", "on", "deaf", "reset"])
        state = self.simulator.state(device)
        if do == "play" and device not in self.off:
            self.simulator.play(device, title=f"Title {self.random.randrange(1000)}", url="http://media.invalid/x.mp4", duration=3600)
        elif do in ("pause", "resume") and state.get("player") in ("PLAYING", "PAUSED"):
            self.simulator.send(device=device, do="pause" if do == "pause" else "play")
        elif do == "quit" and device not in self.off:
            self.simulator.quit(device)
            # What a person chose has ended: another device that plays may be shown.
            self.chosen = None if device == self.chosen else self.chosen
        elif do == "off" and len(self.off) < 3 and device not in self.off:
            self.simulator.send(device=device, do="stop", goodbye=self.random.random() < 0.5)
            self.off.add(device)
            # A device that is switched on again plays nothing.
            self.chosen = None if device == self.chosen and self.random.random() < 0.5 else self.chosen
        elif do == "on" and self.off:
            device = self.random.choice(sorted(self.off))
            self.simulator.send(device=device, do="start")
            self.off.discard(device)
            self.chosen = None if device == self.chosen else self.chosen
        elif do == "deaf":
            for one in self.deaf:
                for kind in ("PAUSE", "PLAY"):
                    self.simulator.send(device=one, do="ignore", type=kind, on=False)
            self.deaf = {device}
            for kind in ("PAUSE", "PLAY"):
                self.simulator.send(device=device, do="ignore", type=kind)
        elif do == "reset" and device not in self.off:
            self.simulator.send(device=device, do="reset")
        return f"{do} {device}"

    def step(self):
        kind = self.random.choices(["press", "act", "choose"], [5, 4, 1])[0]
        done = {"press": self.press, "act": self.act, "choose": self.choose}[kind]()
        # Sometimes the page has not heard yet of what happened when the next press comes.
        self.page.wait_for_timeout(self.random.choice([0, 0, 50, 300, 1500]))
        self.shown()
        return f"{kind}: {done}"


def a_press_acts_on_the_device_that_is_shown(browser, simulator):
    page = browser.page(init=COUNT)
    devices = simulator.send(do="list")["devices"]
    expect(page.locator("device-card:not([data-offline])")).to_have_count(len(devices))
    house = House(page, simulator, devices)
    log = []
    pressed = 0
    try:
        for entry in devices[:3]:
            simulator.play(entry["device"], title="At first", url="http://media.invalid/x.mp4", duration=3600)
        expect(page.locator("mini-controller")).to_be_visible()
        for _ in range(given.steps):
            log.append(house.step())
            pressed += log[-1].startswith("press") and not log[-1].endswith("nothing")
    except BaseException:
        print(f"seed {given.seed}\n" + "\n".join(log[-25:]), flush=True)
        raise
    finally:
        for device in house.off:
            simulator.send(device=device, do="start")
    print(f"seed {given.seed}: {pressed} presses reached a device", flush=True)
    assert pressed >= given.steps // 20, log


def two_rooms_play_and_pause_pauses_one_of_them(browser, simulator):
    """Nothing is chosen: the second press resumes what the first one paused, by button and by key."""
    page = browser.page()
    devices = sorted(simulator.send(do="list")["devices"], key=lambda entry: entry["name"])[-2:]
    for entry in devices:
        simulator.play(entry["device"], title=f"In {entry['name']}", url="http://media.invalid/x.mp4", duration=3600)
        expect(card_of(page, entry["name"])).to_contain_text("Playing")
    mini = page.locator("mini-controller")
    states = lambda: [simulator.state(entry["device"])["player"] for entry in devices]
    name = next(entry["name"] for entry in devices if entry["name"] in mini.inner_text())
    own = [entry["name"] for entry in devices].index(name)
    paused = ["PAUSED" if index == own else "PLAYING" for index in range(2)]
    mini.get_by_role("button", name="Pause").click()
    until(lambda: states() == paused, "one is paused")
    expect(mini.get_by_role("button", name="Play", exact=True)).to_be_enabled()
    expect(mini).to_contain_text(name)
    mini.get_by_role("button", name="Play", exact=True).click()
    until(lambda: states() == ["PLAYING"] * 2, "and plays on")
    expect(mini.get_by_role("button", name="Pause")).to_be_enabled()
    page.locator("main").focus()
    for expected, button in [(paused, "Play"), (["PLAYING"] * 2, "Pause")]:
        page.keyboard.press(" ")
        until(lambda: states() == expected, "by key")
        expect(mini.get_by_role("button", name=button, exact=True)).to_be_enabled()
    expect(card_of(page, name)).to_have_attribute("data-chosen", "")
    # It goes offline: both controllers say so, and nothing else is shown in its place.
    mini.get_by_role("button", name="Open the controls").click()
    expanded = page.locator(".expanded")
    device = devices[own]["device"]
    simulator.send(device=device, do="stop")
    try:
        expect(expanded).to_contain_text(f"{name} is offline", timeout=60_000)
        expect(expanded.get_by_role("button", name="Pause")).to_have_count(0)
        page.keyboard.press("Escape")
        expect(mini).to_contain_text(f"{name} is offline")
        expect(mini.locator("play-pause-button button")).to_be_disabled()
        expect(page.locator(".bar cast-button button")).to_have_accessible_name(f"Cast: {name} is offline")
    finally:
        simulator.send(device=device, do="start")


def one_of_ten_is_found_by_a_part_of_its_name(browser, simulator):
    page = browser.page()
    names = sorted(entry["name"] for entry in simulator.send(do="list")["devices"])
    wanted = next(name for name in names if len(name.split()) > 2)
    first, second = wanted.split()[:2]
    typed = f"{second[:3].lower()} {first[:4].upper()}"
    page.get_by_label("Filter devices").fill(typed)
    expect(page.locator("device-card h2")).to_have_text([wanted])
    page.get_by_label("Filter devices").fill("")
    page.locator(".bar cast-button button").click()
    dialog = page.get_by_role("dialog", name="Cast to")
    dialog.get_by_label("Filter devices").fill(typed)
    expect(dialog.locator(".row-text > :first-child")).to_have_text([wanted])
    dialog.get_by_label("Filter devices").fill("no such device")
    expect(dialog).to_contain_text("No device matches.")


sys.exit(min(1, harness.run([one_of_ten_is_found_by_a_part_of_its_name, two_rooms_play_and_pause_pauses_one_of_them, a_press_acts_on_the_device_that_is_shown],
                             given.url, given.control, [], given.password)))
