"""The house at a glance: what plays stands first, a speaker waits, an empty network is explained soon, health names what needs a person."""

import re
import time

from playwright.sync_api import expect

import options
from axe import findings
from controllers import card_of, member_of_group
from harness import Bridge, until
from quick import SONGS, load, slug


def what_plays_stands_first_and_no_card_moves_under_a_finger(browser, simulator):
    page = browser.page()
    names = page.locator("device-card h2")
    expect(names).to_have_count(len(simulator.send(do="list")["devices"]))
    by_name = sorted(names.all_inner_texts())
    last = next(entry["device"] for entry in simulator.send(do="list")["devices"] if entry["name"] == by_name[-1])
    # A finger is on the list: nothing moves for some seconds.
    box = card_of(page, by_name[0]).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    simulator.play(last, title="First", url="http://media.invalid/x.mp4", duration=600)
    expect(card_of(page, by_name[-1])).to_contain_text("First")
    page.mouse.move(box["x"] + 8, box["y"] + 5)
    page.wait_for_timeout(2_000)
    assert names.all_inner_texts() == by_name
    expect(names.first).to_have_text(by_name[-1])
    assert names.all_inner_texts() == [by_name[-1], *by_name[:-1]]
    simulator.send(device=last, do="quit")
    expect(names.first).to_have_text(by_name[0])


def a_speaker_that_waits_is_ready_and_a_device_that_is_off_needs_nobody(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-002")
    kind = next(entry for entry in simulator.send(do="list")["devices"] if entry["device"] == "sim-002")["model"]
    expect(card_of(page, name).locator(".card-head .quiet")).to_have_text("Ready" if "Mini" in kind or "Audio" in kind else "Off")
    off = simulator.name("sim-003")
    simulator.send(device="sim-003", do="stop")
    try:
        expect(card_of(page, off)).to_contain_text("Offline", timeout=60_000)
        page.get_by_role("link", name="Health").click()
        card = page.locator(".verdict-card")
        expect(card).to_contain_text(f"Offline: {off}")
        expect(card.locator(".problems li", has_text=off)).to_have_count(0)
    finally:
        simulator.send(device="sim-003", do="start")
    expect(card).not_to_contain_text(off, timeout=60_000)


def an_empty_network_is_explained_within_six_seconds(browser, simulator):
    with Bridge(options.program, DISCOVERY_MDNS="false", DISCOVERY_KNOWN_HOSTS="127.0.0.1:9") as bridge:
        page = browser.page(url=bridge.link, signs_in=False)
        expect(page.locator("main")).to_contain_text("Searching for devices")
        began = time.monotonic()
        expect(page.locator("main")).to_contain_text("Check that the devices are on")
        assert time.monotonic() - began < 6, time.monotonic() - began
        expect(page.locator("main")).to_contain_text("The search is off, and none of the named devices has answered.")


def times_are_those_of_the_region_and_a_long_queue_opens_where_it_plays(browser, simulator):
    page = browser.page("#/log", locale="en-GB")
    page.get_by_label("From level").select_option("debug")
    expect(page.locator(".log tbody tr td").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d$"))
    page.goto(browser.url + "#/")
    songs = SONGS | {"items": [{"url": f"http://media.invalid/{n}.mp3?duration=240", "title": f"Song {n}"} for n in range(1, 61)], "start": 44}
    load(page, simulator, "sim-004", songs, "cmd/queue_load")
    expect(page.locator("mini-controller strong")).to_have_text("Song 45")
    page.get_by_role("link", name="Queue").click()
    row = page.locator("queue-row [aria-current=true]")
    expect(row).to_contain_text("Song 45")
    expect(row).to_be_in_viewport()


def area(page, name, value):
    answer = page.evaluate("""async ([device, area]) => {
        const session = await (await fetch('api/v1/session')).json();
        const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': session.csrf ?? '' };
        return (await fetch('api/v1/commands/bridge/request/device/options', { method: 'POST', headers, body: JSON.stringify({ device, area }) })).json();
    }""", [slug(page, name), value])
    assert answer["status"] == "ok", answer


def what_waits_stands_in_its_room_and_rows_align(browser, simulator):
    page = browser.page()
    expect(page.locator("device-card").first).to_be_visible()
    first, second = simulator.name("sim-003"), simulator.name("sim-004")
    simulator.play("sim-001", title="First", url="http://media.invalid/x.mp4", duration=600)
    area(page, first, "Room 10")
    area(page, second, "Room 9")
    try:
        # The card of what plays has no title above it.
        expect(page.locator(".cards > :first-child")).to_contain_text("First")
        expect(page.locator(".room")).to_have_text(["Room 9", "Room 10", "Other devices"])
        order = page.locator(".cards > *").evaluate_all("(all) => all.map((one) => one.querySelector('h2').textContent)")
        assert order[1:5] == ["Room 9", second, "Room 10", first], order
        heights = page.locator("device-card:not([data-playing])").evaluate_all("(all) => all.map((one) => one.offsetHeight)")
        assert len(set(heights)) == 1 and heights[0] <= 72, heights
        assert not (found := findings(page)), found
    finally:
        for name in [first, second]:
            area(page, name, None)
    expect(page.locator(".room")).to_have_text(["Other devices"])


def a_group_is_one_card_with_its_members(browser, simulator):
    page = browser.page()
    group = simulator.name("group-001")
    device, member = member_of_group(simulator, 0)
    expect(card_of(page, member)).to_be_visible()
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    expect(card_of(page, group)).to_contain_text("Everywhere")
    expect(card_of(page, member)).to_have_count(0)
    card_of(page, group).get_by_text("Speakers of the group").click()
    card_of(page, group).get_by_role("slider", name=f"Volume of {member}", exact=True).fill("21")
    until(lambda: round(simulator.state(device)["volume"] * 100) == 21, "the member is softer")
    simulator.send(device="group-001", do="quit")
    expect(card_of(page, member)).to_be_visible()


def the_list_is_one_stop_and_arrows_go_through_it(browser, simulator):
    page = browser.page()
    names = [entry["name"] for entry in simulator.send(do="list")["devices"] if entry["device"] != "group-001"]
    for device in ["sim-001", "sim-002", "sim-003", "sim-004", "sim-005"]:
        simulator.play(device, title="Film", url="http://media.invalid/x.mp4", duration=600)
    for name in names:
        expect(card_of(page, name)).to_contain_text("Film")
    stops = 0
    page.evaluate("document.activeElement.blur()")
    for stops in range(1, 40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('mini-controller') !== null"):
            break
    assert stops <= 20, stops
    page.locator("device-card").first.get_by_role("link").focus()
    reached = []
    for key in ["ArrowDown", "ArrowDown", "ArrowUp", "End"]:
        page.keyboard.press(key)
        reached.append(page.evaluate("[...document.querySelectorAll('device-card')].indexOf(document.activeElement.closest('device-card'))"))
    assert reached == [1, 2, 1, page.locator("device-card").count() - 1], reached
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('device-card')?.nextElementSibling") is None


TESTS = [
    what_waits_stands_in_its_room_and_rows_align, a_group_is_one_card_with_its_members, the_list_is_one_stop_and_arrows_go_through_it,
    times_are_those_of_the_region_and_a_long_queue_opens_where_it_plays,
    what_plays_stands_first_and_no_card_moves_under_a_finger, a_speaker_that_waits_is_ready_and_a_device_that_is_off_needs_nobody,
    an_empty_network_is_explained_within_six_seconds,
]
