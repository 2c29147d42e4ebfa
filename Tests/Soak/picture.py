"""Draws the curves of a soak: python3 picture.py soak.log > soak.svg"""

import json
import sys

# Some curves lie upon each other, so those have gaps.
CURVES = (("resident_kib", "resident memory", "#4477aa", ""), ("anonymous_kib", "anonymous memory", "#228833", ""),
          ("descriptors", "descriptors", "#ccbb44", ""), ("threads", "threads", "#aa3377", "8 8"), ("tasks", "tasks", "#66ccee", "5 15"), ("timers", "timers", "#000000", "2 18"), ("wake_ups", "wake-ups at rest", "#ee6677", ""))
STYLE = """text{font:13px sans-serif;fill:#333}.axis{stroke:#999}.band{fill:#8884}.background{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#ddd}.background{fill:#0d1117}}"""
LEFT, TOP, WIDTH, HEIGHT = 60, 40, 560, 220


def text(x, y, words, anchor="middle"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{words}</text>'


def growth(tenths):
    """Each figure after each tenth, in percent of that after the first."""
    reach = max([8.0] + [abs(line[name] / tenths[0][name] - 1) * 105 for line in tenths for name, *_ in CURVES])

    def place(index, share):
        return LEFT + WIDTH * index / max(1, len(tenths) - 1), TOP + HEIGHT / 2 - (share - 1) * 100 / reach * HEIGHT / 2

    band = place(0, 1.05)[1], place(0, 0.95)[1]
    parts = [text(LEFT, TOP - 16, "at rest after each tenth, in % of the first; the band is the bar", "start"),
             f'<rect class="band" x="{LEFT}" y="{band[0]:.1f}" width="{WIDTH}" height="{band[1] - band[0]:.1f}"/>']
    step = 5 if reach < 20 else 10
    most = int(reach // step * step)
    parts += [text(LEFT - 8, place(0, percent / 100)[1] + 4, percent, "end") for percent in range(100 - most, 101 + most, step)]
    parts += [text(place(index, 1)[0], TOP + HEIGHT + 18, line["number"]) for index, line in enumerate(tenths)]
    for row, (name, words, colour, dashes) in enumerate(CURVES):
        points = " ".join("{:.1f},{:.1f}".format(*place(index, line[name] / tenths[0][name])) for index, line in enumerate(tenths))
        y = TOP + 10 + 22 * row
        parts += [f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>',
                  f'<line x1="{LEFT + WIDTH + 16}" x2="{LEFT + WIDTH + 40}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>',
                  text(LEFT + WIDTH + 46, y + 4, words, "start")]
    return parts


def starts(lives, top):
    """How long each start after a kill took until all devices were online."""
    longest = max(line["online_s"] for line in lives)
    parts = [text(LEFT, top - 16, "seconds from a start after a kill until all devices are online, by the number of kills", "start"),
             f'<line class="axis" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{top + HEIGHT}" y2="{top + HEIGHT}"/>']
    for seconds in {round(longest, 1), round(longest / 2, 1)}:
        y = top + HEIGHT - seconds / longest * HEIGHT
        parts += [text(LEFT - 8, y + 4, seconds, "end"),
                  f'<line class="axis" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke-dasharray="2 6"/>']
    last = max(line["kills"] for line in lives)
    for line in lives:
        x = LEFT + WIDTH * line["kills"] / max(1, last)
        parts.append(f'<circle cx="{x:.1f}" cy="{top + HEIGHT - line["online_s"] / longest * HEIGHT:.1f}" r="3" fill="#4477aa"/>')
    return parts + [text(LEFT + WIDTH * share / 4, top + HEIGHT + 18, round(last * share / 4)) for share in range(5)]


def picture(log):
    tenths, lives = ([line for line in log if line["part"] == part] for part in ("tenth", "life"))
    parts = growth(tenths) + (starts(lives, TOP + HEIGHT + 80) if lives else [])
    height = TOP + HEIGHT + 40 + (HEIGHT + 80 if lives else 0)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 190} {height}" role="img" aria-label="Curves of the soak">',
                      f"<style>{STYLE}</style>", '<rect class="background" width="100%" height="100%"/>', *parts, "</svg>", ""])


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(picture([json.loads(line) for line in file]), end="")
