// Runs inside the page, reads what a reader sees, and tells the page around it.
(function () {
  function luminance(rgb) {
    var c = rgb.map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  }
  function parts(color) { return (color.match(/[\d.]+/g) || []).map(Number); }
  function ground(element) {  // the nearest background that is not transparent
    for (; element; element = element.parentElement) {
      var c = parts(getComputedStyle(element).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c.slice(0, 3);
    }
    return [255, 255, 255];
  }
  function contrast(a, b) {
    var x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }
  function text(element) { return element ? element.textContent.trim().replace(/\s+/g, " ") : ""; }
  function all(selector, within) { return Array.prototype.slice.call((within || document).querySelectorAll(selector)); }
  function picture(svg) {
    return {
      shown: svg.getBoundingClientRect().width > 0,
      named: text(svg.querySelector("title")) !== "" && text(svg.querySelector("desc")) !== "",
      lines: all("polyline[data-line]", svg).map(function (l) { return [l.dataset.line, l.points.numberOfItems]; }),
      dots: all("circle[data-dot]", svg).map(function (d) { return [d.dataset.dot, d.dataset.column, d.dataset.row]; }),
    };
  }
  function look() {
    all("details").forEach(function (d) { d.open = true; });
    var page = document.scrollingElement, worst = { ratio: 99, text: "" };
    all("body *").forEach(function (e) {
      var own = Array.prototype.some.call(e.childNodes, function (n) { return n.nodeType === 3 && n.data.trim(); });
      if (!own || e.closest("script,style,desc,title") || !e.getClientRects().length) return;
      var style = getComputedStyle(e), svg = e.closest("svg");
      var ratio = contrast(parts(svg ? style.fill : style.color).slice(0, 3), ground(e));
      if (ratio < worst.ratio) worst = { ratio: ratio, text: text(e) };
    });
    return {
      width: innerWidth,
      scroll_width: page.scrollWidth,
      background: getComputedStyle(document.body).backgroundColor,
      worst: worst,
      bad_text: /NaN|undefined|\bnan\b|\binf\b/.test(document.body.innerText),
      empty_cells: all("th,td").filter(function (c) { return text(c) === ""; }).length,
      cells_without_scope: all("th").filter(function (c) { return !c.scope; }).length,
      tables: all("table[data-experiment]").map(function (t) {
        return {
          experiment: t.dataset.experiment,
          kind: t.className,
          cells: all("td[data-column]", t).map(function (c) {
            return [c.dataset.dataset, c.dataset.row, c.dataset.column, text(c.querySelector(".ours")), text(c.querySelector(".paper"))];
          }),
          rows: all("tbody tr:not(.group)", t).map(function (r) { return all("th,td", r).map(text); }),
        };
      }),
      plots: all("figure[data-plot]").map(function (f) {
        return { file: f.dataset.plot, caption: text(f.querySelector("figcaption")), wide: picture(f.querySelector("svg.wide")),
                 narrow: picture(f.querySelector("svg.narrow")) };
      }),
    };
  }
  addEventListener("load", function () { parent.postMessage(encodeURIComponent(JSON.stringify(look())), "*"); });
})();
