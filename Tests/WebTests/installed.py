"""The page as an application: its manifest and icons; and a browser whose user wants no motion."""

import json

from quick import FILM, expand, load


def the_manifest_leads_back_to_the_page(browser, simulator):
    check_manifest(browser.page(), browser.url)


def check_manifest(page, root):
    """What the manifest of the page names is the page at this address, and its icons."""
    address = page.evaluate("document.querySelector('link[rel=manifest]').href")
    manifest = json.loads(page.evaluate("async (address) => await (await fetch(address)).text()", address))
    assert manifest["name"] and manifest["display"] == "standalone", manifest
    for member in ["start_url", "scope"]:
        # Relative, so that it stays below the path of a proxy.
        assert manifest[member].startswith("."), manifest
        assert page.evaluate("([path, base]) => new URL(path, base).href", [manifest[member], address]) == root, manifest
    sizes = page.evaluate("""async ([icons, base]) => await Promise.all(icons.map(async ({ src }) => {
        const image = new Image();
        image.src = new URL(src, base).href;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
    }))""", [manifest["icons"], address])
    assert {"192x192", "512x512"} <= set(sizes), sizes
    for icon, size in zip(manifest["icons"], sizes):
        assert icon["sizes"] in (size, "any"), (icon, size)


ANIMATED = "document.getAnimations().map((animation) => `${animation.animationName ?? animation.transitionProperty} of ${animation.effect.target?.outerHTML.slice(0, 80)}`)"


def nothing_moves_for_who_wants_no_motion(browser, simulator):
    moving = {}
    for motion in ["no-preference", "reduce"]:
        simulator.quiet()
        page = browser.page(reduced_motion=motion)
        load(page, simulator, "sim-001", FILM)
        expand(page, simulator, "sim-001")
        page.evaluate("document.querySelector('.expanded-status').hidden = false")
        # A command that takes time, and the Cast button while it connects.
        page.evaluate("for (const button of document.querySelectorAll('cast-button')) { button.setAttribute('state', 'connecting'); button.querySelector('button').setAttribute('aria-busy', 'true'); }")
        moving[motion] = page.evaluate(ANIMATED)
        page.close()
    for name in ["arc", "turn"]:
        assert any(one.startswith(name) for one in moving["no-preference"]), (name, moving)
    assert not moving["reduce"], moving


TESTS = [the_manifest_leads_back_to_the_page, nothing_moves_for_who_wants_no_motion]
