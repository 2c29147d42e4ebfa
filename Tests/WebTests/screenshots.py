"""Takes the pictures of the documentation: screenshots.py URL FOLDER"""

import hashlib
import re
import sys

from playwright.sync_api import expect, sync_playwright

from quick import command, expand_named

URL, FOLDER = sys.argv[1:]
FILM = {
    "url": "http://media.invalid/lighthouse.mp4?duration=5340&video=3840x2160&hdr=dv", "content_type": "video/mp4", "position": 1843,
    "metadata": {"type": "movie", "title": "The Lighthouse Keeper", "subtitle": "A story of the northern coast", "studio": "Example Pictures",
                 "release_date": "2024-10-03", "images": ["http://media.invalid/lighthouse.jpg"]},
    "tracks": [{"id": 1, "type": "text", "subtype": "subtitles", "language": "en", "name": "English", "url": "http://media.invalid/en.vtt", "content_type": "text/vtt"},
               {"id": 2, "type": "text", "subtype": "subtitles", "language": "de", "name": "Deutsch", "url": "http://media.invalid/de.vtt", "content_type": "text/vtt"}],
    "active_tracks": [1], "breaks": [{"id": "b", "position": 3000, "clips": ["c"]}], "break_clips": [{"id": "c", "url": "http://media.invalid/c.mp4", "duration": 15}],
}
SONGS = [("Harbour Lights", "Example Trio"), ("Lantern", "Example Trio"), ("Night Ferry", "Example Trio"), ("North", "Ada Lund"), ("Tide Table", "Ada Lund"),
         ("Slow Water", "The Piers"), ("Anchor", "The Piers"), ("Gulls", "The Piers")]
ALBUM = {"items": [{"url": f"http://media.invalid/{n}.mp3?duration=241", "title": title, "artist": artist, "image": f"http://media.invalid/{n}.jpg"}
                   for n, (title, artist) in enumerate(SONGS)], "start": 2, "app": "5A1D0001"}


def picture(route):
    """A landscape in colours that follow from the address, in place of the pictures of real media."""
    hue = hashlib.md5(re.search(r"[?&]v=(\w+)", route.request.url)[1].encode()).digest()[0] * 360 // 256
    color = lambda turn, light, strength=55: f"hsl({(hue + turn) % 360} {strength}% {light}%)"
    route.fulfill(content_type="image/svg+xml", body=f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400">
        <defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{color(0, 30)}"/><stop offset=".7" stop-color="{color(40, 68, 70)}"/></linearGradient></defs>
        <path fill="url(#s)" d="M0 0h400v400H0z"/><circle cx="280" cy="150" r="52" fill="{color(50, 86, 80)}"/>
        <path fill="{color(10, 38)}" d="M0 270 90 190l70 60 90-90 150 110v130H0z"/><path fill="{color(-10, 24)}" d="M0 320 130 260l120 60 150-50v130H0z"/></svg>""")


with sync_playwright() as playwright:
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])

    def page(width, height, scheme, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB", **options)
        context.add_init_script("localStorage.setItem('introduced', 'yes')")
        context.route("**/api/v1/artwork/**", picture)
        made = context.new_page()
        made.goto(URL)
        for name in ["Living Room TV", "Whole House"]:
            expect(made.get_by_role("link", name=name, exact=True)).to_be_visible()
        return made

    def take(made, name):
        made.mouse.move(0, 0)
        made.wait_for_timeout(700)
        made.screenshot(path=f"{FOLDER}/{name}.png")

    first = page(1280, 800, "light")
    assert command(first, "living-room-tv", "cmd/load", FILM)["status"] == "ok"
    assert command(first, "whole-house", "cmd/queue_load", ALBUM)["status"] == "ok"
    first.evaluate("localStorage.setItem('device', 'living-room-tv')")
    first.reload()
    expect(first.locator("mini-controller")).to_contain_text("The Lighthouse Keeper")
    take(first, "web-devices")
    expand_named(first, "Living Room TV")
    take(first, "web-expanded")
    phone = page(390, 780, "dark", device_scale_factor=1.25, has_touch=True)
    take(phone, "web-phone-devices")
    expand_named(phone, "Living Room TV")
    take(phone, "web-phone-expanded")
    phone.keyboard.press("Escape")
    expand_named(phone, "Whole House").get_by_role("button", name="Queue").click()
    take(phone, "web-phone-queue")
    phone.locator(".bar cast-button button").click()
    phone.get_by_text("Speakers of the group").click()
    take(phone, "web-phone-dialog")
    chromium.close()
