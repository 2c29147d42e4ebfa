"""The slower tests of the page: several browsers, lost connections, other networks, sizes, languages, hostile texts."""

import json
import re
import signal

from playwright.sync_api import expect

import options
from harness import Bridge, until
from quick import FILM, command, expand, load, slug

# Without shared workers, as in some browsers of phones, pages agree which of them has the stream.
NO_WORKER = "delete window.SharedWorker"


def two_browsers_are_in_step(browser, simulator):
    first, second = browser.page(), browser.page()
    load(first, simulator, "sim-001", FILM)
    for page in (first, second):
        expect(page.locator("mini-controller")).to_contain_text("Big Buck Bunny")
    first.locator("mini-controller").get_by_role("button", name="Pause").click()
    expect(second.locator("mini-controller").get_by_role("button", name="Play", exact=True)).to_be_visible()
    second.locator("mini-controller").get_by_role("button", name="Play", exact=True).click()
    expect(first.locator("mini-controller").get_by_role("button", name="Pause")).to_be_visible()


def seven_tabs_of_one_browser_work(browser, simulator):
    for init in [None, NO_WORKER]:
        simulator.quiet()
        context = browser.context(init=init)
        pages = [browser.page(context=context) for _ in range(7)]
        load(pages[6], simulator, "sim-001", FILM)
        for page in pages:
            expect(page.locator("mini-controller")).to_contain_text("Big Buck Bunny")
        pages[0].locator("mini-controller").get_by_role("button", name="Pause").click()
        for page in pages:
            expect(page.locator("mini-controller").get_by_role("button", name="Play", exact=True)).to_be_visible()
        # The page that had the stream is closed: another one takes over.
        pages[0].close()
        simulator.send(device="sim-001", do="pause")
        simulator.play("sim-001")
        for page in pages[1:]:
            expect(page.locator("mini-controller").get_by_role("button", name="Pause")).to_be_visible()
        for page in pages[1:]:
            page.close()


def a_lost_connection_is_shown_and_comes_back(browser, simulator):
    context = browser.context(init=NO_WORKER)
    page = browser.page(context=context)
    load(page, simulator, "sim-001", FILM)
    context.set_offline(True)
    # An open stream outlives the switch of the browser's emulation: a reload shows what a page without the bridge does.
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    expect(page.locator("#banner")).to_contain_text("can’t be reached", timeout=30_000)
    simulator.send(device="sim-001", do="pause")
    context.set_offline(False)
    expect(page.locator("#banner")).to_be_hidden(timeout=30_000)
    expect(page.locator("mini-controller").get_by_role("button", name="Play", exact=True)).to_be_visible()


def the_bridge_ends_and_starts_again_under_an_open_page(browser, simulator):
    for password, how in [(None, signal.SIGKILL), (None, signal.SIGTERM), ("restart-password", signal.SIGKILL), ("restart-password", signal.SIGTERM)]:
        simulator.quiet()
        simulator.play("sim-001", title="Goes on", url="http://media.invalid/x.mp4", duration=600)
        with Bridge(options.program, password) as bridge:
            page = browser.page(url=bridge.url if password else bridge.link, context=browser.context(), signs_in=False)
            sign_in(page, password)
            mini = page.locator("mini-controller")
            expect(mini.get_by_role("button", name="Pause")).to_be_visible()
            page.locator(".bar cast-button button").click()
            expect(page.get_by_role("dialog")).to_be_visible()
            bridge.end(how)
            banner = page.locator("#banner")
            expect(banner).to_contain_text("The bridge can’t be reached", timeout=30_000)
            page.keyboard.press("Escape")
            mini.get_by_role("button", name="Pause").click()
            expect(page.get_by_role("alert").last).not_to_be_empty()
            simulator.send(device="sim-001", do="pause")
            bridge.start()
            # Sessions end with the program, and so does the setup code.
            expect(page.get_by_label("Password" if password else "Setup code")).to_be_visible(timeout=30_000)
            expect(page.get_by_role("dialog")).to_have_count(0)
            if password:
                sign_in(page, password)
            else:
                expect(page.get_by_text("“cast2mqtt setup-code” prints it")).to_be_visible()
                page.get_by_label("Setup code").fill(bridge.link.split("=")[1])
                page.get_by_role("button", name="Sign in").click()
            expect(banner).not_to_contain_text("The bridge", timeout=30_000)
            expect(mini.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=30_000)
            mini.get_by_role("button", name="Play", exact=True).click()
            until(lambda: simulator.state("sim-001")["player"] == "PLAYING", "a command after the restart")
            expect(mini.get_by_role("button", name="Pause")).to_be_visible()
            page.close()


def sign_in(page, password):
    if password:
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()


def a_proxy_that_holds_events_back_is_noticed(browser, simulator):
    context = browser.context(init=NO_WORKER)
    # The request is held; the page is closed before it ends.
    context.route("**/api/v1/events*", lambda route: None)
    page = browser.page(context=context)
    expect(page.locator("#banner")).to_contain_text("every 2 seconds")
    load(page, simulator, "sim-001", FILM)
    expect(page.locator("mini-controller")).to_contain_text("Big Buck Bunny")
    simulator.send(device="sim-001", do="pause")
    expect(page.locator("mini-controller").get_by_role("button", name="Play", exact=True)).to_be_visible()


def plain_http_in_the_network_works(browser, simulator):
    page = browser.page(url=options.network_url)
    assert page.evaluate("isSecureContext") is False
    load(page, simulator, "sim-001", FILM)
    page.locator("mini-controller").get_by_role("button", name="Pause").click()
    until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "pause")
    page.locator(".bar cast-button button").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def a_password_is_asked_for_and_roles_hold(browser, simulator):
    page = browser.page(url=options.network_url, signs_in=False)
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").first).to_contain_text("Wrong password")
    page.get_by_label("Password").fill(options.view_password)
    page.get_by_role("button", name="Sign in").click()
    simulator.play("sim-001", title="Seen only", url="http://media.invalid/x.mp4", duration=600)
    card = page.locator("device-card", has_text="Seen only")
    expect(card).to_be_visible()
    expect(card.get_by_role("button", name="Pause")).to_be_disabled()
    expect(card.get_by_role("slider")).to_be_disabled()
    page.keyboard.press(" ")
    assert command(page, slug(page, simulator.name("sim-001")), "cmd/pause")["error"]["code"] == "forbidden"
    until(lambda: simulator.state("sim-001")["player"] == "PLAYING", "it goes on")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()


def hostile_texts_stay_texts(browser, simulator):
    page = browser.page()
    page.on("dialog", lambda dialog: browser.problems.append(f"dialog: {dialog.message}"))
    hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>\u202e"\'{{7*7}}'
    simulator.play("sim-001", title=hostile, url="javascript:alert(3)", duration=600,
                   metadata={"metadataType": 3, "artist": "<b onclick=alert(4)>", "albumName": hostile, "images": [{"url": "javascript:alert(5)"}]})
    expect(page.locator("mini-controller")).to_contain_text('<img src=x onerror="alert(1)">')
    expand(page, simulator, "sim-001")
    expect(page.locator(".expanded-title")).to_contain_text("<script>alert(2)</script>")
    assert page.locator("img[src=x], b, main script").count() == 0
    page.goto(browser.url + "#/device/%3Cimg%20src%3Dx%3E")
    expect(page.get_by_text("There is no such device.")).to_be_visible()
    page.goto(browser.url + "#/%E0%A4%A")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def ads_show_when_they_can_be_skipped(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", {
        "url": "http://media.invalid/show.mp4?duration=1200", "content_type": "video/mp4", "metadata": {"type": "movie", "title": "Show"},
        "breaks": [{"id": "start", "position": 0, "clips": ["a"]}, {"id": "middle", "position": 600, "clips": ["a"]}],
        "break_clips": [{"id": "a", "url": "http://media.invalid/a.mp4", "duration": 120, "skippable_after": 3, "title": "First ad"}]})
    expanded = expand(page, simulator, "sim-001")
    expect(expanded).to_contain_text("First ad")
    expect(expanded.get_by_role("button", name=re.compile("Skip in"))).to_be_disabled()
    expect(expanded.locator(".seek-mark")).to_have_count(2)
    expect(expanded.get_by_role("slider", name="Position")).to_have_attribute("aria-disabled", "true")
    expanded.get_by_role("button", name="Skip ad").click()
    until(lambda: not simulator.state("sim-001").get("ad_clip"), "the ad is skipped")
    expect(expanded.get_by_role("slider", name="Position")).not_to_have_attribute("aria-disabled", "true")


def live_streams_stop_or_have_a_range(browser, simulator):
    page = browser.page()
    load(page, simulator, "sim-001", {"url": "http://media.invalid/live.mp3", "stream": "live", "content_type": "audio/mpeg", "title": "Radio"})
    load(page, simulator, "sim-003", {"url": "http://media.invalid/tv.m3u8?live_window=1800", "stream": "live", "content_type": "application/x-mpegurl", "title": "Channel"})
    expanded = expand(page, simulator, "sim-003")
    expect(expanded).to_contain_text("Live")
    bar = expanded.get_by_role("slider", name="Position")
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    live = expanded.get_by_role("button", name="Go to the live position")
    expect(live).to_have_attribute("data-behind", "")
    live.click()
    expect(live).not_to_have_attribute("data-behind", "")
    page.keyboard.press("Escape")
    expanded = expand(page, simulator, "sim-001")
    expect(expanded.get_by_role("slider", name="Position")).to_be_hidden()
    expanded.get_by_role("button", name="Stop").click()
    until(lambda: simulator.state("sim-001")["player"] == "IDLE", "stop")


def the_keyboard_alone_is_enough(browser, simulator):
    page = browser.page()
    expect(page.locator("device-card").first).to_be_visible()
    page.reload()  # After a login the focus would not begin at the top.
    expect(page.locator("device-card").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to content")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('cast-button') !== null"):
            break
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    chosen = page.evaluate("document.activeElement.querySelector('.row-text span').textContent")
    page.keyboard.press("Enter")
    expect(page.locator(".bar cast-button button")).to_have_accessible_name(f"Cast: connected to {chosen}")
    page.keyboard.press("Escape")
    expect(page.locator(".bar cast-button button")).to_be_focused()


def the_introduction_is_shown_once(browser, simulator):
    context = browser.context(introduced=False)
    page = browser.page(context=context)
    dialog = page.get_by_role("dialog", name="Play on your devices")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Got it").click()
    page.reload()
    expect(page.locator("device-card").first).to_be_visible()
    page.wait_for_timeout(200)
    expect(page.get_by_role("dialog")).to_have_count(0)


def the_page_speaks_german(browser, simulator):
    page = browser.page(locale="de-AT")
    expect(page.get_by_role("heading", name="Geräte")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.get_by_role("button", name="Einstellungen").click()
    page.get_by_role("radio", name="English").click()
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()


def an_old_token_is_renewed(browser, simulator):
    """After a restart of the bridge the token against forged requests, which the page has, is an old one."""
    context = browser.context()
    spoilt = []

    def session(route):
        answer = route.fetch()
        content = answer.json()
        if content.get("csrf") and not spoilt:
            spoilt.append(content["csrf"])
            content["csrf"] = "0" * 64
        route.fulfill(response=answer, json=content)

    context.route("**/api/v1/session", session)
    page = browser.page(context=context)
    name = simulator.name("sim-001")
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("button", name=f"Mute {name}").click()
    # Not `until`: while Python sleeps, the handler above answers nothing.
    expect(page.get_by_role("button", name=f"Mute {name}")).to_have_attribute("aria-pressed", "true")
    assert simulator.state("sim-001")["muted"]
    assert spoilt


def a_browser_whose_workers_never_answer_gets_its_state(browser, simulator):
    page = browser.page(init="window.SharedWorker = class { port = { postMessage() {} } }")
    expect(page.locator("device-card").first).to_be_visible(timeout=20_000)
    simulator.play("sim-001", title="Seen", url="http://media.invalid/x.mp4", duration=600)
    expect(page.locator("mini-controller")).to_contain_text("Seen")


def a_browser_that_cannot_load_the_worker_gets_its_state(browser, simulator):
    context = browser.context()
    context.route("**/stream-worker.js", lambda route: route.fulfill(status=404))
    page = browser.page(context=context)
    expect(page.locator("device-card").first).to_be_visible()


def the_log_opened_directly_is_live(browser, simulator):
    context = browser.context()
    page = browser.page("#/log", context=context)
    with page.expect_response("**/api/v1/log?level=debug"):
        page.get_by_label("From level").select_option("debug")
    expect(page.locator(".log tbody tr").first).to_be_visible()
    page.reload()
    expect(page.locator(".log tbody tr").first).to_be_visible()
    page.get_by_label("Filter").fill("device=sim-none-such")
    expect(page.locator(".log tbody tr")).to_have_count(0)
    page.get_by_label("Filter").fill("")
    newest = page.locator(".log tbody tr").first
    before = newest.inner_text()
    browser.page()  # Another browser that signs in is worth a line.
    until(lambda: newest.inner_text() != before, "new lines")


def a_login_on_one_page_opens_the_others(browser, simulator):
    context = browser.context()
    first = browser.page(url=options.network_url, context=context, signs_in=False)
    second = browser.page(url=options.network_url, context=context, signs_in=False)
    expect(first.get_by_label("Password")).to_be_visible()
    for page in (first, second):
        page.get_by_label("Password").fill(options.view_password)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("device-card").first).to_be_visible()
    second.get_by_role("button", name="Settings").click()
    second.get_by_role("button", name="Sign out").click()
    expect(second.get_by_label("Password")).to_be_visible()
    first.reload()
    expect(first.get_by_label("Password")).to_be_visible()
    first.get_by_label("Password").fill(options.view_password)
    first.get_by_role("button", name="Sign in").click()
    expect(first.locator("device-card").first).to_be_visible()
    expect(first.locator("login-view")).to_have_count(0)


def a_wrong_token_is_shown_with_its_remedy(browser, simulator):
    page = browser.page("mini#token=wrong", url=options.network_url, signs_in=False)
    expect(page.get_by_role("alert").filter(has_text="refuses the token")).to_contain_text("make-token")


def a_touch_beside_the_thumb_changes_no_volume(browser, simulator):
    page = browser.page(width=360, height=740, has_touch=True)
    card = page.locator("device-card", has_text=simulator.name("sim-001"))
    slider = card.get_by_role("slider")
    simulator.play("sim-001", title="Something", url="http://media.invalid/x.mp4", duration=600)
    expect(slider).to_have_value("40")
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.95, box["y"] + box["height"] / 2)
    page.wait_for_timeout(200)
    expect(slider).to_have_value("40")
    card.get_by_role("button", name=re.compile("louder$")).tap()
    until(lambda: simulator.state("sim-001")["volume"] > 0.405, "the button is louder")


def a_queue_of_10_000_items_scrolls(browser, simulator):
    page = browser.page()
    songs = [f"http://media.invalid/{n}.mp3?duration=240" for n in range(1, 10_001)]
    load(page, simulator, "sim-004", {"items": songs[:5_000], "app": "5A1D0001"}, "cmd/queue_load")
    device = slug(page, simulator.name("sim-004"))
    for start in range(5_000, 10_000, 1_000):  # A command but queue_load may have 64 kB.
        answer = command(page, device, "cmd/queue_insert", {"items": songs[start:start + 1_000], "at": "end"})
        assert answer.get("status") == "ok", answer
    requests = []
    page.on("request", lambda request: requests.append(json.loads(request.post_data)) if request.url.endswith("/get/queue") else None)
    page.goto(browser.url + "#/queue")
    expect(page.locator("queue-view")).to_contain_text("10,000 items")
    until(lambda: page.evaluate("document.documentElement.scrollHeight") > 630_000, "the whole list is known")
    page.evaluate("""() => { window.long = []; new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' }); }""")
    for part in range(1, 80):
        page.evaluate(f"scrollTo(0, {part} * 8_000)")
        assert page.locator("queue-row").count() < 60
        page.wait_for_timeout(20)
    assert page.evaluate("Math.max(0, ...window.long)") < 1_000
    # Titles come where one stops, and only those.
    page.evaluate("scrollTo(0, 7_000 * 64)")
    expect(page.get_by_role("button", name=re.compile(r"^7002\s*7002\.mp3"))).to_be_visible()
    expect(page.locator("queue-row[data-unread]")).to_have_count(0)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.get_by_role("button", name=re.compile(r"^10000\s*10000\.mp3"))).to_be_visible()
    assert sum(request["count"] for request in requests) < 8_000, len(requests)
    assert sum("ids" in request for request in requests) <= 2, requests
    # The last place of the queue, which the page knows by its order.
    page.get_by_role("button", name=re.compile(r"^9999\s*9999\.mp3")).focus()
    page.keyboard.press("Alt+ArrowDown")
    last = lambda: [item["content_id"].split("?")[0].split("/")[-1] for item in
                    command(page, device, "get/queue", {"from": 9_998, "count": 5})["data"]["items"]]
    # Not `until`: the command is the page's own.
    for _ in range(100):
        if last() == ["10000.mp3", "9999.mp3"]:
            break
        page.wait_for_timeout(50)
    assert last() == ["10000.mp3", "9999.mp3"]
    expect(page.get_by_role("button", name=re.compile(r"^10000\s*9999\.mp3"))).to_be_focused()


def lines_of_the_log_that_were_dropped_are_counted(browser, simulator):
    context = browser.context(init=NO_WORKER)
    page = browser.page("#/log", context=context)
    expect(page.locator(".log tbody tr").first).to_be_visible()
    shown = []

    def drops(route):
        if shown:
            return route.continue_()
        shown.append(route.request.url)
        route.fulfill(content_type="text/event-stream", body='event: hb\ndata: {}\n\nevent: missed\ndata: {"events":0,"lines":1200}\n\n')

    context.route("**/api/v1/events*", drops)
    page.evaluate("dispatchEvent(new Event('online'))")
    marker = page.locator(".log tr.missed")
    expect(marker).to_contain_text("1,200 lines were dropped")
    page.get_by_label("Filter").fill("none such")
    expect(page.locator(".log tbody tr")).to_have_count(1)
    expect(marker).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    assert "1,200 lines were dropped" in open(download.value.path()).read()
    assert "log=" in shown[0]


def the_log_and_the_health_are_shown(browser, simulator):
    page = browser.page("#/log")
    page.get_by_label("From level").select_option("debug")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.get_by_label("Filter").fill("Bridge*")
    expect(page.locator("tbody tr td:nth-child(3)").first).to_contain_text("Bridge")
    simulator.send(device="sim-002", do="reset")
    page.get_by_label("Filter").fill("")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    page.get_by_role("link", name="Health").click()
    expect(page.get_by_role("heading", name="MQTT broker")).to_be_visible()


def what_happened_to_a_device_is_listed(browser, simulator):
    page = browser.page()
    expect(page.locator("device-card").first).to_be_visible()
    page.get_by_role("link", name=simulator.name("sim-001"), exact=True).click()
    simulator.play("sim-001", title="Noted", url="http://media.invalid/x.mp4", duration=600)
    expect(page.locator(".history").filter(has_text="Started: Noted")).to_be_visible()
    expect(page.locator(".facts")).to_contain_text("confirmed by the device")


def a_page_opened_later_shows_what_happened_to_a_connection(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-003")
    card = page.locator("device-card").filter(has=page.get_by_role("heading", name=name, exact=True))
    expect(card).not_to_contain_text("Offline")
    simulator.send(device="sim-003", do="stop")
    expect(card).to_contain_text("Offline", timeout=60_000)
    simulator.send(device="sim-003", do="start")
    expect(card).not_to_contain_text("Offline", timeout=60_000)
    later = browser.page()
    later.get_by_role("link", name=name, exact=True).click()
    links = later.locator("section", has=later.get_by_role("heading", name="Connections")).get_by_role("listitem")
    expect(links.first).to_contain_text("Connected")
    expect(links.filter(has_text="Connection lost: ")).not_to_have_count(0)
    expect(links.last).to_contain_text("Connected")
    expect(later.locator(".facts")).to_contain_text("Not checked.")
    # An open page follows.
    simulator.send(device="sim-003", do="stop")
    expect(links.first).to_contain_text("failed", timeout=60_000)
    simulator.send(device="sim-003", do="start")
    expect(links.first).to_contain_text("Connected", timeout=60_000)


def the_mini_controller_stands_alone(browser, simulator):
    page = browser.page("mini", width=400, height=90)
    expect(page.locator("mini-controller")).to_contain_text("Nothing plays")
    simulator.play("sim-001", title="On the wall", url="http://media.invalid/x.mp4", duration=600)
    expect(page.locator("mini-controller")).to_contain_text("On the wall")
    page.get_by_role("button", name="Pause").click()
    until(lambda: simulator.state("sim-001")["player"] == "PAUSED", "pause")


TESTS = [
    two_browsers_are_in_step, seven_tabs_of_one_browser_work, a_lost_connection_is_shown_and_comes_back,
    the_bridge_ends_and_starts_again_under_an_open_page, a_proxy_that_holds_events_back_is_noticed,
    plain_http_in_the_network_works, a_password_is_asked_for_and_roles_hold, hostile_texts_stay_texts, ads_show_when_they_can_be_skipped,
    live_streams_stop_or_have_a_range, the_keyboard_alone_is_enough, the_introduction_is_shown_once, the_page_speaks_german,
    an_old_token_is_renewed,
    a_browser_whose_workers_never_answer_gets_its_state, a_browser_that_cannot_load_the_worker_gets_its_state, the_log_opened_directly_is_live,
    a_login_on_one_page_opens_the_others, a_wrong_token_is_shown_with_its_remedy, a_touch_beside_the_thumb_changes_no_volume, a_queue_of_10_000_items_scrolls,
    lines_of_the_log_that_were_dropped_are_counted, the_log_and_the_health_are_shown,
    what_happened_to_a_device_is_listed, a_page_opened_later_shows_what_happened_to_a_connection, the_mini_controller_stands_alone,
]
