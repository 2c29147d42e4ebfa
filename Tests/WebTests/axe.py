"""What axe-core finds in a page."""

from pathlib import Path

import axe_playwright_python

SOURCE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


# Colours of a dialog that fades in are not its own yet. An animation begins with a frame, which a busy machine makes late.
SETTLED = """async () => {
    const running = () => document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    for (;;) {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        if (running().length === 0) return;
        await Promise.allSettled(running().map(({ finished }) => finished));
    }
}"""


def findings(page):
    """Findings as short texts. The script is evaluated from outside, which the page's policy does not forbid."""
    page.evaluate(SETTLED)
    page.evaluate(SOURCE)
    result = page.evaluate("axe.run()")
    return [f"{entry['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})" for entry in result["violations"] for node in entry["nodes"]]
