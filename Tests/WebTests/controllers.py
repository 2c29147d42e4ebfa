"""The Cast dialog, the controllers, tracks, volume and queue in detail, as Google's design checklist asks for them, and real pictures."""

import contextlib
import http.server
import re
import struct
import threading
import zlib

from playwright.sync_api import expect

import options
from harness import Bridge, until
from quick import FILM, command, expand, expand_named, load, slug


def card_of(page, name):
    return page.locator("device-card").filter(has=page.get_by_role("heading", name=name, exact=True))


def member_of_group(simulator, index):
    """Control name and name of a member of the group."""
    name = simulator.state("group-001")["members"][index]["name"]
    return next(entry["device"] for entry in simulator.send(do="list")["devices"] if entry["name"] == name), name


def the_chooser_shows_kind_group_and_what_plays(browser, simulator):
    page = browser.page()
    simulator.play("sim-001", title="From a phone", url="http://media.invalid/x.mp4", duration=600)
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600, app="5A1D0001")
    group = simulator.name("group-001")
    _, member = member_of_group(simulator, 0)
    expect(card_of(page, group)).to_contain_text("Everywhere")
    expect(card_of(page, simulator.name("sim-001"))).to_contain_text("From a phone")
    page.evaluate("localStorage.removeItem('device')")
    page.locator(".bar cast-button button").click()
    dialog = page.get_by_role("dialog", name="Cast to")
    row = lambda name: dialog.locator(".row").filter(has=page.get_by_text(name, exact=True)).locator(".quiet")
    expect(row(simulator.name("sim-001"))).to_have_text("Casting Default Media Receiver · From a phone · Screen")
    expect(row(group)).to_have_text("Casting Orchard Radio · Everywhere · Group")
    expect(row(member)).to_have_text(f"Playing · {group} · Speaker")
    expect(row(simulator.name("sim-003"))).to_have_text("Screen")
    names = dialog.locator(".row-text > :first-child").all_inner_texts()
    assert names == sorted(names), names


def the_connected_dialog_shows_what_plays(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-001")
    for metadata, title, lines in [
        (FILM["metadata"], "Big Buck Bunny", "A large rabbit · Blender Foundation"),
        ({"type": "music", "title": "A song", "artist": "Example Trio", "album": "First"}, "A song", "Example Trio · First"),
        ({"type": "tv_show", "title": "Pilot", "series": "Example Series", "season": 2, "episode": 5}, "Pilot", "Example Series · S2 E5"),
    ]:
        load(page, simulator, "sim-001", {"url": f"http://media.invalid/{title}.mp4?duration=600".replace(" ", "-"), "content_type": "video/mp4", "metadata": metadata})
        expect(page.locator("mini-controller")).to_contain_text(title)
        page.locator(".bar cast-button button").click()
        dialog = page.get_by_role("dialog", name=name)
        expect(dialog.get_by_role("heading")).to_have_text(name)
        expect(dialog.locator(".now strong")).to_have_text(title)
        expect(dialog.locator(".now .quiet")).to_have_text(lines)
        expect(dialog.locator("cast-artwork")).to_be_visible()
        expect(dialog.get_by_role("slider", name=f"Volume of {name}")).to_have_value("40")
        page.keyboard.press("Escape")
    page.locator(".bar cast-button button").click()
    page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "pause from the dialog")
    page.get_by_role("dialog").locator(".now").click()
    expect(page.locator(".expanded")).to_be_visible()


def the_mini_controller_shows_progress_and_stops_live_streams(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    mini = page.locator("mini-controller")
    expect(mini.locator("strong")).to_have_text("Big Buck Bunny")
    expect(mini.locator(".quiet")).to_have_text(f"A large rabbit · Casting to {simulator.name('sim-001')}")
    # As wide as it is painted, not as a property says.
    painted = "(bar) => Number(new DOMMatrix(getComputedStyle(bar, '::before').transform).a)"
    bar = mini.locator(".mini-progress")
    expect(bar).to_be_visible()
    simulator.send(device="sim-001", do="seek", position=447)
    # Not `wait_for_function`: it needs `eval`, which the page's policy forbids.
    until(lambda: 0.74 < bar.evaluate(painted) < 0.8, "the bar is painted after the jump")
    before = bar.evaluate(painted)
    until(lambda: bar.evaluate(painted) > before, "the bar grows")
    load(page, simulator, "sim-001", {"url": "http://media.invalid/live.mp3", "stream": "live", "content_type": "audio/mpeg", "title": "Radio"})
    expect(mini.locator("strong")).to_have_text("Radio")
    expect(bar).to_be_hidden()
    expect(mini.get_by_role("button", name="Pause")).to_have_count(0)
    mini.get_by_role("button", name="Stop").click()
    until(lambda: simulator.state("sim-001")["player"] == "IDLE", "stop")


def the_expanded_controller_shows_the_facts_of_each_kind(browser, simulator):
    page = browser.page()
    for metadata, lines, facts in [
        ({"type": "generic", "title": "Clip", "subtitle": "A test", "release_date": "2024-03-01"}, "A test", {"Released": "Mar 1, 2024"}),
        ({"type": "movie", "title": "Film", "subtitle": "A rabbit", "studio": "Blender", "release_date": "2008-04-10"}, "A rabbit · Blender", {"Released": "Apr 10, 2008"}),
        ({"type": "tv_show", "title": "Pilot", "series": "Series", "season": 2, "episode": 5, "original_air_date": "2019-12-31"}, "Series · S2 E5", {"First aired": "Dec 31, 2019"}),
        ({"type": "music", "title": "Song", "artist": "Trio", "album": "First", "album_artist": "Various", "composer": "B. Writer", "track_number": 3,
          "disc_number": 1, "release_date": "1999"}, "Trio · First",
         {"Album artist": "Various", "Composer": "B. Writer", "Track": "3", "Disc": "1", "Released": "1999"}),
        ({"type": "photo", "title": "Picture", "artist": "A. Camera", "location": "Vienna", "latitude": 48.25, "longitude": 16.5, "width": 4000, "height": 3000,
          "creation_date_time": "2024-03-01T10:30:00Z"}, "A. Camera · Vienna",
         {"Coordinates": "48.25, 16.5", "Size": "4000 × 3000", "Taken": re.compile(r"^(Feb 29|Mar [12]), 2024, \d+:[03]0")}),
        ({"type": "audiobook_chapter", "title": "Chapter", "subtitle": "Unabridged", "book_title": "Book", "chapter_title": "The sea", "chapter_number": 4,
          "content_rating": "12"}, "Book · The sea", {"Subtitle": "Unabridged", "Chapter number": "4", "Age rating": "12"}),
    ]:
        kind = metadata["type"]
        load(page, simulator, "sim-001", {"url": f"http://media.invalid/{kind}.mp4?duration=600", "content_type": "video/mp4", "metadata": metadata})
        expect(page.locator("mini-controller strong")).to_have_text(metadata["title"])
        expanded = expand(page, simulator, "sim-001")
        expect(expanded.get_by_role("heading")).to_have_text(metadata["title"])
        expect(expanded.locator(".expanded-lines")).to_have_text(lines)
        expect(expanded.locator(".expanded-facts dt")).to_have_text(list(facts))
        expect(expanded.locator(".expanded-facts dd")).to_have_text(list(facts.values()))
        # Nothing is cut off, and what must not be here is not.
        assert expanded.locator(".expanded-facts").evaluate("(list) => list.scrollHeight <= list.clientHeight + 1"), kind
        # A browser has no volume keys.
        expect(expanded.get_by_role("slider")).to_have_count(2)
        expect(expanded.get_by_role("button", name=re.compile("Stop casting|Disconnect"))).to_have_count(0)
        expect(expanded.get_by_role("button", name=re.compile("^Speed"))).to_be_visible()
        page.keyboard.press("Escape")
    load(page, simulator, "sim-001", {"url": "http://media.invalid/live.mp3", "stream": "live", "content_type": "audio/mpeg", "title": "Radio"})
    expanded = expand(page, simulator, "sim-001")
    expect(expanded.get_by_role("button", name="Stop")).to_be_visible()
    for hidden in ["^Speed", "From the beginning", "Pause"]:
        expect(expanded.get_by_role("button", name=re.compile(hidden))).to_have_count(0)


def video_tracks_are_chosen(browser, simulator):
    page = browser.page()
    tracks = FILM["tracks"] + [{"id": 5, "type": "video", "name": "Main camera"}, {"id": 6, "type": "video", "name": "Stage"}]
    load(page, simulator, "sim-001", FILM | {"tracks": tracks, "active_tracks": [3, 5]})
    expand(page, simulator, "sim-001").get_by_role("button", name="Tracks and subtitles").click()
    video = page.get_by_role("dialog", name="Tracks").get_by_role("group", name="Video")
    expect(video.get_by_role("radio", name="Main camera")).to_be_checked()
    video.get_by_role("radio", name="Stage").check()
    until(lambda: sorted(simulator.state("sim-001")["active_tracks"]) == [3, 6], "another camera, the same sound")
    expect(video.get_by_role("radio", name="Stage")).to_be_checked()


def every_property_of_the_text_style_is_chosen(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    expand(page, simulator, "sim-001").get_by_role("button", name="Tracks and subtitles").click()
    page.get_by_role("dialog", name="Tracks").get_by_role("button", name="How subtitles look").click()
    dialog = page.get_by_role("dialog", name="How subtitles look")
    field = lambda name: dialog.get_by_label(name, exact=True)
    look = lambda part, name: dialog.locator(part).evaluate(f"(element) => getComputedStyle(element).getPropertyValue('{name}')")
    expect(field("Corner radius")).to_be_hidden()
    choose = lambda name, value: field(name).select_option(value)
    fill = lambda name, value: field(name).fill(value)
    for act, name, value, part, style, expected in [
        (choose, "Size", "2", ".cue", "font-size", "38.4px"),
        (fill, "Name of a font", "Droid Sans", ".cue", "font-family", '"Droid Sans", sans-serif'),
        (choose, "Font", "monospaced_serif", ".cue", "font-family", '"Droid Sans", "Courier New", monospace'),
        (choose, "Weight", "bold_italic", ".cue", "font-style", "italic"),
        (fill, "Text colour", "#ffff00", ".cue", "color", "rgb(255, 255, 0)"),
        (fill, "Opacity of the text", "80", ".cue", "color", "rgba(255, 255, 0, 0.8)"),
        (fill, "Background", "#0000ff", ".cue", "background-color", "rgba(0, 0, 255, 0.5)"),
        (fill, "Opacity of the background", "100", ".cue", "background-color", "rgb(0, 0, 255)"),
        (choose, "Edge", "depressed", ".cue", "text-shadow", "rgb(0, 0, 0) -1px -1px 0px, rgb(0, 0, 0) -2px -2px 0px"),
        (fill, "Edge colour", "#ff0000", ".cue", "text-shadow", "rgb(255, 0, 0) -1px -1px 0px, rgb(255, 0, 0) -2px -2px 0px"),
        (fill, "Opacity of the edge", "60", ".cue", "text-shadow", "rgba(255, 0, 0, 0.6) -1px -1px 0px, rgba(255, 0, 0, 0.6) -2px -2px 0px"),
        (choose, "Window", "rounded_corners", ".cue-window", "border-top-left-radius", "8px"),
        (choose, "Corner radius", "16", ".cue-window", "border-top-left-radius", "16px"),
        (fill, "Window colour", "#00ff00", ".cue-window", "background-color", "rgba(0, 255, 0, 0.5)"),
        (fill, "Opacity of the window", "20", ".cue-window", "background-color", "rgba(0, 255, 0, 0.2)"),
    ]:
        act(name, value)
        assert (found := look(part, style)) == expected, (name, found, expected)
    assert look(".cue", "font-weight") == "700"
    dialog.get_by_role("button", name="Apply").click()
    expected = {"fontScale": 2, "fontFamily": "Droid Sans", "fontGenericFamily": "MONOSPACED_SERIF", "fontStyle": "BOLD_ITALIC",
                "foregroundColor": "#FFFF00CC", "backgroundColor": "#0000FFFF", "edgeType": "DEPRESSED", "edgeColor": "#FF000099",
                "windowType": "ROUNDED_CORNERS", "windowColor": "#00FF0033", "windowRoundedCornerRadius": 16}
    found = until(lambda: simulator.state("sim-001").get("text_style"), "the style")
    assert found == expected, found
    # Opened again, it shows what the device has.
    expect(dialog).to_have_count(0)
    page.get_by_role("dialog", name="Tracks").get_by_role("button", name="How subtitles look").click()
    expect(field("Corner radius")).to_have_value("16")
    expect(field("Name of a font")).to_have_value("Droid Sans")
    expect(field("Edge colour")).to_have_value("#ff0000")
    expect(field("Opacity of the window")).to_have_value("20")
    assert look(".cue", "color") == "rgba(255, 255, 0, 0.8)"


def a_fixed_volume_is_explained(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-003")
    card = card_of(page, name)
    slider = card.get_by_role("slider", name=f"Volume of {name}")
    simulator.play("sim-003", title="Loud", url="http://media.invalid/x.mp4", duration=600)
    expect(slider).to_be_enabled()
    expect(slider).to_have_accessible_description("")
    simulator.send(device="sim-003", do="volume", control="fixed")
    try:
        expect(slider).to_be_disabled()
        expect(slider).to_have_accessible_description("This device has a fixed volume.")
        expect(card.get_by_text("This device has a fixed volume.")).to_be_visible()
        for label in [f"{name} louder", f"{name} softer", f"Mute {name}"]:
            expect(card.get_by_role("button", name=label)).to_be_disabled()
        card.get_by_role("button", name=f"Cast to: {name}").click()
        page.locator(".bar cast-button button").click()
        dialog = page.get_by_role("dialog", name=name)
        expect(dialog.get_by_role("slider")).to_be_disabled()
        expect(dialog.get_by_role("slider")).to_have_accessible_description("This device has a fixed volume.")
    finally:
        simulator.send(device="sim-003", do="volume", control="attenuation")
    expect(dialog.get_by_role("slider")).to_be_enabled()
    expect(dialog.get_by_text("This device has a fixed volume.")).to_be_hidden()


def the_slider_of_a_group_keeps_the_ratio_of_its_members(browser, simulator):
    page = browser.page()
    members = [member_of_group(simulator, index) for index in range(len(simulator.state("group-001")["members"]))]
    for (device, _), level in zip(members, [0.4, 0.2, 0.3]):
        simulator.send(device=device, do="volume", level=level)
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    group = simulator.name("group-001")
    card = card_of(page, group)
    expect(card).to_contain_text("Everywhere")
    card.get_by_role("button", name=f"Cast to: {group}").click()
    page.locator(".bar cast-button button").click()
    dialog = page.get_by_role("dialog", name=group)
    dialog.get_by_text("Speakers of the group").click()
    slider = lambda name: dialog.get_by_role("slider", name=f"Volume of {name}", exact=True)
    before = [["40", "20", "30"][index] for index in range(len(members))]
    for (_, name), value in zip(members, before):
        expect(slider(name)).to_have_value(value)
    expect(slider(group)).to_have_value("30")
    slider(group).fill("60")
    for (_, name), value in zip(members, before):
        expect(slider(name)).to_have_value(str(2 * int(value)))
    expect(slider(group)).to_have_value("60")
    for (device, _), value in zip(members, before):
        assert round(simulator.state(device)["volume"] * 100) == 2 * int(value)
    # A member's own change moves the group.
    slider(members[0][1]).fill("20")
    until(lambda: round(simulator.state(members[0][0])["volume"] * 100) == 20, "the member is softer")
    average = round(sum([20] + [2 * int(value) for value in before[1:]]) / len(members))
    expect(slider(group)).to_have_value(str(average))
    expect(slider(members[1][1])).to_have_value("40")


def the_queue_marks_what_plays_what_waits_and_what_is_loaded(browser, simulator):
    page = browser.page()
    items = [{"url": f"http://media.invalid/{n}.mp3?duration=60", "title": f"Song {n}", "artist": "Example Trio", "preload_time": 50} for n in range(1, 5)]
    items[2]["autoplay"] = False
    load(page, simulator, "sim-004", {"items": items, "app": "5A1D0001"}, "cmd/queue_load")
    ids = simulator.state("sim-004")["queue"]
    page.get_by_role("link", name="Queue").click()
    row = lambda n: page.get_by_role("listitem").filter(has_text=f"Song {n}")
    expect(row(1).locator("[aria-current=true]")).to_contain_text("Plays now")
    expect(page.locator("queue-row [aria-current]")).to_have_count(1)
    expect(row(3)).to_contain_text("Waits when its turn comes")
    for n in [1, 2, 4]:
        expect(row(n)).not_to_contain_text("Waits")
    simulator.send(device="sim-004", do="seek", position=20)
    until(lambda: simulator.state("sim-004").get("preloaded_item_id") == ids[1], "the next item is loaded")
    expect(row(2)).to_contain_text("Loaded already")
    expect(page.get_by_text("Loaded already")).to_have_count(1)
    simulator.send(device="sim-004", do="seek", position=58)
    expect(row(2).locator("[aria-current=true]")).to_contain_text("Plays now")
    expect(row(2)).not_to_contain_text("Loaded already")
    expect(page.locator("queue-row [aria-current]")).to_have_count(1)


def a_device_lists_its_groups(browser, simulator):
    page = browser.page()
    group = simulator.name("group-001")
    _, member = member_of_group(simulator, 0)
    page.get_by_role("link", name=member, exact=True).click()
    section = page.locator("section").filter(has=page.get_by_role("heading", name="Groups"))
    line = section.get_by_role("listitem").filter(has_text=group)
    expect(line).not_to_contain_text("Playing")
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    expect(line).to_contain_text("Playing")
    line.get_by_role("link", name=group).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(group)
    members = page.locator("section").filter(has=page.get_by_role("heading", name="Members"))
    expect(members.get_by_role("link", name=member)).to_be_visible()


def png(color, width=96, height=96):
    """A picture of one colour."""
    part = lambda name, content: struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    rows = b"".join(b"\0" + bytes(color) * width for _ in range(height))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


@contextlib.contextmanager
def media_server(files):
    """An HTTP server with pictures; the others are missing."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind, content = files.get(self.path, (None, b""))
            self.send_response(200 if kind else 404)
            self.send_header("Content-Length", str(len(content)))
            if kind:
                self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


RED, GREEN, BLUE = (220, 20, 20), (20, 180, 20), (20, 20, 220)
# The colour in the middle of a picture that is decoded and visible; otherwise what the element shows.
MIDDLE = """(artwork) => {
    const image = artwork.querySelector('img');
    if (image.hidden) return getComputedStyle(artwork.querySelector('svg')).display === 'none' ? 'nothing' : 'icon';
    if (!image.complete || image.naturalWidth === 0) return 'not decoded';
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
    const context = canvas.getContext('2d');
    context.drawImage(image, image.naturalWidth / 2, image.naturalHeight / 2, 1, 1, 0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


def shows(page, artwork, color):
    """Waits until an artwork shows a colour (a JPEG changes it a little), or its icon in place of a picture."""
    found = None
    for _ in range(300):
        found = artwork.evaluate(MIDDLE)
        if found == "icon" if color is None else isinstance(found, list) and all(abs(a - b) < 12 for a, b in zip(found, color)):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{artwork} shows {found}, not {color}")


def real_pictures_are_decoded_everywhere(browser, simulator):
    files = {"/red.png": ("image/png", png(RED)), "/green.png": ("image/png", png(GREEN))}
    with media_server(files) as media, Bridge(options.program) as bridge:
        bridge.end(9)
        bridge.environment["CAST2MQTT_ARTWORK_ALLOW_LOCAL"] = "true"
        bridge.start()
        page = browser.page(url=bridge.link, signs_in=False)
        made = page.evaluate("""(color) => {
            const canvas = Object.assign(document.createElement('canvas'), { width: 96, height: 96 });
            const context = canvas.getContext('2d');
            context.fillStyle = `rgb(${color.join()})`;
            context.fillRect(0, 0, 96, 96);
            return new Promise((done) => canvas.toBlob(async (blob) => done([...new Uint8Array(await blob.arrayBuffer())]), 'image/jpeg', 0.95));
        }""", list(BLUE))
        files["/blue.jpg"] = ("image/jpeg", bytes(made))
        songs = [{"url": f"http://media.invalid/{n}.mp3?duration=240", "title": f"Song {n}", "image": media + image}
                 for n, image in enumerate(["/red.png", "/blue.jpg", "/missing.png", "/green.png"], 1)]
        load(page, simulator, "sim-004", {"items": songs, "app": "5A1D0001"}, "cmd/queue_load")
        name = simulator.name("sim-004")
        device = slug(page, name)
        for n, color in [(1, RED), (2, BLUE), (3, None), (4, GREEN)]:
            if n > 1:
                assert command(page, device, "cmd/next")["status"] == "ok"
            expect(page.locator("mini-controller strong")).to_have_text(f"Song {n}")
            shows(page, page.locator("mini-controller cast-artwork"), color)
            shows(page, card_of(page, name).locator("cast-artwork"), color)
            expand_named(page, name)
            shows(page, page.locator(".expanded-art cast-artwork"), color)
            page.keyboard.press("Escape")
            page.locator(".bar cast-button button").click()
            shows(page, page.locator("cast-dialog .now cast-artwork"), color)
            page.keyboard.press("Escape")
        page.get_by_role("link", name="Queue").click()
        for n, color in [(1, RED), (2, BLUE), (3, None), (4, GREEN)]:
            shows(page, page.get_by_role("listitem").filter(has_text=f"Song {n}").locator("cast-artwork"), color)


QUICK = [
    the_chooser_shows_kind_group_and_what_plays, the_mini_controller_shows_progress_and_stops_live_streams, a_fixed_volume_is_explained,
    a_device_lists_its_groups,
]
TESTS = [
    video_tracks_are_chosen, every_property_of_the_text_style_is_chosen, the_slider_of_a_group_keeps_the_ratio_of_its_members,
    the_connected_dialog_shows_what_plays, the_expanded_controller_shows_the_facts_of_each_kind,
    the_queue_marks_what_plays_what_waits_and_what_is_loaded, real_pictures_are_decoded_everywhere,
]
