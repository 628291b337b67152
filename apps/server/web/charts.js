// Pictures as SVG: the map of the classes, expected accuracy over time, memory by kind.
import { h, svg } from "./dom.js";
import { bytes, counted, cut, percent } from "./words.js";

const kMapShape = 0.66, kEdge = 34, kCharacter = 7.2;  // the width of a letter at 13 px, about
const kColors = 8;

const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

// Labels to the right, left, above or below their points; labels that would cover others are left out.
export function class_map(points, width) {
  const height = Math.round(kMapShape * width);
  const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
  const middle = (v) => (Math.min(...v) + Math.max(...v)) / 2, range = (v) => Math.max(...v) - Math.min(...v) || 1;
  const scale = Math.min((width - 4 * kEdge) / range(xs), (height - 2 * kEdge) / range(ys));
  const dots = points.map((p) => ({ label: p.label, x: width / 2 + scale * (p.x - middle(xs)), y: height / 2 - scale * (p.y - middle(ys)) }));
  const taken = dots.map(({ x, y }) => ({ x: x - 6, y: y - 6, w: 12, h: 12 }));
  const marks = dots.map(({ label, x, y }, i) => {
    const name = cut(label, 24), w = kCharacter * name.length + 4;
    const places = [[x + 9, y + 4, "start", x + 9], [x - 9, y + 4, "end", x - 9 - w], [x, y - 11, "middle", x - w / 2], [x, y + 20, "middle", x - w / 2]];
    const place = places.find(([, base, , left]) => {
      const box = { x: left, y: base - 12, w, h: 15 };
      return box.x >= 0 && box.x + w <= width && !taken.some((other, k) => k !== i && overlap(box, other));
    });
    if (place !== undefined) taken.push({ x: place[3], y: place[1] - 12, w, h: 15 });
    return svg("g", {}, svg("title", {}, label), svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: "5", class: "dot" }),
      place !== undefined && svg("text", { x: place[0].toFixed(1), y: place[1].toFixed(1), "text-anchor": place[2] }, name));
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img",
    "aria-label": `Map of ${counted(points.length, "class", "classes")}: neighbors look alike` }, marks);
}

// seen: [{state, classes, accuracy}], oldest first.
export function accuracy_chart(seen, width) {
  const height = 200, left = 46, right = 16, top = 14, bottom = 34;
  const low = Math.min(0.9, Math.floor(10 * Math.min(...seen.map((s) => s.accuracy)) - 0.001) / 10);
  const least = Math.max(0, low);
  const x = (i) => left + ((width - left - right) * i) / Math.max(1, seen.length - 1);
  const y = (a) => top + (height - top - bottom) * (1 - (a - least) / (1 - least));
  const ticks = [least, (1 + least) / 2, 1];
  const shown = Math.ceil(seen.length / 12);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img",
    "aria-label": `Expected accuracy: ${seen.map((s) => `${percent(s.accuracy)} with ${counted(s.classes, "class", "classes")}`).join(", ")}` },
    ticks.map((t) => [svg("line", { x1: left, x2: width - right, y1: y(t), y2: y(t), class: "grid" }),
      svg("text", { x: left - 8, y: y(t) + 4, "text-anchor": "end", class: "tick" }, percent(t))]).flat(),
    svg("polyline", { points: seen.map((s, i) => `${x(i).toFixed(1)},${y(s.accuracy).toFixed(1)}`).join(" "), class: "line" }),
    seen.map((s, i) => [svg("circle", { cx: x(i).toFixed(1), cy: y(s.accuracy).toFixed(1), r: "4", class: "dot" },
      svg("title", {}, `${percent(s.accuracy)} with ${counted(s.classes, "class", "classes")}`)),
      i % shown === 0 && svg("text", { x: x(i).toFixed(1), y: height - 10, "text-anchor": i === 0 ? "start" : i === seen.length - 1 ? "end" : "middle", class: "tick" },
        i === 0 ? counted(s.classes, "class", "classes") : String(s.classes))]).flat());
}

const kMemoryWords = { examples: "recent examples", readout: "classifier", statistics: "class statistics", networks: "networks" };

export function memory_bar(memory) {
  const kinds = Object.entries(memory).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const total = kinds.reduce((sum, [, n]) => sum + n, 0);
  const bar = h("div", { class: "stack", "aria-hidden": "true" }, kinds.map(([kind, n], i) => {
    const part = h("span", { class: `part c${i % kColors}`, title: kMemoryWords[kind] ?? kind });
    part.style.flexGrow = String(n / total);
    return part;
  }));
  return [bar, h("ul", { class: "legend" }, kinds.map(([kind, n], i) =>
    h("li", {}, h("span", { class: `swatch c${i % kColors}`, "aria-hidden": "true" }), `${kMemoryWords[kind] ?? kind} `, h("b", {}, bytes(n)))))];
}
