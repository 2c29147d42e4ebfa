"""Addresses that are dropped or pasted on the page: titles and subtitles are guessed from them."""

import re

from playwright.sync_api import expect

from harness import until
from quick import command, slug


def drop(page, kind, text):
    """Drops a text on the view, as a browser does with a link or with a file that is a list of addresses."""
    page.evaluate("""([kind, text]) => {
        const data = new DataTransfer();
        data.setData(kind, text);
        const view = document.querySelector('place-view');
        view.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
        if (!view.hasAttribute('data-drop')) throw new Error('the view does not take what is dragged over it');
        view.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }""", [kind, text])


def tracks(page, name):
    """The text tracks of a device as the bridge read them from it."""
    device = slug(page, name)
    return page.evaluate("async (slug) => (await (await fetch(`api/v1/devices/${slug}/tracks`)).json()).text", device)


def titles_and_subtitles_of_dropped_addresses_are_guessed(browser, simulator):
    page = browser.page()
    name = simulator.name("sim-001")
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_label("On", exact=True).select_option(label=name)
    address, title, subtitles = (page.get_by_label(label, exact=True) for label in ["Address", "Title", "Address of subtitles"])
    drop(page, "text/uri-list", "# two links\r\nhttp://media.invalid/The.Long_Way.2024.1080p.x264.mp4?duration=600\r\nhttp://media.invalid/The.Long_Way.2024.1080p.x264.de.vtt\r\n")
    page.get_by_text("More", exact=True).click()
    expect(title).to_have_value("The Long Way 2024")
    expect(subtitles).to_have_value("http://media.invalid/The.Long_Way.2024.1080p.x264.de.vtt")
    # Subtitles that are dropped later join what is there, and what the user typed stays.
    title.fill("The Longer Way")
    drop(page, "text/plain", "http://media.invalid/The.Long_Way.2024.1080p.x264.en.vtt")
    expect(subtitles).to_have_value(re.compile(r"de\.vtt\nhttp://.*en\.vtt$"))
    expect(title).to_have_value("The Longer Way")
    page.get_by_role("button", name="Play", exact=True).click()
    until(lambda: simulator.state("sim-001").get("title") == "The Longer Way", "the title reaches the device")
    assert simulator.state("sim-001")["active_tracks"] == [2], "the subtitles in the language of the page"
    page.get_by_role("dialog").get_by_role("button", name="Close the controls").click()
    page.get_by_role("link", name="Devices", exact=True).click()
    found = [(track["language"], track["name"], track["url"][-6:]) for track in tracks(page, name)]
    assert found == [("de", "German", "de.vtt"), ("en", "English", "en.vtt")], found


def titles_and_subtitles_of_pasted_addresses_are_guessed(browser, simulator):
    context = browser.context(permissions=["clipboard-read", "clipboard-write"])
    page = browser.page(context=context)
    name = simulator.name("sim-001")
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_label("On", exact=True).select_option(label=name)
    address, title, subtitles = (page.get_by_label(label, exact=True) for label in ["Address", "Title", "Address of subtitles"])

    def paste(text):
        page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        address.fill("")
        address.focus()
        page.keyboard.press("Control+V")

    paste("http://media.invalid/one_film.mp4?duration=600\nhttp://media.invalid/second%20film.mp4?duration=600\nhttp://media.invalid/second%20film.fr.vtt")
    page.get_by_text("More", exact=True).click()
    expect(title).to_have_value("one film")
    expect(subtitles).to_have_value("")
    subtitles.fill("no address")
    page.get_by_role("button", name="Play", exact=True).click()
    assert subtitles.evaluate("(field) => field.validationMessage").startswith("Give an address")
    subtitles.fill("http://media.invalid/typed.vtt")
    page.get_by_role("button", name="Play", exact=True).click()
    until(lambda: simulator.state("sim-001").get("title") == "one film", "the title reaches the device")
    assert simulator.state("sim-001")["queue_length"] == 2
    assert simulator.state("sim-001")["active_tracks"] == [1]
    page.get_by_role("dialog").get_by_role("button", name="Close the controls").click()
    # What was typed belonged to the address before.
    paste("http://media.invalid/third.mp4?duration=600")
    expect(title).to_have_value("third")
    expect(subtitles).to_have_value("")
    page.get_by_role("link", name="Devices", exact=True).click()
    command(page, slug(page, name), "cmd/next")
    until(lambda: simulator.state("sim-001").get("title") == "second film", "the second film plays")
    expect(page.locator("device-card", has_text="second film").first).to_be_visible()
    found = [(track["language"], track["url"][-18:]) for track in tracks(page, name)]
    assert found == [("fr", "cond%20film.fr.vtt")], found


TESTS = [titles_and_subtitles_of_dropped_addresses_are_guessed, titles_and_subtitles_of_pasted_addresses_are_guessed]
