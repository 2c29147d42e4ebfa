"""The pages of a pair of bridges: that of the standby says who leads and leads there, and the two change places with their bridges.

    pair.py --standby http://10.77.0.5:8099/ --leader http://10.77.0.1:8099/ --pid PID --password PASSWORD --devices 2

Ends the leader by its process id.
"""

import argparse
import os
import signal

from playwright.sync_api import expect, sync_playwright

from axe import findings
from harness import Browser

parser = argparse.ArgumentParser()
for name in ["standby", "leader", "pid", "password", "devices"]:
    parser.add_argument(f"--{name}", required=True)
given = parser.parse_args()


def sign_in(page):
    page.get_by_label("Password").fill(given.password)
    page.keyboard.press("Enter")


with sync_playwright() as playwright:
    browser = Browser(playwright, given.standby, given.password)
    page = browser.page()
    expect(page.get_by_text("This bridge waits as the standby.")).to_be_visible()
    expect(page.get_by_text("leads: the devices are there.")).to_be_visible()
    expect(page.locator("device-card")).to_have_count(0)
    assert not findings(page), findings(page)
    page.goto(given.standby + "#/health")
    members = page.locator("health-view")
    expect(members.get_by_text("leads", exact=True)).to_have_count(1)
    expect(members.get_by_text("waits", exact=True)).to_have_count(1)
    page.go_back()

    page.get_by_role("link", name="To the bridge that leads").click()
    page.wait_for_url(given.leader + "**")
    sign_in(page)
    expect(page.locator("device-card")).to_have_count(int(given.devices))
    expect(page.get_by_text("This bridge waits as the standby.")).to_have_count(0)
    page.goto(given.leader + "#/health")
    expect(page.locator("health-view").get_by_text("waits", exact=True)).to_have_count(1)

    # The page of the standby is open while its bridge takes over: it shows the devices by itself.
    page.goto(given.standby)
    expect(page.get_by_text("This bridge waits as the standby.")).to_be_visible()
    os.kill(int(given.pid), signal.SIGKILL)
    expect(page.locator("device-card")).to_have_count(int(given.devices))
    expect(page.get_by_text("This bridge waits as the standby.")).to_have_count(0)
    browser.close()
    browser.chromium.close()
print("all passed")
