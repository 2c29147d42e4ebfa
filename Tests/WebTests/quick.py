"""The controls of the page against simulated devices: each is used as a person would, and its effect is looked up in the simulator."""

import re
import time

from playwright.sync_api import expect

from harness import until
from axe import findings

FILM = {
    "url": "http://media.invalid/film.mp4?duration=596&video=3840x2160&hdr=hdr", "content_type": "video/mp4",
    "metadata": {"type": "movie", "title": "Big Buck Bunny", "subtitle": "A large rabbit", "studio": "Blender Foundation"},
    "tracks": [
        {"id": 1, "type": "text", "subtype": "subtitles", "language": "en", "name": "English", "url": "http://media.invalid/en.vtt", "content_type": "text/vtt"},
        {"id": 2, "type": "text", "subtype": "captions", "language": "de", "name": "Deutsch", "url": "http://media.invalid/de.vtt", "content_type": "text/vtt"},
        {"id": 3, "type": "audio", "language": "en", "name": "Stereo"},
        {"id": 4, "type": "audio", "language": "fr", "name": "Commentary"}],
    "active_tracks": [3],
}
SONGS = {"items": [{"url": f"http://media.invalid/{n}.mp3?duration=240", "title": f"Song {n}", "artist": "Example Trio"} for n in range(1, 6)], "app": "5A1D0001"}


def slug(page, name):
    """The slug of a device, as the link of its card has it."""
    link = page.get_by_role("link", name=name, exact=True)
    return link.get_attribute("href").split("/")[-1]


def command(page, device, topic, payload=None):
    """A command from within the page, for what a test needs before it begins."""
    return page.evaluate(
        """async ([slug, topic, payload]) => {
            const session = await (await fetch('api/v1/session')).json();
            const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': session.csrf ?? '' };
            const response = await fetch(`api/v1/commands/${slug}/${topic}`, { method: 'POST', headers, body: payload === null ? undefined : JSON.stringify(payload) });
            return await response.json();
        }""", [device, topic, payload])


def load(page, simulator, device, payload, topic="cmd/load"):
    name = simulator.name(device)
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    answer = command(page, slug(page, name), topic, payload)
    assert answer["status"] == "ok", answer
    until(lambda: simulator.state(device)["player"] == "PLAYING", "the device plays")


def expand(page, simulator, device):
    return expand_named(page, simulator.name(device))


def expand_named(page, name):
    page.get_by_role("button", name=f"Show the controls of {name}").click()
    expanded = page.get_by_role("dialog")
    expect(expanded).to_be_visible()
    return expanded


def goes_to(simulator, device, position, act, what):
    """Acts, and waits until the device plays near a position. It plays on meanwhile, which a slow machine sees late."""
    began = time.monotonic()
    act()
    until(lambda: -8 < simulator.state(device)["position"] - position < 8 + time.monotonic() - began, what)


def devices_are_listed_by_name_and_follow_what_others_do(browser, simulator):
    page = browser.page()
    names = page.locator("device-card h2")
    expect(names).to_have_count(len(simulator.send(do="list")["devices"]))
    shown = names.all_inner_texts()
    assert shown == sorted(shown), shown
    simulator.play("sim-001", title="From a phone", url="http://media.invalid/x.mp4", duration=600)
    card = page.locator("device-card", has_text=simulator.name("sim-001"))
    expect(card).to_contain_text("From a phone")
    expect(card).to_contain_text("Playing")
    simulator.send(device="sim-001", do="pause")
    expect(card).to_contain_text("Paused")
    simulator.send(device="sim-001", do="volume", level=0.73)
    expect(card.get_by_role("slider")).to_have_value("73")
    card.get_by_role("button", name="Play", exact=True).click()
    until(lambda: simulator.state("sim-001")["player"] == "PLAYING", "play from the card")


def cast_dialog_connects_shows_and_ends(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-001")
    cast = page.locator(".bar cast-button button")
    expect(cast).to_have_accessible_name("Cast: not connected")
    cast.click()
    dialog = page.get_by_role("dialog", name="Cast to")
    expect(dialog.get_by_role("button", name=re.compile("simulated"))).not_to_have_count(0)
    dialog.get_by_role("button", name=re.compile(re.escape(name))).click()
    until(lambda: simulator.state("sim-001").get("app_id") == "CC1AD845", "the receiver is launched")
    expect(cast).to_have_accessible_name(f"Cast: connected to {name}")
    connected = page.get_by_role("dialog", name=name)
    slider = connected.get_by_role("slider", name=f"Volume of {name}")
    # The key counts from what the slider shows.
    expect(slider).to_have_value("40")
    slider.focus()
    page.keyboard.press("ArrowRight")
    until(lambda: round(simulator.state("sim-001")["volume"] * 100) == 41, "one step louder by key")
    connected.get_by_role("button", name=f"Mute {name}").click()
    until(lambda: simulator.state("sim-001")["muted"], "mute")
    expect(connected.get_by_role("button", name=f"Mute {name}")).to_have_attribute("aria-pressed", "true")
    connected.get_by_role("button", name=f"{name} softer").click()
    until(lambda: simulator.state("sim-001")["volume"] < 0.405, "softer")
    connected.get_by_role("button", name=f"{name} louder").click()
    until(lambda: simulator.state("sim-001")["volume"] > 0.405, "louder")
    connected.get_by_role("button", name="Stop casting").click()
    until(lambda: simulator.state("sim-001").get("app_id") != "CC1AD845", "the application ends")
    expect(cast).to_have_accessible_name("Cast: not connected")
    expect(page.get_by_role("dialog")).to_have_count(0)


def disconnecting_leaves_the_application_running(browser, simulator):
    page = browser.page()
    simulator.play("sim-001", title="Goes on", url="http://media.invalid/x.mp4", duration=600)
    name = simulator.name("sim-001")
    card = page.locator("device-card", has_text=name)
    expect(card).to_contain_text("Goes on")
    card.get_by_role("button", name=f"Cast to: {name}").click()
    cast = page.locator(".bar cast-button button")
    expect(cast).to_have_accessible_name(f"Cast: connected to {name}")
    cast.click()
    page.get_by_role("button", name="Disconnect").click()
    expect(cast).to_have_accessible_name("Cast: not connected")
    until(lambda: simulator.state("sim-001")["player"] == "PLAYING", "the application goes on")
    expect(page.get_by_role("region", name=f"Playing on {name}")).to_contain_text("Goes on")


def mini_and_expanded_controller(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    mini = page.locator("mini-controller")
    expect(mini).to_contain_text("Big Buck Bunny")
    mini.get_by_role("button", name="Pause").click()
    until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "pause")
    mini.get_by_role("button", name="Play", exact=True).click()
    until(lambda: simulator.state("sim-001")["player"] == "PLAYING", "play")
    mini.get_by_role("button", name=re.compile("^Open the controls")).click()
    expanded = page.get_by_role("dialog", name="Big Buck Bunny")
    for text in ["A large rabbit", "Blender Foundation", "4K", "HDR", "9:56"]:
        expect(expanded).to_contain_text(text)
    before = simulator.state("sim-001")["position"]
    expanded.get_by_role("button", name="30 seconds ahead").click()
    until(lambda: simulator.state("sim-001")["position"] > before + 25, "30 seconds ahead")
    ahead = simulator.state("sim-001")["position"]
    expanded.get_by_role("button", name="30 seconds back").click()
    until(lambda: simulator.state("sim-001")["position"] < ahead - 15, "30 seconds back")
    bar = expanded.get_by_role("slider", name="Position")
    goes_to(simulator, "sim-001", 298, bar.click, "seek by a click in the middle")
    bar.focus()

    def two_steps():
        page.keyboard.press("PageUp")
        page.keyboard.press("PageUp")

    goes_to(simulator, "sim-001", 328, two_steps, "seek by keys")
    goes_to(simulator, "sim-001", 0, lambda: page.keyboard.press("Home"), "to the beginning by key")
    expanded.get_by_role("button", name="Mute").click()
    until(lambda: simulator.state("sim-001")["muted"], "mute")
    expanded.get_by_role("button", name=re.compile("^Speed")).click()
    page.get_by_role("radio", name="1.5×").check()
    until(lambda: simulator.state("sim-001")["rate"] == 1.5, "speed")
    page.keyboard.press("Escape")
    expanded.get_by_role("button", name="Pause").click()
    until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "pause in the expanded controller")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def tracks_and_text_style(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    expand(page, simulator, "sim-001").get_by_role("button", name="Tracks and subtitles").click()
    dialog = page.get_by_role("dialog", name="Tracks")
    dialog.get_by_role("radio", name=re.compile("German")).check()
    until(lambda: sorted(simulator.state("sim-001")["active_tracks"]) == [2, 3], "German subtitles")
    dialog.get_by_role("radio", name=re.compile("French")).check()
    until(lambda: sorted(simulator.state("sim-001")["active_tracks"]) == [2, 4], "French sound")
    dialog.get_by_role("group", name="Subtitles").get_by_role("radio", name="Off").check()
    until(lambda: simulator.state("sim-001")["active_tracks"] == [4], "no subtitles")
    dialog.get_by_role("button", name="How subtitles look").click()
    style = page.get_by_role("dialog", name="How subtitles look")
    style.get_by_label("Size").select_option("1.5")
    style.get_by_label("Font", exact=True).select_option("serif")
    style.get_by_label("Weight").select_option("bold")
    style.get_by_label("Edge", exact=True).select_option("outline")
    style.get_by_label("Text colour", exact=True).fill("#ffff00")
    assert style.locator(".cue").evaluate("(cue) => getComputedStyle(cue).color") == "rgb(255, 255, 0)"
    style.get_by_role("button", name="Apply").click()
    found = until(lambda: simulator.state("sim-001").get("text_style"), "the style")
    expected = {"fontScale": 1.5, "fontGenericFamily": "SERIF", "fontStyle": "BOLD", "edgeType": "OUTLINE", "foregroundColor": "#FFFF00FF"}
    assert {key: found.get(key) for key in expected} == expected, found


def queue_is_edited(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    ids = simulator.state("sim-004")["queue"]
    page.get_by_role("link", name="Queue").click()
    rows = page.get_by_role("listitem").filter(has_text="Song")
    expect(rows).to_have_count(5)
    row = page.get_by_role("button", name=re.compile(r"^3\s*Song 3"))
    row.focus()
    page.keyboard.press("Alt+ArrowUp")
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[2], ids[1], ids[3], ids[4]], "moved up by key")
    expect(page.locator("queue-row .row:focus")).to_contain_text("Song 3")
    page.keyboard.press("Delete")
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[1], ids[3], ids[4]], "removed by key")
    # The device has removed it before the page knows, and the next command names a neighbour that the page shows.
    expect(rows).to_have_count(4)
    page.get_by_role("button", name="Play next: Song 5").click()
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[4], ids[1], ids[3]], "plays next")
    # The mouse goes to places on the screen: the rows must have theirs.
    for place in [r"^2\s*Song 5", r"^4\s*Song 4"]:
        expect(page.get_by_role("button", name=re.compile(place))).to_be_visible()
    handle = page.get_by_label("Move Song 4 by dragging").bounding_box()
    target = page.get_by_label("Move Song 5 by dragging").bounding_box()
    page.mouse.move(handle["x"] + 20, handle["y"] + 20)
    page.mouse.down()
    page.mouse.move(target["x"] + 20, target["y"] + 40, steps=8)
    page.mouse.move(target["x"] + 20, target["y"] + 20, steps=3)
    page.mouse.up()
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[3], ids[4], ids[1]], "moved by dragging")
    page.get_by_role("button", name=re.compile(r"^2\s*Song 4")).click()
    until(lambda: simulator.state("sim-004")["item_id"] == ids[3], "jumped")
    page.get_by_role("button", name="Repeat: off").click()
    until(lambda: simulator.state("sim-004")["repeat_mode"] == "REPEAT_ALL", "repeat")
    page.get_by_role("button", name="Shuffle").click()
    until(lambda: simulator.state("sim-004")["shuffled"], "shuffle")
    page.get_by_role("button", name="Clear").first.click()
    page.locator("queue-view dialog").get_by_role("button", name="Clear").click()
    until(lambda: simulator.state("sim-004")["queue_length"] == 1, "cleared but for the current item")


def addresses_are_added_anywhere_in_the_queue(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    ids = simulator.state("sim-004")["queue"]
    page.get_by_role("link", name="Queue").click()
    dialog = page.get_by_role("dialog", name="Add to the queue")
    name = lambda number: f"http://media.invalid/new-{number}.mp3?duration=240"

    def queue():
        return ["old" if item in ids else "new" for item in simulator.state("sim-004")["queue"]]

    def add(number):
        dialog.get_by_label("Address", exact=True).fill(name(number))
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog).to_have_count(0)

    page.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_role("radio", name="Next, after what plays")).to_be_checked()
    dialog.get_by_label("Address", exact=True).fill("not an address")
    dialog.get_by_role("button", name="Add", exact=True).click()
    until(lambda: dialog.get_by_label("Address", exact=True).evaluate("(field) => field.validationMessage").startswith("Give an address"), "the address is refused")
    add(1)
    until(lambda: queue() == ["old", "new", "old", "old", "old", "old"], "added next")
    expect(page.get_by_role("button", name=re.compile(r"^2\s*new 1"))).to_be_visible()
    page.get_by_role("button", name="Add before: Song 4").click()
    expect(dialog.get_by_role("radio", name="Before number")).to_be_checked()
    expect(dialog.get_by_label("Number in the queue")).to_have_value("5")
    expect(dialog).to_contain_text("Song 4")
    add(2)
    until(lambda: queue() == ["old", "new", "old", "old", "new", "old", "old"], "added before an item")
    expect(page.get_by_role("button", name=re.compile(r"^5\s*new 2"))).to_be_visible()
    # By keys alone: Insert on a row, then another number.
    page.get_by_role("button", name=re.compile(r"^3\s*Song 2")).focus()
    page.keyboard.press("Insert")
    dialog.get_by_label("Number in the queue").fill("1")
    expect(dialog).to_contain_text("Song 1")
    add(3)
    until(lambda: queue()[0] == "new" and len(queue()) == 8, "added before the first")
    page.get_by_role("button", name="Add", exact=True).click()
    dialog.get_by_role("radio", name="At the end").check()
    add(4)
    until(lambda: queue()[-1] == "new" and len(queue()) == 9, "added at the end")
    items = [item["content_id"].split("/")[-1].split(".")[0] for item in simulator.state("sim-004")["items"]]
    assert items == ["new-3", "1", "new-1", "2", "3", "new-2", "4", "5", "new-4"], items


def an_item_is_dragged_beyond_the_edge(browser, simulator):
    page = browser.page()
    songs = SONGS | {"items": [{"url": f"http://media.invalid/{n}.mp3?duration=240", "title": f"Song {n}"} for n in range(1, 41)]}
    load(page, simulator, "sim-004", songs, "cmd/queue_load")
    ids = simulator.state("sim-004")["queue"]
    page.get_by_role("link", name="Queue").click()
    handle = page.get_by_label("Move Song 3 by dragging").bounding_box()
    page.mouse.move(handle["x"] + 20, handle["y"] + 20)
    page.mouse.down()
    page.mouse.move(handle["x"] + 20, 720, steps=5)
    until(lambda: page.evaluate("scrollY") > 900, "scrolled while dragging")
    expect(page.locator("queue-row[data-dragging]")).to_contain_text("Song 3")
    page.mouse.up()
    moved = until(lambda: (queue := simulator.state("sim-004")["queue"]) != ids and queue, "moved")
    assert moved.index(ids[2]) > 12 and sorted(moved) == sorted(ids), moved
    expect(page.locator("queue-row[data-dragging]")).to_have_count(0)
    # The queue goes while an item is dragged, and so does the drag.
    page.evaluate("scrollTo(0, 0)")
    handle = page.get_by_label("Move Song 2 by dragging").bounding_box()
    page.mouse.move(handle["x"] + 20, handle["y"] + 20)
    page.mouse.down()
    page.mouse.move(handle["x"] + 20, 500, steps=3)
    page.evaluate("location.hash = '#/'")
    expect(page.locator("device-card").first).to_be_visible()
    page.mouse.up()
    assert simulator.state("sim-004")["queue"] == moved


def addresses_are_played_and_failures_explained(browser, simulator):
    page = browser.page("#/play")
    page.get_by_label("On", exact=True).select_option(label=simulator.name("sim-003"))
    address = page.get_by_label("Address", exact=True)
    address.fill("http://media.invalid/song.mp3?duration=300")
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Title", exact=True).fill("A song")
    # The mini controller may have a button of this name.
    play = page.locator("place-view").get_by_role("button", name="Play", exact=True)
    play.click()
    until(lambda: simulator.state("sim-003").get("title") == "A song", "the song plays")
    expanded = page.get_by_role("dialog", name="A song")
    expect(expanded).to_be_visible()
    page.keyboard.press("Escape")
    expect(expanded).to_have_count(0)
    address.fill("http://media.invalid/second.mp3?duration=300")
    page.get_by_role("button", name="Add to the queue", exact=True).click()
    until(lambda: simulator.state("sim-003")["queue_length"] == 2, "added to the queue")
    address.fill("http://media.invalid/next.mp3?duration=300")
    page.get_by_role("button", name="Play next", exact=True).click()
    until(lambda: "/next.mp3" in simulator.state("sim-003")["items"][1]["content_id"], "plays next")
    address.fill("http://127.0.0.1:9/missing/film.mp4")
    play.click()
    result = page.locator(".load-failure")
    expect(result.locator("strong").first).to_contain_text("could not play it")
    expect(result.locator("p").first).to_contain_text("loopback")
    expect(result.locator(".finding").first).to_be_hidden()
    result.get_by_text("Details").click()
    expect(result.locator(".finding").first).to_be_visible()
    address.fill("not an address")
    play.click()
    until(lambda: address.evaluate("(field) => field.validationMessage").startswith("Give an address"), "the address is refused")


def what_plays_moves_to_another_device(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    name = simulator.name("sim-003")
    expand(page, simulator, "sim-001").get_by_role("button", name="Move to").click()
    page.get_by_role("dialog", name="Move to").get_by_role("button", name=re.compile(re.escape(name))).click()
    until(lambda: simulator.state("sim-003")["player"] == "PLAYING" and simulator.state("sim-003")["title"] == "Big Buck Bunny", "it plays there")
    until(lambda: simulator.state("sim-001").get("player") in (None, "NONE", "IDLE"), "it ended here")


def members_of_a_group_have_their_own_sliders(browser, simulator):
    page = browser.page()
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    group = simulator.name("group-001")
    card = page.locator("device-card").filter(has=page.get_by_role("heading", name=group, exact=True))
    expect(card).to_contain_text("Everywhere")
    card.get_by_role("button", name=f"Cast to: {group}").click()
    page.locator(".bar cast-button button").click()
    dialog = page.get_by_role("dialog", name=group)
    dialog.get_by_text("Speakers of the group").click()
    name = simulator.state("group-001")["members"][0]["name"]
    member = next(entry["device"] for entry in simulator.send(do="list")["devices"] if entry["name"] == name)
    slider = dialog.get_by_role("slider", name=f"Volume of {name}", exact=True)
    expect(slider).to_be_visible()
    slider.fill("20")
    until(lambda: round(simulator.state(member)["volume"] * 100) == 20, "the member is softer")


def casting_to_a_member_takes_the_group_that_plays(browser, simulator):
    page = browser.page()
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    group, member = simulator.name("group-001"), simulator.state("group-001")["members"][0]["name"]
    page.goto(browser.url + "#/device/" + re.sub(r"[^a-z0-9]+", "-", member.lower()).strip("-"))
    expect(page.get_by_role("heading", level=1)).to_have_text(member)
    until(lambda: page.locator(".facts").inner_text().count("Playing"), "the member shows what its group plays")
    page.locator("main").get_by_role("button", name="Cast to").click()
    expect(page.locator(".bar cast-button button")).to_have_accessible_name(f"Cast: connected to {group}")
    expect(page.get_by_role("region", name=f"Playing on {group}").or_(page.get_by_role("region", name=group))).to_contain_text("Everywhere")
    until(lambda: simulator.state("group-001")["player"] == "PLAYING", "the group goes on")


def the_controllers_follow_what_plays(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    simulator.play("sim-003", title="Elsewhere", url="http://media.invalid/y.mp4", duration=600)
    expanded = expand(page, simulator, "sim-001")
    expanded.get_by_role("button", name="Pause").click()
    expect(expanded.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(expanded).to_contain_text("Big Buck Bunny")
    page.keyboard.press("Escape")
    simulator.send(device="sim-001", do="quit")
    expect(page.locator("mini-controller")).to_contain_text("Elsewhere")
    kitchen = slug(page, simulator.name("sim-001"))
    page.goto(f"{browser.url}mini#device={kitchen}")
    expect(page.locator("mini-controller")).to_contain_text("Nothing plays")
    simulator.play("sim-001", title="Here", url="http://media.invalid/z.mp4", duration=600)
    expect(page.locator("mini-controller")).to_contain_text("Here")


def keys_act_while_the_page_has_the_focus(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    mini = page.locator("mini-controller")
    expect(mini).to_contain_text("Big Buck Bunny")
    # While it loads, there is nothing to pause and the key does nothing: the page may know later than the device that it plays.
    expect(mini.get_by_role("button", name="Pause")).to_be_enabled()
    page.locator("main").focus()
    page.keyboard.press(" ")
    until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "space pauses")
    page.keyboard.press("m")
    until(lambda: simulator.state("sim-001")["muted"], "m mutes")
    page.keyboard.press("+")
    until(lambda: simulator.state("sim-001")["volume"] > 0.405, "+ is louder")
    page.keyboard.press("c")
    expect(page.get_by_role("dialog")).to_be_visible()


def accessible(browser, simulator, theme):
    """axe finds nothing in any view."""
    page = browser.page(color_scheme=theme)
    load(page, simulator, "sim-001", FILM)
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    device = slug(page, simulator.name("sim-001"))
    for path, view in [("#/", "device-list"), ("#/play", "place-view"), ("#/queue", "queue-view"), ("#/health", "health-view"), ("#/log", "log-view"),
                       (f"#/device/{device}", "device-view")]:
        page.goto(browser.url + path)
        # The former view has a heading, too, until the page has changed.
        expect(page.locator(f"main > {view}").get_by_role("heading", level=1)).to_be_visible()
        assert not (found := findings(page)), (theme, path, found)
    page.goto(browser.url + "#/")
    expanded = expand(page, simulator, "sim-001")
    assert not (found := findings(page)), (theme, "expanded", found)
    expanded.get_by_role("button", name="Tracks and subtitles").click()
    assert not (found := findings(page)), (theme, "tracks", found)
    page.get_by_role("button", name="How subtitles look").click()
    assert not (found := findings(page)), (theme, "text style", found)
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator(".bar cast-button button").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert not (found := findings(page)), (theme, "cast dialog", found)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    assert not (found := findings(page)), (theme, "settings", found)
    page.goto(browser.url + "mini")
    expect(page.locator("mini-controller")).to_contain_text("Big Buck Bunny")
    assert not (found := findings(page)), (theme, "mini", found)


def every_view_is_accessible(browser, simulator):
    accessible(browser, simulator, "light")


TESTS = [
    devices_are_listed_by_name_and_follow_what_others_do, cast_dialog_connects_shows_and_ends, disconnecting_leaves_the_application_running,
    mini_and_expanded_controller, tracks_and_text_style, queue_is_edited, addresses_are_added_anywhere_in_the_queue,
    an_item_is_dragged_beyond_the_edge, addresses_are_played_and_failures_explained,
    what_plays_moves_to_another_device, members_of_a_group_have_their_own_sliders, casting_to_a_member_takes_the_group_that_plays,
    the_controllers_follow_what_plays, keys_act_while_the_page_has_the_focus, every_view_is_accessible,
]
