"""Running the house: what failed last night, a device's name, passwords, the settings, a wall panel, a file from a phone, other languages.

Each task of a household counts its touches; typing a text counts one.
"""

import contextlib
import json
import re
import signal

from playwright.sync_api import expect

import options
from axe import findings
from harness import Bridge, Hand, hash_of, simulated, until
from quick import SONGS, command

PASSWORD = "correct horse"


@contextlib.contextmanager
def house(has_broker=False, **environment):
    """Devices of its own, and a bridge with a password that finds these alone. A new name waits for the broker; then it has a private one."""
    with simulated("127.0.10.1", {"devices": [{"model": "Chromecast Ultra", "name": "Den TV"}, {"model": "Nest Audio", "name": "Kitchen speaker"}]}) as devices:
        bridge = Bridge(options.program, PASSWORD, DISCOVERY_MDNS="false", DISCOVERY_KNOWN_HOSTS="127.0.10.1,127.0.10.2", **environment)
        if has_broker:
            for key in ["HOST", "PORT"]:
                del bridge.environment[f"CAST2MQTT_MQTT_{key}"]
        with bridge:
            yield bridge, devices


def signed_in(browser, bridge, path="", **options_of_page):
    page = browser.page(path, url=bridge.url, signs_in=False, **options_of_page)
    page.locator("login-view").wait_for()
    page.get_by_label(re.compile("Password|Contraseña|Kata sandi")).fill(PASSWORD)
    page.keyboard.press("Enter")
    page.locator("login-view").wait_for(state="detached")
    return page


def accessible(page):
    for scheme in ["light", "dark"]:
        page.emulate_media(color_scheme=scheme)
        assert not findings(page), findings(page)


def card(page, name):
    return page.get_by_role("link", name=name, exact=True)


def what_failed_last_night(browser, simulator):
    with house() as (bridge, _):
        page = signed_in(browser, bridge)
        expect(card(page, "Den TV")).to_be_visible()
        slug = card(page, "Den TV").get_attribute("href").split("/")[-1]
        failed = {"url": "http://127.0.0.1:9/missing/film.mp4?token=geheim", "metadata": {"type": "movie", "title": "Night Ferry"}}
        assert command(page, slug, "cmd/load", failed)["status"] == "error"
        bridge.end(signal.SIGTERM)
        bridge.start()
        page = signed_in(browser, bridge, width=390, height=844)
        with Hand("what failed last night") as hand:
            hand.tap(card(page, "Den TV"))
            expect(page.locator("past-events .failed")).to_contain_text("Could not be played: Night Ferry")
            expect(page.locator("past-events .failed")).to_contain_text("The device could not play it.")
        with Hand("what failed anywhere") as hand:
            hand.tap(page.get_by_role("link", name="Health"))
            expect(page.locator("past-events .failed")).to_contain_text("Den TV: Could not be played: Night Ferry")
        accessible(page)
        kept = page.evaluate("async () => await (await fetch('api/v1/history?device=den-tv&limit=5')).text()")
        assert "geheim" not in kept and json.loads(kept)["events"], kept


def a_device_is_renamed_moved_and_hidden(browser, simulator):
    with house(has_broker=True) as (bridge, _):
        page = signed_in(browser, bridge, width=390, height=844)
        with Hand("rename a device") as hand:
            hand.tap(card(page, "Den TV"))
            hand.tap(page.get_by_role("button", name="Edit"))
            dialog = page.get_by_role("dialog", name="Den TV")
            hand.write(dialog.get_by_label("Name in topics"), "cinema")
            hand.tap(dialog.get_by_role("button", name="Save"))
            page.wait_for_url("**/#/device/cinema")
        expect(page.locator(".facts")).to_contain_text("cinema")
        page.get_by_role("button", name="Edit").click()
        dialog = page.get_by_role("dialog", name="Den TV")
        dialog.get_by_label("Room").fill("Den")
        dialog.get_by_label("Further names").fill("telly, big-screen")
        dialog.get_by_label("Loudest volume").fill("60")
        accessible(page)
        dialog.get_by_role("button", name="Save").click()
        expect(page.locator(".facts")).to_contain_text("telly, big-screen")
        page.get_by_role("button", name="Edit").click()
        expect(dialog.get_by_label("Loudest volume")).to_have_value("60")
        expect(dialog.get_by_label("Room")).to_have_value("Den")
        dialog.get_by_role("button", name="Hide").click()
        page.locator("confirm-dialog").get_by_role("button", name="Hide").click()
        expect(card(page, "Kitchen speaker")).to_be_visible()
        expect(card(page, "Den TV")).to_have_count(0)


def passwords_tokens_and_settings(browser, simulator):
    with house() as (bridge, _):
        # A password of the environment could not be replaced.
        page = signed_in(browser, bridge, width=390, height=844)
        with Hand("a password") as hand:
            hand.tap(page.get_by_role("button", name="Settings", exact=True))
            hand.tap(page.get_by_role("button", name="Settings of the bridge"))
            hand.write(page.get_by_label("New password: look and control"), "for the kitchen")
            hand.tap(page.locator("form", has=page.get_by_label("New password: look and control")).get_by_role("button", name="Save"))
            expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
        answer = browser.chromium.new_context().request.post(bridge.url + "api/v1/session", headers={"Origin": bridge.url.rstrip("/")}, data={"password": "for the kitchen"})
        assert answer.json()["role"] == "control", answer.text()
        tokens = page.locator("section", has_text="Tokens for programs")
        tokens.get_by_label("Name").fill("hall-panel")
        tokens.get_by_role("button", name="Make a token").click()
        expect(page.locator(".token")).to_contain_text("c2m_")
        token = page.locator(".token").inner_text()
        assert browser.chromium.new_context().request.get(bridge.url + "api/v1/state", headers={"Authorization": f"Bearer {token}"}).ok
        expect(tokens.get_by_text("hall-panel")).to_be_visible()
        presets = page.locator("section", has=page.get_by_role("heading", name="Presets"))
        presets.get_by_label("Name").fill("Radio One")
        presets.get_by_label("Web address").fill("http://192.168.1.5:8000/one")
        presets.get_by_role("button", name="Add").click()
        expect(presets.get_by_text("http://192.168.1.5:8000/one")).to_be_visible()
        page.get_by_label("Search the settings").fill("log.level")
        level = page.get_by_label("log.level", exact=True)
        level.select_option("debug")
        form = page.locator("form", has=level)
        expect(form).to_contain_text("default")
        form.get_by_role("button", name="Save").click()
        expect(form).to_contain_text("chosen here")
        accessible(page)
        form.get_by_role("button", name="Take back: log.level").click()
        expect(form).to_contain_text("default")
        # What file or environment has is shown and can't be changed.
        page.get_by_label("Search the settings").fill("web.listen")
        expect(page.get_by_label("web.listen", exact=True)).to_be_disabled()
        expect(page.locator("form", has=page.get_by_label("web.listen", exact=True))).to_contain_text("set in the environment")


def a_wall_panel_shows_rooms_and_ends_nothing(browser, simulator):
    with house() as (bridge, devices):
        page = signed_in(browser, bridge, "panel?rooms=kitchen-speaker,den-tv", width=1024, height=600)
        room = page.locator("panel-room")
        expect(room).to_have_count(2)
        expect(room.first).to_contain_text("Kitchen speaker")
        expect(page.locator(".panel-clock")).to_be_visible()
        accessible(page)
        assert command(page, "kitchen-speaker", "cmd/queue_load", SONGS)["status"] == "ok"
        expect(room.first).to_contain_text("Song 1")
        expect(page.locator(".panel-clock")).to_be_hidden()
        with Hand("a wall panel") as hand:
            hand.tap(room.first.get_by_role("button", name="Next"))
            until(lambda: devices.state("sim-002")["title"] == "Song 2", "the next song")
            hand.tap(room.first.get_by_role("button", name="Pause"))
            until(lambda: devices.state("sim-002")["player"] == "PAUSED", "paused")
            before = devices.state("sim-002")["volume"]
            hand.tap(room.first.get_by_role("button", name="Kitchen speaker louder"))
            until(lambda: devices.state("sim-002")["volume"] > before, "louder")
        accessible(page)
        sizes = page.locator("panel-room button:visible").evaluate_all("(buttons) => buttons.map((button) => button.getBoundingClientRect().width)")
        assert min(sizes) >= 64, sizes
        live = {"url": "http://media.invalid/live.mp3", "stream": "live", "content_type": "audio/mpeg", "title": "News"}
        assert command(page, "den-tv", "cmd/load", live)["status"] == "ok"
        expect(room.last).to_contain_text("News")
        expect(page.get_by_role("button", name=re.compile("Stop"))).to_have_count(0)
        # Without names it shows what plays.
        page.goto(bridge.url + "panel")
        expect(room).to_have_count(2)


def a_file_of_a_phone_is_played(browser, simulator):
    with house(MEDIA_LISTEN="0.0.0.0:0") as (bridge, devices):
        page = signed_in(browser, bridge, width=390, height=844, has_touch=True)
        expect(card(page, "Kitchen speaker")).to_be_visible()
        with Hand("a file from a phone") as hand:
            hand.tap(page.get_by_role("navigation").get_by_role("link", name="Play"))
            hand.choose(page.get_by_label("On", exact=True), "Kitchen speaker")
            with page.expect_file_chooser() as chooser:
                hand.tap(page.get_by_text("Choose a file"))
            hand.pick(chooser.value, {"name": "from the phone.wav", "mimeType": "audio/wav", "buffer": b"RIFF0000WAVEfmt " + b"x" * 3_000_000})
            until(lambda: "from_the_phone.wav" in devices.state("sim-002").get("content_id", ""), "the device plays the file")
        expect(page.locator(".expanded")).to_contain_text("from the phone")
        listed = page.evaluate("async () => await (await fetch('api/v1/media?path=uploads')).json()")
        assert [(entry["path"], entry["content_type"]) for entry in listed["data"]["entries"]] == [("uploads/from the phone.wav", "audio/wav")], listed


def other_languages_and_roles(browser, simulator):
    view = hash_of("only looking")
    with house(WEB_PASSWORDS_VIEW=view) as (bridge, _):
        for locale, words in [("es-ES", "Dispositivos"), ("id-ID", "Perangkat"), ("de-DE", "Geräte"), ("fr-FR", "Devices")]:
            context = browser.context(locale=locale)
            page = browser.page(context=context, url=bridge.url, signs_in=False)
            page.locator("login-view input").last.fill("only looking")
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", name=words, exact=True)).to_be_visible()
            expect(page.locator(".role-note")).to_be_visible()
            assert page.evaluate("document.documentElement.lang") == (locale[:2] if locale != "fr-FR" else "en")


def mini_fills_its_frame(browser, simulator):
    with house() as (bridge, devices):
        devices.play("sim-001", title="A film in the den", url="http://media.invalid/x.mp4", duration=600)
        for width, height in [(400, 500), (600, 80), (300, 300)]:
            page = signed_in(browser, bridge, "mini", width=width, height=height)
            mini = page.locator("mini-controller")
            expect(mini).to_contain_text("A film in the den")
            box = mini.bounding_box()
            # Above it the page says that there is no broker, where there is room.
            assert round(box["width"]) == width and round(box["y"] + box["height"]) == height, box
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth")
            expect(mini.get_by_role("button", name="Pause")).to_be_in_viewport()
            accessible(page)


TESTS = [
    what_failed_last_night, a_device_is_renamed_moved_and_hidden, passwords_tokens_and_settings, a_wall_panel_shows_rooms_and_ends_nothing,
    a_file_of_a_phone_is_played, other_languages_and_roles, mini_fills_its_frame,
]
