"""The whole player: its buttons by the kind of media, its volume, its pictures, and that all of it is in view on small screens."""

import contextlib

from playwright.sync_api import expect

import options
from controllers import BLUE, RED, card_of, media_server, png, shows
from harness import Bridge, until
from quick import FILM, SONGS, expand, expand_named, load

# A phone on its side, a small one, a desktop zoomed to 200 %, a phone.
SIZES = [(844, 390, 1), (360, 560, 1), (640, 400, 1), (390, 844, 1), (390, 844, 2), (1280, 800, 2)]
# What a finger in the middle of an element touches.
REACHED = """(element) => {
    const box = element.getBoundingClientRect();
    return [[.5, .5], [.5, .05], [.5, .95]].every(([x, y]) => element.contains(document.elementFromPoint(box.left + box.width * x, box.top + box.height * y)));
}"""


def the_play_buttons_are_in_view_at_every_size(browser, simulator):
    found = []
    for width, height, text in SIZES:
        simulator.quiet()
        page = browser.page(width=width, height=height, has_touch=width < 900)
        load(page, simulator, "sim-001", FILM | {"metadata": FILM["metadata"] | {"title": "A film with a name that takes two lines on a phone"}})
        # As the browser's own setting does.
        page.evaluate("(percent) => document.documentElement.style.setProperty('font-size', percent)", f"{text * 100}%")
        expect(page.locator("mini-controller")).to_be_visible()
        expanded = expand(page, simulator, "sim-001")
        page.wait_for_timeout(300)
        for button in expanded.locator(".transport button, .seek-track").all():
            if not button.evaluate(REACHED):
                found.append(f"{width} × {height}, text × {text}: {button.get_attribute('aria-label')}")
        page.keyboard.press("Escape")
        page.get_by_role("navigation").get_by_role("link", name="Play").click()
        if not page.locator("place-view").get_by_role("button", name="Play", exact=True).evaluate(REACHED):
            found.append(f"{width} × {height}, text × {text}: Play below the address")
        page.close()
    assert not found, "\n".join(found)


def labels(place):
    return place.locator("button:visible").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")


def the_buttons_are_those_of_the_kind_of_media(browser, simulator):
    page = browser.page()
    mini = page.locator("mini-controller .mini-slots")
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    expect(mini.get_by_role("button", name="Next")).to_be_enabled()
    assert labels(mini) == ["Previous", "Pause", "Next"], labels(mini)
    expanded = expand(page, simulator, "sim-004")
    assert labels(expanded.locator(".transport")) == ["Previous", "Pause", "Next"]
    expanded.get_by_role("button", name="Next").click()
    until(lambda: simulator.state("sim-004")["title"] == "Song 2", "next")
    page.keyboard.press("Escape")
    load(page, simulator, "sim-001", FILM)
    expanded = expand(page, simulator, "sim-001")
    assert labels(mini) == ["30 seconds back", "Pause", "30 seconds ahead"], labels(mini)
    assert labels(expanded.locator(".transport")) == ["Tracks and subtitles", "30 seconds back", "Pause", "30 seconds ahead"]
    load(page, simulator, "sim-001", {"url": "http://media.invalid/live.mp3", "stream": "live", "content_type": "audio/mpeg", "title": "Radio"})
    expect(expanded.get_by_role("heading")).to_have_text("Radio")
    expect(expanded.get_by_role("button", name="Stop")).to_be_visible()
    assert labels(expanded.locator(".transport")) == ["Stop"], labels(expanded.locator(".transport"))


def a_tap_on_the_track_moves_the_volume_at_most_ten_points(browser, simulator):
    page = browser.page(width=360, height=740, has_touch=True)
    name = simulator.name("sim-001")
    load(page, simulator, "sim-001", FILM)
    volume = lambda: round(simulator.state("sim-001")["volume"] * 100)

    def tap(slider, part):
        box = slider.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)

    # In a list that scrolls it is a mistake.
    tap(card_of(page, name).get_by_role("slider"), 0.95)
    page.wait_for_timeout(400)
    assert volume() == 40
    expanded = expand(page, simulator, "sim-001")
    slider = expanded.get_by_role("slider", name=f"Volume of {name}")
    tap(slider, 0.95)
    until(lambda: volume() == 50, "ten points louder")
    expect(slider).to_have_value("50")
    page.wait_for_timeout(900)
    tap(slider, 0.02)
    until(lambda: volume() == 40, "ten points softer")
    page.close()
    page = browser.page()
    expect(page.locator("mini-controller")).to_contain_text("Big Buck Bunny")
    slider = page.locator("mini-controller").get_by_role("slider", name=f"Volume of {name}")
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.98, box["y"] + box["height"] / 2)
    until(lambda: volume() == 50, "by mouse as well")
    # The thumb is dragged as far as one likes.
    page.wait_for_timeout(900)
    page.mouse.move(box["x"] + 11 + 0.5 * (box["width"] - 22), box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 11 + 0.2 * (box["width"] - 22), box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    until(lambda: abs(volume() - 20) <= 2, "dragged")


def pictures_are_whole_and_a_missing_one_is_asked_for_once(browser, simulator):
    files = {f"/{width}x{height}.png": ("image/png", png((255, 255, 255), width, height)) for width, height in [(320, 180), (200, 300), (240, 240)]}
    with media_server(files) as media, contextlib.ExitStack() as stack:
        bridge = stack.enter_context(Bridge(options.program, ARTWORK_ALLOW_LOCAL="true"))
        page = browser.page(url=bridge.link, signs_in=False)
        asked = []
        page.on("request", lambda request: asked.append(request.url) if "/artwork/" in request.url else None)
        songs = [{"url": f"http://media.invalid/{n}.mp3?duration=240", "title": f"Song {n}", "image": media + path} for n, path in enumerate([*files, "/missing.png"], 1)]
        load(page, simulator, "sim-004", {"items": songs, "app": "5A1D0001"}, "cmd/queue_load")
        name = simulator.name("sim-004")
        expand_named(page, name)
        expanded = page.locator(".expanded")
        image = expanded.locator(".expanded-art img")
        for n, ratio in [(1, 16 / 9), (2, 2 / 3), (3, 1)]:
            expect(expanded.get_by_role("heading")).to_have_text(f"Song {n}")
            expect(image).to_be_visible()
            box = image.bounding_box()
            assert abs(box["width"] / box["height"] - ratio) < 0.03, (n, box)
            assert max(box["width"], box["height"]) > 150, box
            expanded.get_by_role("button", name="Next").click()
        expect(expanded.get_by_role("heading")).to_have_text("Song 4")
        expect(expanded.locator(".expanded-art .artwork-icon svg")).to_be_visible()
        page.keyboard.press("Escape")
        page.wait_for_timeout(500)
        before = len(asked)
        for _ in range(3):
            expand_named(page, name)
            page.keyboard.press("Escape")
        assert len(asked) == before, asked[before:]


def an_ad_shows_its_own_picture(browser, simulator):
    files = {f"/{name}.png": ("image/png", png(color)) for name, color in [("film", RED), ("ad", BLUE)]}
    with media_server(files) as media, Bridge(options.program, ARTWORK_ALLOW_LOCAL="true") as bridge:
        page = browser.page(url=bridge.link, signs_in=False)
        load(page, simulator, "sim-001", {
            "url": "http://media.invalid/film.mp4?duration=600", "title": "A film", "image": media + "/film.png",
            "breaks": [{"id": "x", "position": 0, "clips": ["a"]}],
            "break_clips": [{"id": "a", "url": "http://media.invalid/a.mp4", "duration": 120, "skippable_after": 1, "poster": media + "/ad.png"}]})
        expanded = expand_named(page, simulator.name("sim-001"))
        shows(page, expanded.locator(".expanded-art cast-artwork"), BLUE)
        expanded.get_by_role("button", name="Skip ad").click()
        shows(page, expanded.locator(".expanded-art cast-artwork"), RED)


QUICK = [the_buttons_are_those_of_the_kind_of_media, a_tap_on_the_track_moves_the_volume_at_most_ten_points, the_play_buttons_are_in_view_at_every_size]
TESTS = [pictures_are_whole_and_a_missing_one_is_asked_for_once, an_ad_shows_its_own_picture]
