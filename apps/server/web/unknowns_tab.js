// The tab of inputs that the brain did not know: grouped, named and taught, or downloaded.
import { post, save } from "./api.js";
import { brains } from "./brains.js";
import { $, busy, h, say, show, silence, unique_id } from "./dom.js";
import { requests_of } from "./items.js";
import { learn, learned_words } from "./teach.js";
import { Tiles } from "./tiles.js";
import { unknown_items } from "./unknown_items.js";
import { counted, quoted } from "./words.js";
import { zip } from "./zip.js";

const kTiles = 60;

export function unknowns_tab(panel) {
  let groups = [];  // [{items, spread, nearest}] of the last discover

  function group_card(title, note, some, primary) {
    const id = unique_id("group");
    const name = h("input", { id, type: "text", list: "class-names", autocomplete: "off", maxlength: "256", autocapitalize: "off" });
    const tiles = new Tiles(title, (one) => unknown_items.remove([one]));
    tiles.update(some, kTiles);
    const teach = h("button", { type: "button", class: primary ? "primary" : "", onclick: () => busy(teach, () => teach_group(some, name)) }, `Teach ${counted(some.length, "example")}`);
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") teach.click();
    });
    return h("section", { class: "card" }, h("h3", {}, title), h("p", { class: "muted" }, note), h("div", {}, tiles.element),
      !brains.info?.read_only && h("div", { class: "name-row" }, h("div", { class: "field" }, h("label", { for: id }, "Name of this class"), name), teach));
  }

  async function teach_group(some, name) {
    const label = name.value.trim();
    if (label === "") {
      name.focus();
      throw new Error("name the class of these examples first");
    }
    silence();
    const sum = await learn(some, () => label);
    unknown_items.remove(some);
    await brains.refresh(sum.state);
    say(learned_words(sum));
    $("unknowns-title").focus();
  }

  function draw() {
    const items = unknown_items.items;
    $("unknown-count").textContent = items.length > 0 ? String(items.length) : "";
    $("unknown-count").hidden = items.length === 0;
    if (panel.hidden) return;
    $("unknowns-empty").hidden = items.length > 0;
    $("unknowns-work").hidden = items.length === 0;
    $("unknowns-dropped").textContent = unknown_items.dropped > 0 ? `${counted(unknown_items.dropped, "older input")} made room for newer ones.` : "";
    groups = groups.map((g) => ({ ...g, items: g.items.filter((one) => items.includes(one)) })).filter((g) => g.items.length > 0);
    const rest = items.filter((one) => !groups.some((g) => g.items.includes(one)));
    const cards = groups.map((g, i) => group_card(`Group ${i + 1}`, `${counted(g.items.length, "input")} that look alike and like nothing taught` +
      `${g.nearest ? `; the nearest class is ${quoted(g.nearest)}` : ""}. Spread ${g.spread.toFixed(2)} (one class has about 1 or less).`, g.items, true));
    if (rest.length > 0)
      cards.push(group_card(groups.length > 0 ? "In no group" : "Not grouped yet", groups.length > 0 ? "Too few alike, or alike to a taught class."
        : "Remove what does not belong here, or group them by likeness.", rest, groups.length === 0));
    show($("groups"), cards);
  }

  $("discover").addEventListener("click", () => busy($("discover"), async () => {
    silence();
    const [request, ...more] = requests_of(unknown_items.items);
    if (more.length > 0) throw new Error("these are too many to group at once; teach or download some first");
    const result = await post(brains.url("discover"), request.body, { headers: request.headers });
    groups = result.groups.map((g) => ({ ...g, items: g.rows.map((row) => request.owners[row]) }));
    draw();
    say(groups.length > 0 ? `Found ${counted(groups.length, "group")}.` : "Found no group: it takes a few more inputs that are alike and unlike every class.");
  }));
  $("unknowns-save").addEventListener("click", () => busy($("unknowns-save"), async () => {
    const files = [], texts = [], rows = [];
    unknown_items.items.forEach((one, i) => {
      const group = groups.findIndex((g) => g.items.includes(one)), folder = group < 0 ? "" : `group ${group + 1}/`;
      if (one.blob) files.push({ name: `${folder}${String(i + 1).padStart(3, "0")} ${one.name.replaceAll(/[/\\]/g, "_")}`, blob: one.blob });
      else if (one.text) texts.push(one.text.replaceAll(/\s+/g, " "));
      else rows.push(one.row.join(","));
    });
    if (texts.length > 0) files.push({ name: "texts.txt", blob: new Blob([`${texts.join("\n")}\n`]) });
    if (rows.length > 0) files.push({ name: "rows.csv", blob: new Blob([`${rows.join("\n")}\n`]) });
    save(await zip(files), `${brains.name} unknown.zip`);
  }));
  $("unknowns-clear").addEventListener("click", () => {
    groups = [];
    unknown_items.clear();
    $("unknowns-title").focus();
  });
  unknown_items.addEventListener("change", draw);

  return {
    update: draw,
    reset() {
      groups = [];
      unknown_items.clear();
    },
    leave() {},
  };
}
