"""What would be missed is asked for first, or can be undone: moving, stopping, removing from a queue."""

import re

from playwright.sync_api import expect

from controllers import card_of
from harness import until
from quick import FILM, SONGS, command, expand, load, slug


def cast_to(page, name):
    card_of(page, name).get_by_role("button", name=f"Cast to: {name}").click()
    expect(page.locator(".bar cast-button button")).to_have_accessible_name(f"Cast: connected to {name}")


def show(page, device):
    """Goes on to another device, as the page does by itself, behind any dialog."""
    page.evaluate("""async (slug) => {
        const app = performance.getEntriesByType('resource').map(({ name }) => name).find((name) => name.endsWith('/state/app.js'));
        (await import(app)).choice.choose(slug);
    }""", device)


def moving_asks_before_it_ends_what_plays(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", FILM)
    simulator.play("sim-003", title="Evening news", url="http://media.invalid/x.mp4", duration=600)
    there = simulator.name("sim-003")
    expect(card_of(page, there)).to_contain_text("Evening news")
    expand(page, simulator, "sim-001").get_by_role("button", name="Move to").click()
    dialog = page.get_by_role("dialog", name="Move to")
    row = dialog.get_by_role("button", name=re.compile(re.escape(there)))
    expect(row).to_contain_text("Evening news")
    row.click()
    question = page.get_by_role("dialog", name=f"“Evening news” plays on {there}")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    assert simulator.state("sim-003")["title"] == "Evening news"
    row.click()
    question.get_by_role("button", name="Move", exact=True).click()
    until(lambda: simulator.state("sim-003").get("title") == "Big Buck Bunny", "it plays there")
    expect(page.locator("mini-controller .quiet")).to_contain_text(there)
    # What it ended would not come back.
    notice = page.locator(".notice", has_text=f"Moved to {there}")
    expect(notice).to_be_visible()
    assert notice.get_by_role("button").count() == 1, "it can be closed only"


def a_move_to_a_quiet_device_is_undone_while_it_plays_there(browser, simulator):
    # Messages with an undo stay for 12 s.
    page = browser.page(init="const set = setTimeout; window.setTimeout = (act, time, ...more) => set(act, time === 12_000 ? 120_000 : time, ...more)")
    load(page, simulator, "sim-001", FILM)
    here, there = simulator.name("sim-001"), simulator.name("sim-003")

    def move():
        expand(page, simulator, "sim-001").get_by_role("button", name="Move to").click()
        page.get_by_role("dialog", name="Move to").get_by_role("button", name=re.compile(re.escape(there))).click()
        until(lambda: simulator.state("sim-003").get("title") == "Big Buck Bunny", "it plays there")
        expect(page.locator("mini-controller .quiet")).to_contain_text(there)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    move()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    until(lambda: simulator.state("sim-001").get("title") == "Big Buck Bunny" and simulator.state("sim-001")["player"] == "PLAYING", "it plays here again")
    until(lambda: simulator.state("sim-003").get("player") in (None, "NONE", "IDLE"), "and ended there")
    expect(page.locator("mini-controller .quiet")).to_contain_text(here)
    simulator.quiet()
    load(page, simulator, "sim-001", FILM)
    move()
    # Something plays where it came from meanwhile: the undo asks.
    simulator.play("sim-001", title="Evening news", url="http://media.invalid/x.mp4", duration=600)
    expect(card_of(page, here)).to_contain_text("Evening news")
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    page.get_by_role("dialog", name=f"“Evening news” plays on {here}").get_by_role("button", name="Cancel").click()
    assert simulator.state("sim-001")["title"] == "Evening news"
    simulator.quiet()
    load(page, simulator, "sim-001", FILM)
    move()
    undo = page.get_by_role("status").get_by_role("button", name="Undo")
    expect(undo).to_have_count(1)
    simulator.play("sim-003", title="Late film", url="http://media.invalid/y.mp4", duration=600)
    expect(undo).to_have_count(0)
    assert simulator.state("sim-003")["title"] == "Late film"


def stopping_asks_for_a_group_and_for_what_others_started(browser, simulator):
    page = browser.page()
    simulator.play("sim-001", title="From a phone", url="http://media.invalid/x.mp4", duration=600)
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    count = len(simulator.state("group-001")["members"])
    for device, title, question in [("sim-001", "From a phone", "Another app has started Default Media Receiver"), ("group-001", "Everywhere", f"End it on all {count} speakers")]:
        name = simulator.name(device)
        expect(card_of(page, name)).to_contain_text(title)
        cast_to(page, name)
        page.locator(".bar cast-button button").click()
        dialog = page.get_by_role("dialog", name=name, exact=True)
        # The volume is moved with a thumb: what ends everything is not beside it.
        assert dialog.locator(".actions button:visible").last.inner_text() == "Stop casting"
        dialog.get_by_role("button", name="Stop casting").click()
        ask = page.get_by_role("dialog", name=question)
        ask.get_by_role("button", name="Cancel").click()
        expect(ask).to_have_count(0)
        assert simulator.state(device)["player"] == "PLAYING"
        dialog.get_by_role("button", name="Stop casting").click()
        ask.get_by_role("button", name="Stop casting").click()
        until(lambda: simulator.state(device).get("player") in (None, "NONE", "IDLE"), "it ended")
        expect(page.get_by_role("dialog")).to_have_count(0)


def the_device_that_was_asked_about_is_stopped(browser, simulator):
    page = browser.page()
    for device, title in [("sim-001", "From a phone"), ("sim-003", "Evening news")]:
        simulator.play(device, title=title, url="http://media.invalid/x.mp4", duration=600)
        expect(card_of(page, simulator.name(device))).to_contain_text(title)
    first, second = simulator.name("sim-001"), simulator.name("sim-003")
    cast_to(page, second)
    cast_to(page, first)
    page.locator(".bar cast-button button").click()
    page.get_by_role("dialog", name=first, exact=True).get_by_role("button", name="Stop casting").click()
    ask = page.get_by_role("dialog", name="Another app has started")
    expect(ask).to_contain_text(first)
    # The dialog behind the question goes on to another device.
    show(page, slug(page, second))
    expect(page.locator("cast-dialog h2")).to_have_text(second)
    ask.get_by_role("button", name="Stop casting").click()
    until(lambda: simulator.state("sim-001").get("player") in (None, "NONE", "IDLE"), "it ended")
    assert simulator.state("sim-003")["player"] == "PLAYING"
    expect(page.locator(".bar cast-button button")).to_have_accessible_name(f"Cast: connected to {second}")


def a_removed_item_can_be_kept(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    ids = simulator.state("sim-004")["queue"]
    page.get_by_role("link", name="Queue").click()
    remove = lambda n: page.get_by_role("button", name=f"Remove: Song {n}").click()
    remove(2)
    remove(3)
    page.get_by_role("button", name="Undo: Song 2").click()
    expect(page.get_by_role("button", name="Remove: Song 2")).to_be_visible()
    expect(page.get_by_role("button", name="Undo: Song 3")).to_be_visible()
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[1], *ids[3:]], "the other one is removed")
    expect(page.locator("queue-row")).to_have_count(4)
    # By key, and whoever leaves the view does not wait.
    page.get_by_role("button", name=re.compile(r"^3\s*Song 4")).focus()
    page.keyboard.press("Delete")
    expect(page.locator("queue-row .row:focus")).to_contain_text("Song 5")
    page.get_by_role("link", name="Devices").click()
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[1], ids[4]], "removed at once")
    page.get_by_role("link", name="Queue").click()
    remove(5)
    page.close()
    until(lambda: simulator.state("sim-004")["queue"] == [ids[0], ids[1]], "removed although the page is closed")


def a_removal_is_dropped_when_another_queue_is_loaded(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    device = slug(page, simulator.name("sim-004"))
    ids = simulator.state("sim-004")["queue"]
    page.get_by_role("link", name="Queue").click()
    # In the other order, the item with the same number is another one.
    queues = [SONGS | {"items": SONGS["items"][::-1]}, SONGS]
    for number, ends in enumerate([False, True]):
        page.get_by_role("button", name=re.compile("^Remove: ")).nth(1).click()
        expect(page.locator("queue-row[data-leaving]")).to_have_count(1)
        if ends:
            until(lambda: simulator.quit("sim-004"), "it ended")
        assert command(page, device, "cmd/queue_load", queues[number])["status"] == "ok"
        assert simulator.state("sim-004")["queue"] == ids, "the numbers are the same"
        page.wait_for_timeout(6_000)
        assert simulator.state("sim-004")["queue"] == ids, ends
        expect(page.locator("queue-row[data-leaving]")).to_have_count(0)
        expect(page.locator("queue-row .row").first).to_contain_text("Song 1" if ends else "Song 5")


def clearing_a_queue_asks_again_for_another_device(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-004", SONGS, "cmd/queue_load")
    other = slug(page, simulator.name("sim-003"))
    page.get_by_role("link", name="Queue").click()
    page.get_by_role("button", name="Clear").first.click()
    expect(page.locator("queue-view dialog")).to_be_visible()
    show(page, other)
    expect(page.locator("queue-view dialog")).to_be_hidden()
    assert simulator.state("sim-004")["queue_length"] == 5


TESTS = [
    moving_asks_before_it_ends_what_plays, a_move_to_a_quiet_device_is_undone_while_it_plays_there, stopping_asks_for_a_group_and_for_what_others_started,
    the_device_that_was_asked_about_is_stopped, a_removed_item_can_be_kept, a_removal_is_dropped_when_another_queue_is_loaded,
    clearing_a_queue_asks_again_for_another_device,
]
