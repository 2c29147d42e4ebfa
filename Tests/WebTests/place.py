"""Something to choose: presets, what was played, folders with search, a file of this computer, and a failure in one sentence."""

import re
import tempfile
from pathlib import Path

from playwright.sync_api import expect

import options
from axe import findings
from controllers import media_server, png, shows
from harness import Bridge, until
from quick import command


# The first bytes, by which the bridge reads the type of a file.
BEGINNINGS = {"mp3": b"ID3\x04\0\0\0\0\0\0\xff\xfb\x90\x64", "mp4": b"\0\0\0\x18ftypisom\0\0\0\0isommp42"}


class House:
    """A bridge with two presets and two folders, and a page of it that shows the view Play."""

    def __init__(self, browser, configuration=None, **environment):
        self.browser = browser
        self.folder = tempfile.TemporaryDirectory(prefix="media-")
        root = Path(self.folder.name)
        for name in ["films/night-ferry.mp4", "films/series/pilot.mp4", "songs/one.mp3", "songs/two.mp3", "songs/cover.png", "films/night-ferry.png",
                     "films/blue hour.mp4", "films/blue hour.png"]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(png((40, 120, 200)) if name.endswith("png") else BEGINNINGS[name[-3:]] + bytes(2000))
        self.bridge = Bridge(options.program, configuration=configuration or f"""
media: {{listen: ["127.0.0.1:0"], folders: {{films: {root}/films, songs: {root}/songs}}}}
presets:
  Radio One: {{url: "http://media.invalid/one.mp3?duration=300", volume: 30}}
  Sunday film: {{url: "http://media.invalid/sunday.mp4?duration=300"}}
""", **environment)

    def __enter__(self):
        self.bridge.__enter__()
        page = self.browser.page(url=self.bridge.link, signs_in=False)
        expect(page.locator("device-card").first).to_be_visible()
        page.goto(self.bridge.url + "#/play")
        return page

    def __exit__(self, *problem):
        self.bridge.__exit__(*problem)
        self.folder.cleanup()


def part(page, title):
    """A list of the view, by its title."""
    return page.locator("media-list").filter(has=page.get_by_role("heading", name=title, exact=True))


def close_controls(page):
    """A load opens the controls."""
    expect(page.locator(".expanded")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".expanded")).to_have_count(0)


def choose(page, name):
    device = page.get_by_label("On", exact=True)
    expect(device.locator("option", has_text=name)).to_have_count(1)
    device.select_option(label=name)


def presets_and_what_was_played_are_one_touch_away(browser, simulator):
    with House(browser) as page:
        choose(page, simulator.name("sim-001"))
        part(page, "Presets").get_by_role("button", name="Radio One").click()
        until(lambda: "/one.mp3" in simulator.state("sim-001").get("content_id", ""), "the preset plays")
        assert round(simulator.state("sim-001")["volume"] * 100) == 30
        close_controls(page)
        recents = part(page, "Played before").get_by_role("button")
        page.get_by_label("Address", exact=True).fill("http://media.invalid/other.mp3?duration=300")
        page.locator("place-view").get_by_role("button", name="Play", exact=True).click()
        until(lambda: "/other.mp3" in simulator.state("sim-001").get("content_id", ""), "the address plays")
        close_controls(page)
        expect(recents).to_have_text([re.compile("^other"), re.compile("^(Radio One|one)")])
        # Somebody else loads something, which changes the numbers of what was played.
        other = page.get_by_label("On", exact=True).locator("option", has_text=simulator.name("sim-002")).get_attribute("value")
        assert command(page, other, "cmd/load", "http://media.invalid/third.mp3?duration=300")["status"] == "ok"
        recents.last.click()
        until(lambda: "/one.mp3" in simulator.state("sim-001").get("content_id", ""), "what was played before plays again")


def folders_are_places_and_a_search_finds_what_is_in_them(browser, simulator):
    with House(browser) as page:
        choose(page, simulator.name("sim-002"))
        part(page, "Folders").get_by_role("link", name="films").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("films")
        part(page, "In this folder").get_by_role("link", name="series").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("series")
        part(page, "In this folder").get_by_role("button", name="pilot.mp4").click()
        until(lambda: simulator.state("sim-002").get("title") == "pilot", "the file plays on the device that was chosen")
        close_controls(page)
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("films")
        page.get_by_role("navigation", name="Folders").get_by_role("link", name="Play").click()
        # The view of the folder has a search of its own until it is gone.
        expect(page.get_by_role("heading", level=1)).not_to_have_text("films")
        page.get_by_label("Search presets and folders").fill("ONE")
        found = part(page, "Found")
        expect(found.locator(".row")).to_have_text([re.compile("Radio One"), re.compile("^one.mp3songs")])
        expect(part(page, "Folders")).to_be_hidden()
        found.get_by_role("button", name="Add to the queue: one.mp3").click()
        until(lambda: simulator.state("sim-002")["queue_length"] == 2, "it waits in the queue")
        page.get_by_label("Search presets and folders").fill("nothing like it")
        expect(page.get_by_text("Nothing has all of these words.")).to_be_visible()
        page.get_by_label("Search presets and folders").fill("")
        part(page, "Folders").get_by_role("button", name="Play: songs").click()
        until(lambda: simulator.state("sim-002").get("title") == "one", "a folder is a queue")
        close_controls(page)
        for scheme in ["light", "dark"]:
            page.emulate_media(color_scheme=scheme)
            for path in ["#/play", "#/play/films", "#/play/films%2Fnone"]:
                page.goto(page.url.split("#")[0] + path)
                expect(page.locator("place-view").get_by_role("heading", level=1)).to_be_visible()
                page.wait_for_timeout(300)
                assert not (wrong := findings(page)), (path, wrong)


def pictures_stand_beside_what_can_be_played(browser, simulator):
    refused = set()

    def refuse(route):
        """Refuses the first request for each picture, as a bridge does that sends many at once."""
        if route.request.url in refused:
            return route.fallback()
        refused.add(route.request.url)
        route.fulfill(status=429, headers={"Retry-After": "1"})

    with House(browser) as page:
        page.route("**/media/picture?*", refuse)
        page.reload()
        picture = lambda title, name: part(page, title).locator(".media-row", has_text=name).first.locator("cast-artwork")
        expect(picture("Folders", "songs")).to_have_attribute("data-picture", "")
        expect(picture("Folders", "films")).not_to_have_attribute("data-picture", "")
        part(page, "Folders").get_by_role("link", name="films").click()
        expect(picture("In this folder", "night-ferry.mp4")).to_have_attribute("data-picture", "")
        expect(picture("In this folder", "series")).not_to_have_attribute("data-picture", "")
        expect(picture("In this folder", "blue hour.mp4")).to_have_attribute("data-picture", "")


def what_was_played_has_the_picture_it_was_loaded_with(browser, simulator):
    with media_server({"/cover.png?token=geheim": ("image/png", png((20, 180, 20)))}) as media, House(browser, ARTWORK_ALLOW_LOCAL="true") as page:
        choose(page, simulator.name("sim-001"))
        song = {"url": "http://media.invalid/green.mp3?duration=300", "title": "Green", "image": f"{media}/cover.png?token=geheim"}
        assert command(page, page.get_by_label("On", exact=True).input_value(), "cmd/load", song)["status"] == "ok"
        page.reload()
        row = part(page, "Played before").locator(".media-row", has_text="Green")
        shows(page, row.locator("cast-artwork"), (20, 180, 20))
        listed = page.evaluate("async () => await (await fetch('api/v1/media?list=recents')).text()")
        assert "cover.png" in listed and "geheim" not in listed, listed


def without_folders_there_is_no_part_for_them(browser, simulator):
    with House(browser, "log: {level: warning}") as page:
        expect(page.get_by_label("Address", exact=True)).to_be_visible()
        page.wait_for_timeout(500)
        expect(page.locator("media-list:visible")).to_have_count(0)
        expect(page.get_by_role("searchbox")).to_have_count(0)
        expect(page.locator(".load-failure:visible")).to_have_count(0)


def a_file_of_this_computer_plays_and_a_refusal_says_what_to_do(browser, simulator):
    with House(browser) as page:
        choose(page, simulator.name("sim-001"))
        sent = []

        def take(route):
            sent.append((route.request.url.split("?")[1], route.request.headers))
            route.fulfill(json={"id": "songs/one.mp3"})

        page.route("**/api/v1/media/uploads?*", take)
        with page.expect_file_chooser() as chooser:
            page.get_by_text("Choose a file").click()
        chooser.value.set_files({"name": "a song.mp3", "mimeType": "audio/mpeg", "buffer": bytes(5000)})
        close_controls(page)
        until(lambda: simulator.state("sim-001").get("title") == "one", "what was uploaded plays")
        assert sent[0][0] == "name=a%20song.mp3" and sent[0][1]["x-csrf-token"], sent
        # The same file, dropped; the bridge refuses it.
        page.unroute("**/api/v1/media/uploads?*")
        page.route("**/api/v1/media/uploads?*", lambda route: route.fulfill(status=413, json={"error": {"code": "too_large", "message": "At most 200 MB."}}))
        page.evaluate("""() => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(10)], 'big.mp4', { type: 'video/mp4' }));
            document.querySelector('place-view').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        }""")
        failure = page.locator(".load-failure")
        expect(failure.locator("strong").first).to_have_text("big.mp4: That is too much at once.")
        expect(failure.locator("p").first).to_have_text("Choose a smaller file.")
        expect(failure.get_by_text("At most 200 MB.")).to_be_hidden()
        failure.get_by_text("Details").click()
        expect(failure.get_by_text("At most 200 MB.")).to_be_visible()


def artist_kind_and_picture_reach_the_device(browser, simulator):
    page = browser.page("#/play")
    choose(page, simulator.name("sim-001"))
    page.get_by_label("Address", exact=True).fill("http://media.invalid/song.mp3?duration=300")
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Artist", exact=True).fill("Example Trio")
    page.get_by_label("Kind", exact=True).select_option("Music")
    page.get_by_label("Address of a picture").fill("http://media.invalid/cover.jpg")
    page.locator("place-view").get_by_role("button", name="Play", exact=True).click()
    expanded = page.locator(".expanded")
    expect(expanded.locator(".expanded-lines")).to_have_text("Example Trio")
    device = page.evaluate("localStorage.getItem('device')")
    media = page.evaluate("async (slug) => (await (await fetch(`api/v1/devices/${slug}/media`)).json())", device)
    assert (media["kind"], media["image"], media["content_type"]) == ("music", "http://media.invalid/cover.jpg", "audio/mpeg"), media


TESTS = [
    presets_and_what_was_played_are_one_touch_away, folders_are_places_and_a_search_finds_what_is_in_them, without_folders_there_is_no_part_for_them,
    pictures_stand_beside_what_can_be_played, what_was_played_has_the_picture_it_was_loaded_with, a_file_of_this_computer_plays_and_a_refusal_says_what_to_do, artist_kind_and_picture_reach_the_device,
]
