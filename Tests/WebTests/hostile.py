"""Texts of others that look like HTML: of devices, groups, applications, media, tracks, errors and the log. Each must be shown as the text that it is."""

import contextlib
import os
import re
import subprocess

from playwright.sync_api import expect

import options
from harness import Bridge, simulated, until
from quick import command, expand_named

# Elements that a page would make of these texts, and a script that would run.
MARK = "hostile"


def hostile(place):
    return f"{place} <img src={MARK} onerror=\"alert('{place}')\"><script>alert('{place}')</script>\u202e'&lt;{{{{7*7}}}}"


DEVICE, OTHER, GROUP = hostile("device"), hostile("other"), hostile("group")


@contextlib.contextmanager
def household():
    """Devices and a group with hostile names, and a bridge that finds these alone. Their addresses are of the network in which they are
    announced, because nobody takes a loopback address from a network."""
    fleet = {"devices": [{"model": "Chromecast Ultra", "name": DEVICE}, {"model": "Nest Audio", "name": OTHER}], "groups": [{"name": GROUP, "members": ["sim-002"]}]}
    with simulated("10.78.0.9", fleet) as house, Bridge(options.program, DISCOVERY_INTERFACES="net0") as bridge:
        yield bridge, house


def watched(browser, url, path=""):
    """A page on which a script of these texts would be noticed."""
    page = browser.page(path, url=url, signs_in=False, init="window.alert = (text) => console.error(`a script ran: ${text}`)")
    page.on("request", lambda request: browser.problems.append(f"asked for {request.url}") if request.url.split("?")[0].endswith("/" + MARK) else None)
    return page


def shown(place, text):
    """The text is in this place, and no element was made of it."""
    expect(place.filter(has_text=text).first).to_be_visible()
    made = place.page.evaluate("mark => [...document.querySelectorAll(`img[src='${mark}'], main script, dialog script, b, i`)].map((element) => element.outerHTML)", MARK)
    assert not made, (text, made)


def names_of_devices_and_groups_stay_texts(browser, simulator):
    with household() as (bridge, house):
        page = watched(browser, bridge.link)
        for name in (DEVICE, OTHER, GROUP):
            shown(page.locator("device-card h2"), name)
        house.play("group-001", title="Everywhere", url="http://media.invalid/x.mp3", duration=600)
        page.locator("device-card").filter(has=page.get_by_role("heading", name=GROUP, exact=True)).get_by_role("button", name=f"Cast to: {GROUP}").click()
        cast = page.locator(".bar cast-button button")
        expect(cast).to_have_accessible_name(f"Cast: connected to {GROUP}")
        cast.click()
        dialog = page.get_by_role("dialog")
        shown(dialog.locator("h2"), GROUP)
        dialog.get_by_text("Speakers of the group").click()
        shown(dialog.locator(".members .volume-name"), OTHER)
        dialog.get_by_role("button", name="Move to").click()
        shown(page.locator("transfer-dialog .row span"), DEVICE)
        page.keyboard.press("Escape")
        dialog.get_by_role("button", name="All devices").click()
        shown(dialog.locator(".row span"), DEVICE)
        page.keyboard.press("Escape")
        shown(page.locator("mini-controller .quiet"), GROUP)
        page.get_by_role("link", name=GROUP, exact=True).click()
        shown(page.locator("h1"), GROUP)
        shown(page.locator("device-view .members"), OTHER)
        page.get_by_role("link", name="Queue").click()
        shown(page.locator("h1"), GROUP)
        page.get_by_role("link", name="Play", exact=True).click()
        assert DEVICE in page.get_by_label("On", exact=True).locator("option").all_text_contents()
        page.get_by_role("link", name="Log").click()
        page.get_by_label("From level").select_option("debug")
        shown(page.locator(".log td"), DEVICE)


def texts_of_media_and_applications_stay_texts(browser, simulator):
    with household() as (bridge, house):
        page = watched(browser, bridge.link)
        expect(page.get_by_role("link", name=DEVICE, exact=True)).to_be_visible()
        device = page.get_by_role("link", name=DEVICE, exact=True).get_attribute("href").split("/")[-1]
        house.send(device="sim-001", do="distort", type="RECEIVER_STATUS", set={"status.applications.0.displayName": hostile("app"), "status.applications.0.iconUrl": "javascript:alert('icon')"})
        tracks = [{"id": number, "type": "text", "subtype": "subtitles", "language": language, "name": hostile(f"track{number}"),
                   "url": "http://media.invalid/en.vtt", "content_type": "text/vtt"} for number, language in [(1, "<i>language</i>"), (2, "en")]]
        items = [{"url": f"http://media.invalid/{number}.mp4?duration=240", "title": hostile(f"title{number}"), "artist": hostile(f"artist{number}"),
                  "image": image, "tracks": tracks, "content_type": "video/mp4"}
                 for number, image in [(1, f"http://media.invalid/1.jpg\"><img/src={MARK}>"), (2, "http://media.invalid/2.jpg")]]
        answer = command(page, device, "cmd/queue_load", {"items": items})
        assert answer["status"] == "ok", answer
        # Of addresses that no bridge would load: another sender's.
        house.send(device="sim-001", do="distort", type="MEDIA_STATUS", set={"status.0.media.metadata.images": [{"url": "javascript:alert('picture')"}]})
        card = page.locator("device-card").filter(has=page.get_by_role("heading", name=DEVICE, exact=True))
        shown(card.locator("strong"), hostile("title1"))
        shown(page.locator("mini-controller strong"), hostile("title1"))
        expanded = expand_named(page, DEVICE)
        shown(expanded.locator(".expanded-title"), hostile("title1"))
        shown(expanded.locator(".expanded-lines"), hostile("artist1"))
        shown(expanded.locator(".badge"), hostile("app"))
        expanded.get_by_role("button", name="Tracks and subtitles").click()
        tracks_dialog = page.get_by_role("dialog", name="Tracks")
        for number in (1, 2):
            shown(tracks_dialog.locator(".choice span"), hostile(f"track{number}"))
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.locator(".bar cast-button button").click()
        page.get_by_role("dialog").get_by_role("button", name="All devices").click()
        shown(page.get_by_role("dialog").locator(".row .quiet"), hostile("app"))
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Queue").click()
        for number in (1, 2):
            shown(page.locator("queue-row .row-text span"), hostile(f"title{number}"))
            shown(page.locator("queue-row .row-text span"), hostile(f"artist{number}"))
        page.get_by_role("button", name="Add", exact=True).click()
        shown(page.locator("#insert-title"), hostile("title1"))
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Devices").click()
        page.get_by_role("link", name=DEVICE, exact=True).click()
        shown(page.locator(".facts dd"), hostile("app"))
        house.play("sim-001", title=hostile("later"), url="http://media.invalid/x.mp4", duration=600)
        shown(page.locator(".history span"), hostile("later"))


def texts_of_errors_stay_texts(browser, simulator):
    with household() as (bridge, house):
        page = watched(browser, bridge.link)
        house.play("sim-001", title="Film", url="http://media.invalid/x.mp4", duration=600)
        mini = page.locator("mini-controller")
        expect(mini).to_contain_text("Film")
        house.send(device="sim-001", do="distort", type="MEDIA_STATUS", set={"type": "INVALID_REQUEST", "reason": hostile("reason")})
        mini.get_by_role("button", name="Pause").click()
        notice = page.locator(".notice.failure")
        shown(notice.locator("span"), DEVICE)
        shown(notice.locator("small"), hostile("reason"))
        house.send(device="sim-001", do="undistort")
        page.goto(bridge.url + "#/play")
        page.get_by_label("Address", exact=True).fill(f"http://127.0.0.1:9/missing/{hostile('address').replace(' ', '')}.mp4")
        page.get_by_role("button", name="Play", exact=True).click()
        shown(page.locator(".load-failure strong"), DEVICE)
        page.get_by_text("Details").click()
        expect(page.locator(".finding").first).to_be_visible()
        for path in ["#/device/%3Cimg%20src%3Dhostile%3E", "#/%3Cimg%20src%3Dhostile%3E", "#/%E0%A4%A"]:
            page.goto(bridge.url + path)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            assert page.locator(f"img[src='{MARK}']").count() == 0


def names_do_not_act_on_a_terminal(browser, simulator):
    with household():
        environment = os.environ | {"CAST2MQTT_DISCOVERY_INTERFACES": "net0"}
        listed = subprocess.run([options.program, "devices", "--seconds", "3"], env=environment, capture_output=True, text=True, check=True).stdout
    assert "{{7*7}}" in listed, listed
    assert not re.search("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069]", listed), repr(listed)


TESTS = [
    names_do_not_act_on_a_terminal, names_of_devices_and_groups_stay_texts, texts_of_media_and_applications_stay_texts, texts_of_errors_stay_texts,
]
