"""What holds in every view and every dialog: axe finds nothing, everything fits on the screen. A walk opens them one after the other."""

import re

from playwright.sync_api import expect

import options
from axe import findings
from harness import Bridge
from quick import FILM, SONGS, expand, load, slug

SIZES = [(360, 740), (768, 1024), (1440, 900)]
# Long enough for one that does not wrap to be wider than every screen, and without a place to break.
LONG = "Wide" * 60
LONG_FILM = FILM | {"metadata": FILM["metadata"] | {"title": LONG}, "tracks": [track | {"name": LONG} for track in FILM["tracks"]]}
LONG_SONGS = SONGS | {"items": [item | {"title": f"{number} {LONG}", "artist": LONG} for number, item in enumerate(SONGS["items"])]}
NO_WORKER = "delete window.SharedWorker"


def walk(browser, simulator, visit, film=FILM, songs=SONGS, **shape):
    """Opens every view and dialog with this shape of the browser (size, theme) and calls visit(page, name) in each."""
    page = browser.page(**shape)
    load(page, simulator, "sim-004", songs, "cmd/queue_load")
    load(page, simulator, "sim-001", film)
    walk_views(browser, simulator, page, visit)
    walk_controls_of_the_film(browser, simulator, page, visit)
    walk_cast_dialogs(browser, simulator, page, visit)
    walk_queue(browser, simulator, page, visit)
    walk_failures(browser, simulator, page, visit)
    page.close()
    page = browser.page("mini", **shape)
    expect(page.locator("mini-controller strong")).not_to_be_empty()
    visit(page, "mini")
    page.close()
    walk_panel(browser, simulator, visit, shape)
    walk_beginnings(browser, visit, shape)


def walk_views(browser, simulator, page, visit):
    for path in ["#/", "#/play", "#/queue", "#/health", "#/log", "#/device/" + slug(page, simulator.name("sim-001")), "#/device/none"]:
        page.goto(browser.url + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        visit(page, path)
    page.goto(browser.url + "#/play")
    page.get_by_label("Address", exact=True).fill("http://127.0.0.1:9/missing/" + "film" * 40 + ".mp4")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Check only").click()
    page.get_by_text("Details").click()
    expect(page.locator(".finding").first).to_be_visible()
    visit(page, "findings of the media check")


    page.goto(browser.url + "#/settings")
    expect(page.locator("settings-view details").first).to_be_visible()
    visit(page, "#/settings")
    # Every setting with its control.
    page.locator("settings-view details").evaluate_all("(parts) => { for (const part of parts) part.open = true; }")
    visit(page, "#/settings, every key")


def walk_panel(browser, simulator, visit, shape):
    page = browser.page("panel", **shape)
    expect(page.locator("panel-room[data-playing]").first).to_be_visible()
    visit(page, "panel")
    page.goto(browser.url + "panel?rooms=none")
    expect(page.locator(".panel-clock time")).to_be_visible()
    visit(page, "clock of the panel")
    page.close()


def walk_controls_of_the_film(browser, simulator, page, visit):
    page.goto(browser.url + "#/")
    expanded = expand(page, simulator, "sim-001")
    visit(page, "expanded controller")
    for button, title in [("Tracks and subtitles", "Tracks"), (re.compile("^Speed"), "Speed"), ("Move to", "Move to")]:
        expanded.get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        visit(page, title)
        if title == "Tracks":
            page.get_by_role("button", name="How subtitles look").click()
            expect(page.get_by_role("dialog", name="How subtitles look")).to_be_visible()
            visit(page, "text style")
            page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def walk_cast_dialogs(browser, simulator, page, visit):
    cast = page.locator(".bar cast-button button")
    cast.click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Stop casting")).to_be_visible()
    visit(page, "connected dialog")
    page.get_by_role("button", name="All devices").click()
    expect(page.get_by_role("dialog", name="Cast to").get_by_role("button")).not_to_have_count(1)
    visit(page, "list of devices")
    page.keyboard.press("Escape")
    group = simulator.name("group-001")
    simulator.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
    card = page.locator("device-card").filter(has=page.get_by_role("heading", name=group, exact=True))
    expect(card).to_contain_text("Everywhere")
    card.get_by_role("button", name=f"Cast to: {group}").click()
    cast.click()
    dialog = page.get_by_role("dialog", name=group)
    dialog.get_by_text("Speakers of the group").click()
    expect(dialog.locator("volume-control .slider").nth(1)).to_be_visible()
    visit(page, "members of a group")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    visit(page, "settings")
    page.keyboard.press("Escape")


def walk_queue(browser, simulator, page, visit):
    page.evaluate("slug => localStorage.setItem('device', slug)", slug(page, simulator.name("sim-004")))
    page.goto(browser.url + "#/queue")
    page.reload()
    expect(page.locator("queue-row")).to_have_count(5)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    visit(page, "filled queue")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("dialog", name="Add to the queue")).to_be_visible()
    visit(page, "add to the queue")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Clear").first.click()
    expect(page.locator("queue-view dialog")).to_be_visible()
    visit(page, "clear the queue")
    page.keyboard.press("Escape")


def walk_failures(browser, simulator, page, visit):
    name = simulator.name("sim-004")
    simulator.send(device="sim-004", do="ignore", type="PAUSE")
    try:
        page.locator("mini-controller").get_by_role("button", name="Pause").click()
        # A bridge that has seen it before knows that the application ignores the request.
        expect(page.get_by_role("alert").filter(has_text=name)).to_contain_text(re.compile("did not answer|can’t do that"))
        visit(page, "error notice")
    finally:
        simulator.send(device="sim-004", do="ignore", type="PAUSE", on=False)
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    expect(page.locator("#banner")).to_contain_text("can’t be reached")
    visit(page, "lost connection")
    page.context.set_offline(False)


def walk_beginnings(browser, visit, shape):
    """What a browser shows that is new, or whose bridge has found nothing."""
    page = browser.page(introduced=False, **shape)
    expect(page.get_by_role("dialog", name="Play on your devices")).to_be_visible()
    visit(page, "introduction")
    page.close()
    with Bridge(options.program, "password", DISCOVERY_MDNS="false") as bridge:
        page = browser.page(url=bridge.url, signs_in=False, **shape)
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert").first).to_contain_text("Wrong password")
        visit(page, "login")
        page.get_by_label("Password").fill("password")
        page.keyboard.press("Enter")
        for place, name in [(page.locator("main"), "nothing found"), (page.get_by_role("dialog", name="Cast to"), "nothing found in the Cast dialog")]:
            if name != "nothing found":
                page.locator(".bar cast-button button").click()
            place.get_by_role("button", name="Search again").click()
            expect(place).to_contain_text("Set discovery.mdns or discovery.known_hosts.")
            visit(page, name)
        page.close()


def axe_finds_nothing(browser, simulator, theme):
    found = []

    def visit(page, name):
        # The words of the introduction stand on the shadow of its ring, which axe does not take for a background.
        unseen = "color-contrast: " if name == "introduction" else None
        found.extend(f"{name}: {one}" for one in findings(page) if unseen is None or not one.startswith(unseen))

    walk(browser, simulator, visit, init=NO_WORKER, color_scheme=theme)
    assert not found, "\n".join(found)


def every_view_and_dialog_is_accessible(browser, simulator):
    axe_finds_nothing(browser, simulator, "light")


def every_view_and_dialog_is_accessible_in_the_dark(browser, simulator):
    axe_finds_nothing(browser, simulator, "dark")


# Of the topmost dialog, or of the page: what is wider than the screen, what is too small to be touched, a close button that is out of view.
UNFIT = """() => {
    const dialogs = [...document.querySelectorAll('dialog[open]')];
    const top = dialogs.at(-1) ?? document.body;
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const dialog of dialogs) {
        const box = dialog.getBoundingClientRect();
        if (dialog.scrollWidth > dialog.clientWidth) found.push(`the content of a dialog is ${dialog.scrollWidth} wide of ${dialog.clientWidth}`);
        if (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1) found.push(`a dialog is at ${JSON.stringify(box)}`);
    }
    const clipped = (element) => {
        for (let parent = element.parentElement; parent && parent !== top; parent = parent.parentElement) if (getComputedStyle(parent).overflowX !== 'visible') return true;
        return false;
    };
    for (const element of top.querySelectorAll('*')) {
        const box = element.getBoundingClientRect();
        if (box.width === 0 || !element.checkVisibility({ visibilityProperty: true }) || element.closest('.skip, .visually-hidden, .expanded-backdrop, .introduction-ring')) continue;
        if ((box.left < -1 || box.right > innerWidth + 1) && !clipped(element)) found.push(`from ${box.left} to ${box.right}: ${element.outerHTML.slice(0, 120)}`);
        if (!element.matches('button, a, input, select, textarea, summary, [role=slider]')) continue;
        const target = element.closest('label')?.getBoundingClientRect() ?? box;
        if (Math.max(box.width, target.width) < 24 || Math.max(box.height, target.height) < 24) found.push(`${box.width} × ${box.height}: ${element.outerHTML.slice(0, 120)}`);
    }
    if (dialogs.length > 0) {
        const close = [...top.querySelectorAll('.dialog-head button, .small button, .introduction-words button')].map((button) => button.getBoundingClientRect());
        if (!close.some((box) => box.width > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight)) found.push('no close button is in view');
    }
    return found;
}"""


# A dialog that rises is below its place until its animation ends. Those of the Cast button have no end.
SETTLED = """async () => {
    await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
}"""


def every_view_and_dialog_fits(browser, simulator):
    found = []

    def visit(page, name):
        page.evaluate(SETTLED)
        width = page.viewport_size["width"]
        found.extend(f"{name} at {width}: {one}" for one in page.evaluate(UNFIT))
        # Also where the dialog is scrolled to its end.
        page.evaluate("[...document.querySelectorAll('dialog[open]')].at(-1)?.scrollTo(0, 100_000)")
        found.extend(f"{name} at {width}, scrolled: {one}" for one in page.evaluate(UNFIT))

    for width, height in SIZES:
        simulator.quiet()
        walk(browser, simulator, visit, LONG_FILM, LONG_SONGS, width=width, height=height, has_touch=width < 600, init=NO_WORKER)
        browser.close()
    assert not found, "\n".join(found)


TESTS = [every_view_and_dialog_is_accessible, every_view_and_dialog_is_accessible_in_the_dark, every_view_and_dialog_fits]
