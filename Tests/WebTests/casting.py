"""The Cast button's four states, an empty network, a page that a configuration file shapes, and a user who has only a keyboard."""

import contextlib
import re

from playwright.sync_api import expect

import options
from controllers import card_of
from harness import Bridge, until
from quick import FILM, SONGS, command, expand, load, slug

# Notes each state of the Cast button from now on, so that one that lasts a moment is seen as well.
NOTE_STATES = """(button) => {
    window.castStates = [button.getAttribute('state')];
    new MutationObserver(() => {
        if (window.castStates.at(-1) !== button.getAttribute('state')) window.castStates.push(button.getAttribute('state'));
    }).observe(button, { attributes: true });
}"""
ARCS = "(button) => button.getAnimations({ subtree: true }).filter((one) => one.playState === 'running').map((one) => one.animationName)"


@contextlib.contextmanager
def slow_answers(simulator, device, ms):
    simulator.send(device=device, do="delay", ms=ms)
    try:
        yield
    finally:
        simulator.send(device=device, do="delay", min_ms=1, max_ms=50)


def the_cast_button_moves_its_arcs_until_the_device_answers(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-001")
    cast = page.locator(".bar cast-button")
    expect(cast.get_by_role("button")).to_have_accessible_name("Cast: not connected")
    assert cast.evaluate(ARCS) == []
    cast.evaluate(NOTE_STATES)
    with slow_answers(simulator, "sim-001", 1_000):
        cast.get_by_role("button").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("button", name=re.compile(re.escape(name))).click()
        expect(cast.locator("button")).to_have_attribute("aria-label", f"Cast: connecting to {name}")
        assert cast.evaluate(ARCS) == ["arc"] * 3
        expect(dialog).to_contain_text(f"Connecting to {name}")
        expect(cast.locator("button")).to_have_attribute("aria-label", f"Cast: connected to {name}")
    assert cast.evaluate(ARCS) == []
    dialog.get_by_role("button", name="Disconnect").click()
    expect(cast.get_by_role("button")).to_have_accessible_name("Cast: not connected")
    assert page.evaluate("castStates") == ["available", "connecting", "connected", "available"], page.evaluate("castStates")


def the_cast_button_is_not_connected_after_a_refusal(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-001")
    cast = page.locator(".bar cast-button")
    expect(cast.get_by_role("button")).to_have_accessible_name("Cast: not connected")
    cast.evaluate(NOTE_STATES)
    simulator.send(device="sim-001", do="permission", ask=True)
    try:
        cast.get_by_role("button").click()
        page.get_by_role("dialog").get_by_role("button", name=re.compile(re.escape(name))).click()
        expect(cast.locator("button")).to_have_attribute("aria-label", f"Cast: connecting to {name}")
        until(lambda: simulator.state("sim-001").get("waits_for_permission"), "the device asks")
        simulator.send(device="sim-001", do="permission", allow=False)
        expect(page.get_by_role("alert")).to_contain_text(name)
    finally:
        simulator.send(device="sim-001", do="permission", ask=False)
    expect(cast).to_have_attribute("state", "available")
    expect(page.get_by_role("dialog", name="Cast to")).to_be_visible()
    assert page.evaluate("castStates") == ["available", "connecting", "available"], page.evaluate("castStates")


def an_empty_network_is_explained(browser, simulator):
    with Bridge(options.program, DISCOVERY_MDNS="false", DISCOVERY_KNOWN_HOSTS="127.0.0.1:9") as bridge:
        page = browser.page(url=bridge.link, signs_in=False)
        cast = page.locator(".bar cast-button").get_by_role("button")
        expect(cast).to_have_accessible_name("Cast: no devices available")
        cast.click()
        dialog = page.get_by_role("dialog", name="Cast to")
        status = dialog.get_by_role("status")
        held = []
        # The answer waits until it has been seen that the page searches.
        page.route("**/commands/bridge/request/discover", lambda route: held.append(route))
        dialog.get_by_role("button", name="Search again").click()
        expect(status).to_have_text("Searching for devices …")
        expect(dialog.get_by_role("button", name="Search again")).to_have_attribute("aria-busy", "true")
        held[0].continue_()
        page.unroute("**/commands/bridge/request/discover")
        expect(status).to_contain_text("No devices found")
        expect(status).to_contain_text("The search is off, and none of the named devices has answered.")
        expect(status).to_contain_text("Check that the devices are on, and their addresses.")
        page.keyboard.press("Escape")
        page.goto(bridge.url + "#/health")
        page.get_by_role("button", name="Search again").click()
        expect(page.get_by_role("status").filter(has_text="No devices found")).to_be_visible()


def devices_that_are_all_off_are_named_so(browser, simulator):
    with Bridge(options.program) as bridge:
        page = browser.page(url=bridge.link, signs_in=False)
        online = page.locator("device-card:not([data-offline])")
        # The simulator goes on serving the other tests' bridge: only this one loses its devices.
        expect(online).not_to_have_count(0)
        page.evaluate("localStorage.clear()")
        names = [entry["device"] for entry in simulator.send(do="list")["devices"]]
        expect(page.locator("device-card")).to_have_count(len(names))
        expect(online).to_have_count(len(names))
        simulator.send(device="*", do="stop")
        try:
            cast = page.locator(".bar cast-button").get_by_role("button")
            expect(cast).to_have_accessible_name("Cast: no devices available", timeout=60_000)
            cast.click()
            expect(page.get_by_role("dialog", name="Cast to").get_by_role("status")).to_contain_text("No device can be reached")
        finally:
            simulator.send(device="*", do="start")
        # They come back by themselves, and the list replaces the explanation.
        expect(page.get_by_role("dialog", name="Cast to").locator(".row")).to_have_count(len(names), timeout=60_000)


def previous_and_next_follow_what_the_device_can(browser, simulator):
    with Bridge(options.program, WEB_PAGE_MINI_SLOTS="skip_previous,play_pause,skip_next", WEB_PAGE_EXPANDED_SLOTS="skip_previous,none,mute,skip_next") as bridge:
        page = browser.page(url=bridge.link, signs_in=False)
        load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
        ids = simulator.state("sim-004")["queue"]
        device = slug(page, simulator.name("sim-004"))
        expanded = expand(page, simulator, "sim-004")
        names = expanded.locator(".transport button").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
        assert names == ["Previous", "Pause", "Mute", "Next"], names
        can = lambda: page.evaluate(
            """async (device) => {
                const { can } = await (await fetch(`api/v1/devices/${device}/state`)).json();
                return ['previous', 'next'].map((word) => can.includes(word));
            }""", device)

        def follows(previous, next_):
            for name, usable in [("Previous", previous), ("Next", next_)]:
                for place in [expanded, page.locator("mini-controller")]:
                    button = place.locator(f"button[aria-label={name}]")
                    expect(button).to_be_enabled() if usable else expect(button).to_be_disabled()
            assert can() == [previous, next_]

        press = lambda name: expanded.get_by_role("button", name=name).click()
        follows(*can())
        press("Next")
        until(lambda: simulator.state("sim-004")["item_id"] == ids[1], "next")
        expect(expanded.get_by_role("heading")).to_have_text("Song 2")
        follows(True, True)
        press("Previous")
        until(lambda: simulator.state("sim-004")["item_id"] == ids[0], "previous")
        page.keyboard.press("Escape")
        page.locator("mini-controller").get_by_role("button", name="Next").click()
        until(lambda: simulator.state("sim-004")["item_id"] == ids[1], "next from the mini controller")
        # A single item has neither.
        load(page, simulator, "sim-004", FILM | {"content_type": "audio/mpeg"})
        expect(page.locator("mini-controller strong")).to_have_text("Big Buck Bunny")
        expanded = expand(page, simulator, "sim-004")
        follows(False, False)


CONFIGURATION = """
web:
  page:
    title: Our home
    introduction:
      title: Hello
      text: Here is the button.
      title_position: below
      dismiss: I see
    mini_slots: [rewind_30, play_pause, "custom:bedtime"]
    expanded_slots: [none, skip_previous, skip_next, "custom:bedtime"]
    opens_expanded: false
    custom_buttons:
      bedtime: {icon: music, label: Bedtime, command: set/volume, payload: "10"}
    theme:
      accent: "#00796b"
      dark: {accent: "#80cbc4"}
      mini_controller: {background: "#263238", text: "#ffeb3b"}
"""


def a_configuration_file_shapes_the_page(browser, simulator):
    with Bridge(options.program, configuration=CONFIGURATION) as bridge:
        page = browser.page(url=bridge.link, signs_in=False, introduced=False, color_scheme="dark")
        expect(page.locator("#title")).to_have_text("Our home")
        introduction = page.get_by_role("dialog", name="Hello")
        expect(introduction).to_contain_text("Here is the button.")
        order = introduction.locator(".introduction-words > *").evaluate_all("(all) => all.map((one) => one.localName)")
        assert order == ["p", "h2", "button"], order
        introduction.get_by_role("button", name="I see").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        value = lambda name: page.evaluate("(name) => getComputedStyle(document.documentElement).getPropertyValue(name)", name).strip()
        assert value("--accent") == "#80CBC4", value("--accent")
        # A load from the page leaves the view as it is.
        page.get_by_role("navigation").get_by_role("link", name="Play").click()
        page.get_by_label("Address", exact=True).fill("http://media.invalid/bedtime.mp4?duration=600")
        page.get_by_label("On", exact=True).select_option(label=simulator.name("sim-001"))
        page.get_by_role("button", name="Play", exact=True).click()
        until(lambda: simulator.state("sim-001")["player"] == "PLAYING", "the address plays")
        mini = page.locator("mini-controller")
        expect(mini.locator("strong")).to_have_text("bedtime")
        expect(page.locator(".expanded")).to_have_count(0)
        labels = mini.locator("button:visible").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
        assert [label for label in labels if label in ("30 seconds back", "Pause", "Bedtime")] == ["30 seconds back", "Pause", "Bedtime"], labels
        assert mini.locator(".mini-slots").get_by_role("button").count() == 3
        style = lambda selector, name: page.locator(selector).first.evaluate(f"(element) => getComputedStyle(element).{name}")
        assert style("mini-controller", "backgroundColor") == "rgb(38, 50, 56)"
        assert style("mini-controller strong", "color") == "rgb(255, 235, 59)"
        mini.get_by_role("button", name="Bedtime", exact=True).click()
        until(lambda: round(simulator.state("sim-001")["volume"] * 100) == 10, "the button of the configuration")
        page.emulate_media(color_scheme="light")
        until(lambda: value("--accent") == "#00796B", "the accent of the light appearance")
        # Seen once, the introduction does not come again.
        page.goto(bridge.link)
        expect(card_of(page, simulator.name("sim-001"))).to_contain_text("bedtime")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expanded = expand(page, simulator, "sim-001")
        expect(expanded.get_by_role("button", name="Bedtime", exact=True)).to_be_visible()
        expect(expanded.get_by_role("button", name="Next")).to_be_disabled()


def reach(page, target, key="Tab", limit=120):
    """Moves the focus with a key until it is on the target, as somebody without a mouse does."""
    target.first.wait_for()
    for _ in range(limit):
        if target.evaluate_all("(all) => all.includes(document.activeElement)"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{target} can't be reached with {key}; the focus is on {page.evaluate('document.activeElement.outerHTML.slice(0, 300)')}")


def press(page, target, key="Enter"):
    reach(page, target)
    page.keyboard.press(key)


def a_session_from_play_to_stop_is_done_with_the_keyboard(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-004")
    expect(page.locator("device-card").first).to_be_visible()
    page.reload()  # After a login the focus would not begin at the top.
    expect(page.locator("device-card").first).to_be_visible()
    bar = page.locator(".bar")
    device = slug(page, name)
    # Play an address on the chosen device.
    press(page, page.get_by_role("navigation").get_by_role("link", name="Play"))
    reach(page, page.get_by_label("Address", exact=True))
    page.keyboard.type("http://media.invalid/one.mp3?duration=600")
    reach(page, page.get_by_label("On", exact=True))
    page.keyboard.type(name)
    press(page, page.get_by_role("button", name="Play", exact=True))
    until(lambda: simulator.state("sim-004")["player"] == "PLAYING", "it plays")
    expanded = page.locator(".expanded")
    expect(expanded).to_be_visible()
    # The expanded controller: pause, seek, speed.
    press(page, expanded.get_by_role("button", name="Pause"))
    until(lambda: simulator.state("sim-004")["player"] == "PAUSED", "paused")
    slider = expanded.get_by_role("slider", name="Position")
    reach(page, slider)
    before = simulator.state("sim-004")["position"]
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    until(lambda: simulator.state("sim-004")["position"] > before + 5, "sought with arrows")
    press(page, expanded.get_by_role("button", name=re.compile("^Speed")))
    rates = page.get_by_role("dialog", name="Speed")
    reach(page, rates.get_by_role("radio"))
    page.keyboard.press("ArrowDown")
    until(lambda: simulator.state("sim-004")["rate"] != 1, "another speed")
    page.keyboard.press("Escape")
    expect(rates).to_have_count(0)
    page.keyboard.press("Escape")
    expect(expanded).to_have_count(0)
    # Volume, in the dialog.
    press(page, bar.locator("cast-button button"))
    dialog = page.get_by_role("dialog", name=name)
    reach(page, dialog.get_by_role("slider", name=f"Volume of {name}"))
    page.keyboard.press("Home")
    until(lambda: simulator.state("sim-004")["volume"] == 0, "no volume")
    page.keyboard.press("Escape")
    # The queue: move, remove, jump, repeat.
    answer = command(page, device, "cmd/queue_load", SONGS)
    assert answer["status"] == "ok", answer
    ids = until(lambda: simulator.state("sim-004")["queue"], "the queue")
    press(page, page.get_by_role("link", name="Queue"))
    reach(page, page.get_by_role("button", name=re.compile(r"^3\s*Song 3")))
    page.keyboard.press("Alt+ArrowUp")
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[2], ids[1], ids[3], ids[4]], "moved up")
    page.keyboard.press("Delete")
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[1], ids[3], ids[4]], "removed")
    press(page, page.get_by_role("button", name=re.compile(r"^3\s*Song 4")))
    until(lambda: simulator.state("sim-004")["item_id"] == ids[3], "jumped")
    reach(page, page.get_by_role("button", name="Repeat: off"), "Shift+Tab")
    page.keyboard.press("Enter")
    until(lambda: simulator.state("sim-004")["repeat_mode"] == "REPEAT_ALL", "repeat")
    # Move it to another device, and stop there.
    other = simulator.name("sim-003")
    reach(page, bar.locator("cast-button button"), "Shift+Tab")
    page.keyboard.press("Enter")
    press(page, page.get_by_role("dialog", name=name).get_by_role("button", name="Move to"))
    press(page, page.get_by_role("dialog", name="Move to").get_by_role("button", name=re.compile(re.escape(other))))
    until(lambda: simulator.state("sim-003")["player"] == "PLAYING", "it plays there")
    expect(page.get_by_role("dialog", name="Move to")).to_have_count(0)
    if page.get_by_role("dialog").count() == 0:
        reach(page, bar.locator("cast-button button"), "Shift+Tab")
        page.keyboard.press("Enter")
    press(page, page.get_by_role("dialog", name=other).get_by_role("button", name="Stop casting"))
    until(lambda: simulator.state("sim-003").get("player") in (None, "NONE", "IDLE"), "stopped")
    expect(page.get_by_role("dialog")).to_have_count(0)
    # The log's level and filter.
    press(page, page.get_by_role("link", name="Log"))
    level = page.get_by_label("From level")
    reach(page, level)
    page.keyboard.type("debug")
    expect(level).to_have_value("debug")
    reach(page, page.get_by_label("Filter"))
    page.keyboard.type("Bridge.*")
    expect(page.get_by_label("Filter")).to_have_value("Bridge.*")


def tracks_and_their_look_are_chosen_with_the_keyboard(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    press(page, page.locator("mini-controller").get_by_role("button", name=re.compile("^Open the controls")))
    press(page, page.locator(".expanded").get_by_role("button", name="Tracks and subtitles"))
    dialog = page.get_by_role("dialog", name="Tracks")
    reach(page, dialog.get_by_role("group", name="Subtitles").get_by_role("radio"))
    page.keyboard.press("ArrowDown")
    until(lambda: 1 in simulator.state("sim-001")["active_tracks"], "English subtitles")
    press(page, dialog.get_by_role("button", name="How subtitles look"))
    look = page.get_by_role("dialog", name="How subtitles look")
    size = look.get_by_label("Size", exact=True)
    reach(page, size)
    before = size.input_value()
    page.keyboard.press("ArrowDown")
    assert size.input_value() != before
    press(page, look.get_by_role("button", name="Apply"))
    until(lambda: simulator.state("sim-001").get("text_style"), "the style")


TESTS = [
    the_cast_button_moves_its_arcs_until_the_device_answers, the_cast_button_is_not_connected_after_a_refusal, an_empty_network_is_explained,
    devices_that_are_all_off_are_named_so, previous_and_next_follow_what_the_device_can, a_configuration_file_shapes_the_page,
    a_session_from_play_to_stop_is_done_with_the_keyboard, tracks_and_their_look_are_chosen_with_the_keyboard,
]
