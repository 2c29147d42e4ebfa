"""The whole player: the queue beside what plays and several of its items at once, the lock screen, streams, subtitles, applications, web pages."""

from playwright.sync_api import expect

import options
from harness import Bridge, until
from quick import FILM, SONGS, expand, load


def titles(simulator, device):
    return [item["content_id"].split("/")[-1].split(".")[0] for item in simulator.state(device)["items"]]


def the_queue_is_beside_what_plays_on_a_wide_screen(browser, simulator):
    page = browser.page(width=1280)
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    page.get_by_role("link", name="Queue").click()
    beside = page.locator("now-beside")
    expect(beside.locator("strong")).to_have_text("Song 1")
    expect(beside.get_by_role("slider", name="Position")).to_be_visible()
    assert beside.bounding_box()["x"] + beside.bounding_box()["width"] < page.locator("queue-row").first.bounding_box()["x"]
    beside.get_by_role("button").first.click()
    expect(page.locator(".expanded")).to_be_visible()
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(beside).to_be_hidden()
    expect(page.locator("queue-row").first).to_be_visible()


def several_items_are_moved_and_removed_at_once(browser, simulator):
    page = browser.page("#/queue")
    page.goto(browser.url + "#/")
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    page.get_by_role("link", name="Queue").click()
    row = lambda name: page.locator("queue-row .row", has_text=name)

    def select(*names):
        page.get_by_role("button", name="Select", exact=True).click()
        for name in names:
            row(name).click()
        expect(page.get_by_role("button", name=f"{len(names)} selected")).to_be_visible()

    select("Song 4", "Song 5")
    page.locator(".toolbar").get_by_role("button", name="Play next").click()
    until(lambda: titles(simulator, "sim-004") == ["1", "4", "5", "2", "3"], "both play next, in their order")
    expect(page.locator("queue-row .row-text > :first-child")).to_have_text([f"Song {n}" for n in [1, 4, 5, 2, 3]])
    # Removed and kept, then removed.
    select("Song 5", "Song 2")
    page.locator(".toolbar").get_by_role("button", name="Remove").click()
    expect(page.locator("queue-row[data-leaving]")).to_have_count(2)
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.locator("queue-row[data-leaving]")).to_have_count(0)
    page.wait_for_timeout(5_500)
    assert titles(simulator, "sim-004") == ["1", "4", "5", "2", "3"]
    select("Song 5", "Song 2", "Song 3")
    page.locator(".toolbar").get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Undo: Song 2").click()
    until(lambda: titles(simulator, "sim-004") == ["1", "4", "2"], "two are removed, one was kept")
    # Others take the place of all of them.
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("dialog").get_by_label("Address", exact=True).fill("http://media.invalid/a.mp3?duration=60\nhttp://media.invalid/b.mp3?duration=60")
    page.get_by_role("dialog").get_by_text("In place of the whole queue").click()
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    until(lambda: titles(simulator, "sim-004") == ["a", "b"], "another queue")


HANDLERS = """window.handlers = {}; const set = MediaSession.prototype.setActionHandler;
MediaSession.prototype.setActionHandler = function (action, handler) { window.handlers[action] = handler; set.call(this, action, handler); };"""


def the_lock_screen_shows_and_controls_what_plays(browser, simulator):
    page = browser.page(context=browser.context(init=HANDLERS))
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    expect(page.locator("mini-controller strong")).to_have_text("Song 1")
    title = lambda: page.evaluate("navigator.mediaSession.metadata?.title ?? null")
    assert title() is None, "a person turns it on"
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Show what plays on the lock screen").check()
    page.keyboard.press("Escape")
    until(lambda: title() == "Song 1", "the title")
    assert page.evaluate("[navigator.mediaSession.metadata.artist, navigator.mediaSession.playbackState]") == ["Example Trio", "playing"]
    page.evaluate("handlers.nexttrack({})")
    until(lambda: simulator.state("sim-004")["title"] == "Song 2", "the next song")
    until(lambda: title() == "Song 2", "its title")
    page.evaluate("handlers.seekto({ seekTime: 100 })")
    until(lambda: simulator.state("sim-004")["position"] >= 99, "another position")
    page.evaluate("handlers.pause({})")
    until(lambda: simulator.state("sim-004")["player"] == "PAUSED", "paused")
    until(lambda: page.evaluate("navigator.mediaSession.playbackState") == "paused", "it says so")
    simulator.send(device="sim-004", do="quit")
    until(lambda: title() is None, "nothing plays")


def an_ad_has_its_position_and_its_page(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM | {
        "breaks": [{"id": "x", "position": 0, "clips": ["a"]}],
        "break_clips": [{"id": "a", "url": "http://media.invalid/a.mp4", "duration": 120, "title": "First ad", "click_url": "https://shop.example/a"}]})
    expanded = expand(page, simulator, "sim-001")
    expect(expanded.locator(".ad-title")).to_contain_text("First ad")
    expect(expanded.locator(".ad-title")).to_contain_text("left")
    link = expanded.get_by_role("link", name="Open the ad’s page")
    expect(link).to_have_attribute("href", "https://shop.example/a")
    assert link.get_attribute("target") == "_blank" and "noopener" in link.get_attribute("rel")
    # No other address becomes a link.
    load_again = FILM | {"breaks": [{"id": "x", "position": 0, "clips": ["a"]}],
                         "break_clips": [{"id": "a", "url": "http://media.invalid/a.mp4", "duration": 120, "title": "Second ad", "click_url": "http://shop.example/a"}]}
    page.keyboard.press("Escape")
    load(page, simulator, "sim-001", load_again)
    expanded = expand(page, simulator, "sim-001")
    expect(expanded.locator(".ad-title")).to_contain_text("Second ad")
    expect(expanded.get_by_role("link")).to_have_count(0)


def subtitles_look_as_ever_again(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM | {"text_style": {"font_scale": 2, "foreground_color": "#FF0000FF"}})
    expand(page, simulator, "sim-001").get_by_role("button", name="Tracks and subtitles").click()
    page.get_by_role("button", name="How subtitles look").click()
    page.get_by_role("button", name="Default look").click()
    device = page.evaluate("localStorage.getItem('device')")
    style = lambda: page.evaluate("async (slug) => (await (await fetch(`api/v1/devices/${slug}/tracks`)).json()).text_style", device)
    until(lambda: (style()["font_scale"], style()["foreground_color"]) == (1, "#FFFFFFFF"), "white and of one size")


def streams_have_a_volume_of_their_own(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    page.locator(".bar cast-button button").click()
    dialog = page.get_by_role("dialog", name=simulator.name("sim-001"))
    dialog.get_by_text("More", exact=True).click()
    dialog.get_by_role("slider", name="Volume of what plays alone").fill("0.5")
    until(lambda: simulator.state("sim-001")["stream_volume"] == 0.5, "the stream is softer")
    assert round(simulator.state("sim-001")["volume"] * 100) == 40


def another_application_is_started_and_asks_before_it_ends_what_plays(browser, simulator):
    with Bridge(options.program, configuration="commands: {applications: [{name: Orchard Radio, id: 5A1D0001}]}") as bridge:
        page = browser.page(url=bridge.link, signs_in=False)
        load(page, simulator, "sim-001", FILM)
        expect(page.locator("mini-controller")).to_contain_text("Big Buck Bunny")
        page.locator(".bar cast-button button").click()
        dialog = page.get_by_role("dialog", name=simulator.name("sim-001"))
        dialog.get_by_text("More", exact=True).click()
        start = dialog.get_by_role("button", name="Orchard Radio", exact=True)
        start.click()
        question = page.get_by_role("dialog", name="Start Orchard Radio and end “Big Buck Bunny”?")
        question.get_by_role("button", name="Cancel").click()
        start.click()
        question.get_by_role("button", name="Orchard Radio").click()
        until(lambda: simulator.state("sim-001").get("app") == "Orchard Radio", "the other application")


def a_web_page_is_shown_on_a_screen(browser, simulator):
    page = browser.page("#/play")
    device = page.get_by_label("On", exact=True)
    expect(device.locator("option", has_text=simulator.name("sim-001"))).to_have_count(1)
    device.select_option(label=simulator.name("sim-002"))
    page.get_by_label("Address", exact=True).fill("http://192.0.2.1/page")
    page.get_by_text("More", exact=True).click()
    expect(page.get_by_role("button", name="Show as a web page")).to_be_hidden()
    device.select_option(label=simulator.name("sim-001"))
    page.get_by_role("button", name="Show as a web page").click()
    until(lambda: simulator.state("sim-001").get("app") == "DashCast", "the page is shown")


TESTS = [
    the_queue_is_beside_what_plays_on_a_wide_screen, several_items_are_moved_and_removed_at_once, the_lock_screen_shows_and_controls_what_plays,
    an_ad_has_its_position_and_its_page, subtitles_look_as_ever_again, streams_have_a_volume_of_their_own,
    another_application_is_started_and_asks_before_it_ends_what_plays,
    a_web_page_is_shown_on_a_screen,
]
