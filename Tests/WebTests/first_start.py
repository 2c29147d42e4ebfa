"""The first start in a browser of another machine: code, password, broker, devices. It uses a bridge that nobody has set up.

    first_start.py --url http://10.77.0.1:8099/ --code CODE --address 10.77.0.2 --port 1883 --username house --broker-password secret --devices 3
"""

import argparse
import json
import re
import socket

from playwright.sync_api import expect, sync_playwright
from zeroconf import ServiceInfo, Zeroconf

from axe import findings
from harness import Browser

parser = argparse.ArgumentParser()
for name in ["url", "code", "address", "port", "username", "broker-password", "devices"]:
    parser.add_argument(f"--{name}", required=True)
given = parser.parse_args()
PASSWORD = "correct horse"


def announced():
    """Announces the broker as avahi does with a service file for mosquitto."""
    network = Zeroconf(interfaces=[given.address])
    network.register_service(ServiceInfo(
        "_mqtt._tcp.local.", "House broker._mqtt._tcp.local.", addresses=[socket.inet_aton(given.address)], port=int(given.port), server="house-broker.local."))
    return network


def accessible(page):
    assert not findings(page), findings(page)


def choose_password(page):
    code, password = page.get_by_label("Setup code"), page.get_by_label(re.compile("New password"))
    accessible(page)
    for _ in range(5):
        code.fill("0" * 32)
        password.fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert").filter(has_text="Wrong password or code.")).to_be_visible()
        expect(page.get_by_role("button", name="Sign in")).to_be_enabled()
        page.evaluate("document.querySelector('login-view .failure-text').textContent = ''")
    code.fill("1" * 32)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Too many attempts")).to_be_visible()
    # The right code is not delayed by the guesses, and a password that is too short is not kept.
    code.fill(given.code)
    password.fill("short")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="8 bytes or more")).to_be_visible()
    password.fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Set up the bridge")).to_be_visible()


def choose_broker(page):
    broker = page.get_by_label("MQTT broker")
    option = broker.locator("option", has_text=f"House broker · {given.address}:{given.port}")
    expect(option).to_have_count(1)
    accessible(page)
    broker.select_option(option.get_attribute("value"))
    expect(page.get_by_label("Name or address")).to_have_value(given.address)
    save = page.get_by_role("button", name="Try and save")
    page.get_by_label("Port").fill("9")
    save.click()
    expect(page.get_by_role("alert").filter(has_text="No broker answers at this address and port.")).to_be_visible()
    page.get_by_label("Port").fill(given.port)
    page.get_by_label("User name").fill(given.username)
    page.get_by_label("Password", exact=True).fill("wrong")
    save.click()
    expect(page.get_by_role("alert").filter(has_text="does not accept this user name and password")).to_be_visible()
    accessible(page)
    kept = json.loads(page.evaluate("async () => await (await fetch('api/v1/settings')).text()"))["settings"]
    assert {row["key"]: row["value"] for row in kept}["mqtt.host"] is None, "what was refused is kept"
    page.get_by_label("Password", exact=True).fill(given.broker_password)
    page.get_by_label("Home Assistant").select_option("off")
    save.click()


def sign_in(page):
    page.locator("login-view").wait_for()
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("device-card")).to_have_count(int(given.devices))


network = announced()
try:
    with sync_playwright() as playwright:
        browser = Browser(playwright, given.url)
        page = browser.page()
        page.locator("login-view").wait_for()
        choose_password(page)
        choose_broker(page)
        sign_in(page)
        browser.close()
        browser.chromium.close()
finally:
    network.close()
print("all passed")
