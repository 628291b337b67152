#!/usr/bin/env python3
"""Draws the costs of FearNet plus and streaming LDA by number of classes.

usage: benchmarks/growth_plot.py FILE.svg < LINE.json

The line is the last one that fearnet_bench_closed_form --growth prints. All axes are logarithmic, and a decade has the
same height in every panel.
"""

import json
import math
import sys

PANELS = [  # key, title, unit
    ("base_s", "base session", "s"),
    ("teach_s", "teaching all in one session", "s"),
    ("sleep_s", "sleep", "s"),
    ("row_ms", "predicting a row of 1,000", "ms"),
    ("file_mb", "brain file after sleep", "MB"),
    ("memory_mb", "peak memory of teaching", "MB"),
]
LEARNERS = [("fearnet-plus", "FearNet plus"), ("streaming-lda", "Streaming LDA")]  # in the colors c0, c1
WIDTH, COLUMNS, PANEL_WIDTH = 850, 3, 278
LEFT, PLOT_WIDTH, TOP, DECADE = 56, 124, 34, 38  # within a panel; the labels of the lines stand right of the plot
HEAD = 76
LINES = 30  # distance of two labels, which have two lines each

STYLE = """svg{--panel:#ffffff;--ink:#1f2933;--muted:#56616c;--grid:#e4e8ec;--axis:#8b97a3;--c0:#1d5fbf;--c1:#c2510c;\
background:var(--panel)}
@media (prefers-color-scheme:dark){svg{--panel:#1a1f26;--ink:#e6eaef;--muted:#a7b1bc;--grid:#2b323a;--axis:#6b7682;\
--c0:#7fb0f5;--c1:#f59b62}}
text{fill:var(--ink);font:12px system-ui,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
.title{font-size:17px;font-weight:600}
.strong{font-weight:600}
.name{font-size:11.5px;font-weight:600}
.muted{fill:var(--muted)}
.tick{fill:var(--muted);font-size:11px}
.grid{stroke:var(--grid)}
.axis{stroke:var(--axis)}
polyline{fill:none;stroke-width:2.2;stroke-linejoin:round}
.c0{stroke:var(--c0)}
.c1{stroke:var(--c1)}
.f0{fill:var(--c0)}
.f1{fill:var(--c1)}
"""


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def tick(exponent):
    return f"{10**exponent:,}" if exponent >= 0 else f"{10.0**exponent:.{-exponent}f}"


def amount(value):
    """Two significant digits, or all digits before the point."""
    return f"{value:,.{max(0, 1 - math.floor(math.log10(value)))}f}"


def points(costs, key):
    """(classes, cost) where there is a cost that a logarithmic axis can show."""
    return [(c["classes"], c[key]) for c in costs if c[key] is not None and c[key] > 0]


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def apart(heights):
    """The heights of two labels, moved apart if they would overlap."""
    if len(heights) < 2 or abs(heights[0] - heights[1]) >= LINES:
        return heights
    middle, sign = sum(heights) / 2, 1 if heights[0] > heights[1] else -1
    return [middle + sign * LINES / 2, middle - sign * LINES / 2]


def panel(key, title, unit, learners, low, span):
    """One quantity, from 10^low over `span` decades."""
    classes = [c["classes"] for c in learners[LEARNERS[0][0]]]
    first, last = decades(classes)
    bottom = TOP + DECADE * span

    def x(n):
        return LEFT + PLOT_WIDTH * (math.log10(n) - first) / max(1, last - first)

    def y(value):
        return bottom - DECADE * (math.log10(value) - low)

    out = [text(LEFT - 44, 8, f'{title} <tspan class="muted" font-weight="400">({unit})</tspan>', "strong")]
    for e in range(low, low + span + 1):
        out.append(line(LEFT, y(10.0**e), LEFT + PLOT_WIDTH, y(10.0**e), "axis" if e == low else "grid"))
        out.append(text(LEFT - 7, y(10.0**e) + 4, tick(e), "tick", "end"))
    for n in classes:
        out.append(line(x(n), bottom, x(n), bottom + 4, "axis"))
        out.append(text(x(n), bottom + 17, f"{n:,}", "tick", "middle"))
    out.append(text(LEFT + PLOT_WIDTH / 2, bottom + 33, "classes", "tick", "middle"))
    shown = [(i, name, points(learners[key_of], key)) for i, (key_of, name) in enumerate(LEARNERS)]
    drawn = [s for s in shown if s[2]]
    for (i, name, line_points), height in zip(drawn, apart([y(s[2][-1][1]) for s in drawn])):
        path = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in line_points)
        out.append(f'<polyline points="{path}" class="c{i}"/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(v):.1f}" r="3.2" class="f{i}"/>' for n, v in line_points]
        out.append(text(x(classes[-1]) + 9, height - 2, name, f"name f{i}"))
        out.append(text(x(classes[-1]) + 9, height + 12, f"{amount(line_points[-1][1])} {unit}", f"tick f{i}"))
    for i, name, line_points in shown:
        if not line_points:
            out.append(text(LEFT + PLOT_WIDTH + 9, bottom - 16, name, f"name f{i}"))
            out.append(text(LEFT + PLOT_WIDTH + 9, bottom - 2, "none", f"tick f{i}"))
    return out


def subtitle(data):
    return (
        f"Classes of {data['rows']} rows of {data['features']} features, {data['threads']} threads. "
        "Peak memory: above the model and the given rows, recent rows included."
    )


def picture(data):
    learners = data["learners"]
    ranges = {}
    for key, title, _ in PANELS:
        values = [v for name, _ in LEARNERS for _, v in points(learners[name], key)]
        if not values:
            raise SystemExit(f"growth_plot.py: no cost above 0 in {key} ({title})")
        ranges[key] = decades(values)
    rows = [PANELS[i : i + COLUMNS] for i in range(0, len(PANELS), COLUMNS)]
    spans = [max(ranges[key][1] - ranges[key][0] for key, _, _ in row) for row in rows]
    tops = [HEAD]
    for span in spans:
        tops.append(tops[-1] + TOP + DECADE * span + 68)
    height = tops[-1] - 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="growth-t">',
        f"<style>{STYLE}</style>",
        '<title id="growth-t">Costs of FearNet plus and streaming LDA by number of classes</title>',
        text(14, 28, "Costs by number of classes", "title"),
        text(14, 48, subtitle(data), "muted"),
    ]
    for row, top, span in zip(rows, tops, spans):
        for column, (key, title, unit) in enumerate(row):
            out.append(f'<g transform="translate({column * PANEL_WIDTH + 2} {top})">')
            out += panel(key, title, unit, learners, ranges[key][0], span)
            out.append("</g>")
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    drawn = picture(json.loads(sys.stdin.read()))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(drawn)
