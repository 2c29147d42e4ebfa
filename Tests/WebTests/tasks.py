"""What a household does, with the touches that each task takes: five at most. Those of running the house are in house.py."""

import contextlib

from playwright.sync_api import expect

import options
from controllers import card_of, member_of_group
from harness import Bridge, Hand, simulated, until
from quick import FILM, SONGS, load
from whole_player import titles

TESTS = []


def task(function):
    """Makes a test of a task: a function of browser, simulator and hand."""

    def test(browser, simulator):
        with Hand(function.__name__.replace("_", " ")) as hand:
            function(browser, simulator, hand)

    test.__name__ = function.__name__
    TESTS.append(test)
    return test


def phone(browser, path=""):
    """The page as it is on a phone that was not used before."""
    return browser.page(path, width=390, height=844, has_touch=True)


@task
def find_the_speaker_and_pause_it(browser, simulator, hand):
    page = phone(browser)
    for device in ["sim-001", "sim-002", "sim-003"]:
        simulator.play(device, title="Something", url="http://media.invalid/x.mp3", duration=600)
    hand.tap(card_of(page, simulator.name("sim-002")).get_by_role("button", name="Pause"))
    until(lambda: simulator.state("sim-002")["player"] == "PAUSED", "the speaker is paused")
    assert [simulator.state(device)["player"] for device in ["sim-001", "sim-003"]] == ["PLAYING", "PLAYING"]


@task
def move_the_music(browser, simulator, hand):
    page = phone(browser)
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    hand.tap(page.locator("mini-controller .mini-open"))
    hand.tap(page.locator(".expanded").get_by_role("button", name="Move to"))
    hand.tap(page.get_by_role("dialog", name="Move to").get_by_role("button", name=simulator.name("sim-002")))
    until(lambda: simulator.state("sim-002").get("title") == "Song 1", "the music plays there")


@task
def change_the_volume_of_two_rooms(browser, simulator, hand):
    page = phone(browser)
    rooms = ["sim-001", "sim-003"]
    for device in rooms:
        simulator.play(device, title="Something", url="http://media.invalid/x.mp3", duration=600)
    for device in rooms:
        name = simulator.name(device)
        hand.tap(card_of(page, name).get_by_role("button", name=f"{name} louder"))
    for device in rooms:
        until(lambda device=device: simulator.state(device)["volume"] > 0.42, "the room is louder")


@task
def play_a_radio_station_by_its_address(browser, simulator, hand):
    page = phone(browser)
    hand.tap(page.get_by_role("navigation").get_by_role("link", name="Play"))
    hand.choose(page.get_by_label("On", exact=True), simulator.name("sim-002"))
    hand.write(page.get_by_label("Address", exact=True), "http://media.invalid/radio.mp3")
    hand.tap(page.locator("place-view").get_by_role("button", name="Play", exact=True))
    until(lambda: "/radio.mp3" in simulator.state("sim-002").get("content_id", ""), "the station plays")


@task
def turn_subtitles_on(browser, simulator, hand):
    page = phone(browser)
    load(page, simulator, "sim-001", FILM)
    hand.tap(page.locator("mini-controller .mini-open"))
    hand.tap(page.locator(".expanded").get_by_role("button", name="Tracks and subtitles"))
    hand.tap(page.get_by_role("dialog", name="Tracks").get_by_role("radio", name="English").first)
    until(lambda: 1 in simulator.state("sim-001")["active_tracks"], "the subtitles are on")


@task
def skip_an_ad(browser, simulator, hand):
    page = phone(browser)
    load(page, simulator, "sim-001", FILM | {
        "breaks": [{"id": "x", "position": 0, "clips": ["a"]}], "break_clips": [{"id": "a", "url": "http://media.invalid/a.mp4", "duration": 120, "skippable_after": 1}]})
    hand.tap(page.locator("mini-controller .mini-open"))
    skip = page.locator(".expanded").get_by_role("button", name="Skip ad")
    expect(skip).to_be_enabled()
    hand.tap(skip)
    until(lambda: not simulator.state("sim-001").get("ad_clip"), "the film goes on")


@task
def see_why_nothing_is_found(browser, simulator, hand):
    with Bridge(options.program, DISCOVERY_MDNS="false", DISCOVERY_KNOWN_HOSTS="127.0.0.1:9") as bridge:
        page = browser.page(url=bridge.link, signs_in=False, width=390, height=844)
        expect(page.locator("main")).to_contain_text("Check that the devices are on")


@task
def change_the_volume_of_a_group_and_of_one_of_its_speakers(browser, simulator, hand):
    page = phone(browser)
    group = simulator.name("group-001")
    device, member = member_of_group(simulator, 0)
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    card = card_of(page, group)
    expect(card).to_contain_text("Everywhere")
    hand.tap(card.get_by_role("button", name=f"{group} louder"))
    until(lambda: simulator.state(device)["volume"] > 0.42, "the group is louder")
    hand.tap(card.get_by_text("Speakers of the group"))
    before = simulator.state(device)["volume"]
    hand.tap(card.get_by_role("button", name=f"{member} softer", exact=True))
    until(lambda: simulator.state(device)["volume"] < before - 0.02, "its speaker is softer")


@task
def reorder_the_queue(browser, simulator, hand):
    page = phone(browser)
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    hand.tap(page.get_by_role("navigation").get_by_role("link", name="Queue"))
    hand.drag(page, page.get_by_label("Move Song 4 by dragging"), page.locator("queue-row", has_text="Song 2"))
    until(lambda: titles(simulator, "sim-004")[1] == "4", "the fourth song is the second")


@contextlib.contextmanager
def hundred(**environment):
    """A hundred devices, and a bridge that finds these alone."""
    hosts = ",".join(f"127.0.20.{number}" for number in range(1, 101))
    with (simulated("127.0.20.1", None, "--devices", "100", "--seed", "7") as devices,
          Bridge(options.program, DISCOVERY_MDNS="false", DISCOVERY_KNOWN_HOSTS=hosts, **environment) as bridge):
        yield bridge, devices


@task
def stop_one_of_a_hundred(browser, simulator, hand):
    with hundred() as (bridge, house):
        page = browser.page(url=bridge.link, signs_in=False, width=390, height=844, has_touch=True)
        for device in range(1, 40):
            house.play(f"sim-{device:03}", title="Something", url="http://media.invalid/x.mp3", duration=600)
        name = house.name("sim-020")
        expect(page.locator("device-card[data-playing]").nth(38)).to_be_attached(timeout=60_000)
        # As people type it: the beginning of each word.
        hand.write(page.get_by_label("Filter devices"), " ".join(word[:6] for word in name.replace("(simulated)", "").lower().split()))
        hand.tap(card_of(page, name).get_by_role("button", name="Pause"))
        until(lambda: house.state("sim-020")["player"] == "PAUSED", "this one is paused")
        assert house.state("sim-021")["player"] == "PLAYING"
