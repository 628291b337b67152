// Starts the page: the list of brains, the tabs, and what connects them.
import { post, set_token_question } from "./api.js";
import { ask_tab } from "./ask.js";
import { brain_tab } from "./brain_tab.js";
import { brains } from "./brains.js";
import { new_brain_dialog, token_dialog } from "./dialogs.js";
import { $, attempt, complain, h, say, show, silence } from "./dom.js";
import { Tabs, place_in_address } from "./tabs.js";
import { teach_tab } from "./teach.js";
import { unknowns_tab } from "./unknowns_tab.js";
import { counted } from "./words.js";

set_token_question(token_dialog);

const tabs = new Tabs((key, before) => {
  silence();
  if (before !== null) contents[before].leave();
  contents[key].update();
  write_address();
});
const contents = {
  teach: teach_tab(tabs.panel("teach")),
  ask: ask_tab(tabs.panel("ask")),
  brain: brain_tab(tabs.panel("brain")),
  unknowns: unknowns_tab(tabs.panel("unknowns")),
};

function write_address() {
  if (brains.name === null || tabs.current === null) return;
  const address = `#${encodeURIComponent(brains.name)}/${tabs.current}`;
  if (location.hash !== address) history.replaceState(null, "", address);
}

function draw_chooser() {
  const several = brains.list.length > 1;
  show($("brain-select"), brains.list.map((b) => h("option", { value: b.name }, b.name)));
  if (brains.name !== null) $("brain-select").value = brains.name;
  $("brain-choice").hidden = !several;
  $("brain-name").hidden = several || brains.name === null;
  $("brain-name").textContent = brains.name ?? "";
  $("new-brain").hidden = !brains.can_create;
  $("no-brain").hidden = brains.list.length > 0;
  $("work").hidden = brains.list.length === 0;
  $("first-brain").hidden = !brains.can_create;
  document.title = brains.name === null ? "FearNet" : `${brains.name} \u2013 FearNet`;
}

function draw_facts() {
  const info = brains.info;
  show($("brain-line"), info === null ? [] : [counted(info.classes.length, "class", "classes"),
    h("span", { class: "more" }, `${info.sleep_due ? " \u00b7 sleep is due" : ""}${info.read_only ? " \u00b7 read-only" : ""}`)]);
}

async function choose(name) {
  if (name === brains.name) return;
  for (const content of Object.values(contents)) content.reset();
  silence();
  const chosen = brains.choose(name);
  draw_chooser();
  write_address();
  await chosen;
}

async function create() {
  await attempt(async () => {
    const answer = await new_brain_dialog();
    if (answer === null) return;
    const given = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== ""));
    const made = await post("/v1/brains", given);
    await brains.load_list();
    await choose(made.name);
    tabs.choose("teach");
    say(`Made the brain ${made.name}. Teach it its first classes.`);
  });
}

brains.on("list", draw_chooser);
brains.on("chosen", draw_facts);
brains.on("info", () => {
  draw_facts();
  for (const content of Object.values(contents)) content.update();
});
brains.on("online", () => {
  $("offline").hidden = brains.online;
});
$("brain-select").addEventListener("change", () => choose($("brain-select").value).catch(complain));
for (const id of ["new-brain", "first-brain"]) $(id).addEventListener("click", () => create());
for (const id of ["status", "error"]) $(`${id}-close`).addEventListener("click", silence);
addEventListener("hashchange", () => attempt(async () => {
  const { brain, tab } = place_in_address(), listed = () => brains.list.some((b) => b.name === brain);
  if (brain !== null && !listed()) await brains.load_list();
  if (brain !== null && listed()) await choose(brain);
  if (tab !== null) tabs.choose(tab);
  write_address();
}));
// Another client may have made a brain.
addEventListener("focus", async () => {
  if (!brains.loaded) return;
  try {
    await brains.load_list();
    if (brains.name === null && brains.list.length > 0) await choose(brains.list[0].name);
  } catch {
    // the message about the connection says it
  }
});
// A file that misses the drop zone must not replace the page.
for (const event of ["dragover", "drop"])
  addEventListener(event, (e) => {
    if ([...e.dataTransfer.types].includes("Files")) e.preventDefault();
  });

async function start() {
  const place = place_in_address();
  try {
    await brains.load_list();
    $("locked").hidden = true;
    const named = brains.list.find((b) => b.name === place.brain) ?? brains.list[0];
    tabs.choose(place.tab ?? (named?.classes > 1 ? "ask" : "teach"));
    if (named !== undefined) await choose(named.name);
  } catch (error) {
    if (error.status === 401) $("locked").hidden = false;
    else complain(error);
  }
}
$("unlock").addEventListener("click", start);
await start();
document.documentElement.dataset.ready = "true";
