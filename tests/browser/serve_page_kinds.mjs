// The page of `fearnet serve` in a real Chromium, with brains of texts, sounds and rows, the keyboard alone, strange names of
// classes, and servers that stop, only read or need a token. Needs no model, except for sounds.
// usage: node serve_page_kinds.mjs PROGRAM FOLDER
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { made_sound } from "./made_sounds.mjs";
import { PageTest } from "./page_test.mjs";
import { has_models, serve } from "./serve_setup.mjs";

const program = process.argv[2], folder = resolve(process.argv[3]);
const brains = join(folder, "brains"), data = join(folder, "data"), hum = join(data, "hum.wav");
for (const path of [brains, data, join(folder, "screenshots")]) rmSync(path, { recursive: true, force: true }), mkdirSync(path, { recursive: true });
writeFileSync(hum, made_sound("hum", 0, 6));
writeFileSync(join(folder, "token"), "a-token-of-this-test-0123\n", { mode: 0o600 });

let server = await serve(program, [brains]);
const test = await PageTest.start(folder, ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", `--use-file-for-fake-audio-capture=${hum}`]);
let page = await test.open(server);

async function post(path, body) {
  const answer = await fetch(`${server.origin}/v1/brains${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
}

async function new_brain(name, features) {
  await page.click("#new-brain");
  await page.fill("dialog input", name);
  await page.selectOption("dialog select", features);
  await page.click("dialog .primary");
  await test.says(new RegExp(`Made the brain ${name}`));
}

async function teach(name) {
  await page.fill("#class-name", name);
  await page.click("#teach-now");
  return test.says(/Learned/);
}

// Rows of a class: 16 numbers near its mean. The same class and count give the same rows.
function examples(c, count) {
  let state = c + 1;
  const random = () => {  // about normal, of variance 1
    let sum = 0;
    for (let i = 0; i < 12; ++i) sum += (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
    return sum - 6;
  };
  const mean = Array.from({ length: 16 }, () => 3 * random());
  return Array.from({ length: count }, () => mean.map((m) => Number((m + 0.5 * random()).toFixed(4))));
}

// Names as people or attackers may choose them.
const kNames = ["<img src=x onerror=alert(1)><b>bold</b>", "\u05db\u05dc\u05d1 \u0643\u0644\u0628", "\u{1f436} dog & \"co\"", `${"a class with a very long name ".repeat(6)}end`];

const steps = {
  async "teaches and asks with the keyboard alone"() {
    const key = (name) => page.keyboard.press(name);
    await test.tab_to("#first-brain");
    await key("Enter");
    await page.keyboard.type("words");
    await test.tab_to("dialog select");
    await page.keyboard.type("texts in");  // any language: needs no model
    await test.tab_to("dialog .primary");
    await key("Enter");
    await test.says(/Made the brain words/);
    for (const [label, text] of [["german", "der die das und nicht ein eine ist"], ["english", "the a an and not one is this"]]) {
      await test.tab_to("#teach-sources textarea");
      for (const word of text.split(" ")) {
        await page.keyboard.type(`${word} ${text}`);
        await key("Enter");
      }
      await key("Tab");
      await key("Enter");  // Add
      await test.tab_to("#class-name");
      await page.keyboard.type(label);
      await key("Escape");  // the list of known names
      await test.tab_to("#teach-now");
      await key("Enter");
      await test.says(new RegExp(`Learned 8 examples.*new class: .${label}.`));
    }
    await test.tab_to("#tab-teach");
    await key("ArrowRight");
    assert.ok(await test.focused("#tab-ask"));
    await test.tab_to("#ask-sources textarea");
    await page.keyboard.type("das ist nicht die und der");
    await key("Tab");
    await key("Enter");
    await test.answers("german");
    await test.judge("texts");
  },

  async "teaches a file of texts, whatever its classes are called"() {
    await new_brain("names", "text:ngrams");
    const lines = kNames.flatMap((name, i) => Array.from({ length: 4 }, (_, k) => `${name}\t${["north", "south", "east", "west"][i]} wind ${"abcd"[k]}`));
    writeFileSync(join(data, "texts.tsv"), lines.join("\n"));
    await page.locator("#teach-sources input[value=files]").check();
    await test.drop([join(data, "texts.tsv")]);
    await page.locator(".tile").nth(lines.length - 1).waitFor();
    assert.equal(await page.locator("#tray-labels li").count(), kNames.length);
    await page.click(`#tray-labels button:has-text("dog")`);
    await page.fill("dialog input", "\u{1f436} dog");
    await page.click("dialog .primary");
    await test.judge("names-teach");
    await page.click("#teach-now");
    await test.says(/Learned 16 examples/);
    await page.click("#tab-ask");
    await page.fill("#ask-sources textarea", "north wind c");
    await page.click("#ask-sources button:has-text('Ask')");
    await test.answers(kNames[0]);
    await test.judge("names-ask");
    await page.click("#tab-brain");
    await page.locator("#history .entry").nth(1).waitFor();
    assert.deepEqual((await test.class_names()).sort(), [...kNames.filter((name) => !name.includes("dog")), "\u{1f436} dog"].sort());
    assert.equal(await page.locator("#panel-brain img, #panel-brain b b").count(), 0);
    await test.judge("names-brain");
  },

  async "teaches and asks with sounds of files and of the microphone"() {
    if (!has_models(program, "whisper-base")) return console.log("skipped: no sound model (fearnet models fetch sound)");
    await new_brain("sounds", "sound");
    const whistles = [1, 2, 3, 4].map((n) => {
      writeFileSync(join(data, `whistle ${n}.wav`), made_sound("whistle", n));
      return join(data, `whistle ${n}.wav`);
    });
    await test.drop(whistles.slice(0, 3));
    await page.locator(".tile audio").nth(2).waitFor();
    assert.match(await teach("whistle"), /Learned 3 examples.*new class: .whistle./);
    await page.locator("#teach-sources input[value=microphone]").check();
    for (let n = 1; n <= 3; ++n) {
      await page.click("text=Record");
      await page.waitForFunction(() => parseFloat(document.querySelector(".microphone .muted").textContent) > 1);
      if (n === 1) await page.screenshot({ path: join(test.shots, "recording.png") });
      await page.click(".microphone button:has-text('Stop')");
      await page.locator(".tile audio").nth(n - 1).waitFor();
    }
    await test.judge("sounds-teach");
    assert.match(await teach("hum"), /Learned 3 examples.*new class: .hum./);
    await page.click("#tab-ask");
    await page.locator("#ask-sources input[value=files]").check();
    await test.input_file("ask").setInputFiles(whistles[3]);
    await test.answers("whistle");
    await page.locator("#ask-sources input[value=microphone]").check();
    await page.locator("#ask-sources").getByText("Record").click();
    await page.waitForFunction(() => parseFloat(document.querySelector("#ask-sources .microphone .muted").textContent) > 1);
    await page.locator("#ask-sources").getByText("Stop").click();
    await test.answers("hum");
    await test.judge("sounds-ask");
  },

  async "shows sixty classes of rows"() {
    await post("", { name: "rows" });
    const rows = Array.from({ length: 60 }, (_, c) => examples(c, 6)).flat(), labels = rows.map((_, i) => `class ${Math.floor(i / 6) + 1}`);
    await post("/rows/learn", { rows, labels });
    await page.goto(`${server.origin}/#rows/brain`);  // made by another client: the page does not list it yet
    await page.click("text=Show all 60");
    await page.locator(".class").nth(59).waitFor();
    await page.locator("#map circle").nth(59).waitFor();
    await page.fill("#class-filter", "CLASS 6");
    assert.deepEqual(await test.class_names(), ["class 6", "class 60"]);
    await page.fill("#class-filter", "");
    await page.reload();
    await page.locator("#map circle").nth(59).waitFor();
    await test.judge("rows-brain");
    await page.click("#tab-ask");
    await page.fill("#ask-sources textarea", rows[0].join(", "));
    await page.click("#ask-sources button:has-text('Ask')");
    await test.answers("class 1");
    await test.judge("rows-ask");
  },

  async "groups what is unknown, and teaches a group by its name"() {
    await page.fill("#ask-sources textarea", [...examples(60, 8), ...examples(61, 8)].map((row) => row.join(" ")).join("\n"));
    await page.click("#ask-sources button:has-text('Ask')");
    await test.answers("Unknown");
    await page.click("#tab-unknowns");
    assert.equal(await page.locator("#groups .tile").count(), 16);
    await page.click("#discover");
    await test.says(/Found 2 groups/);
    await test.judge("rows-unknowns");
    const group = page.locator("#groups section").first();
    assert.match(await group.textContent(), /Group 1.*8 inputs that look alike and like nothing taught/);
    await group.locator("input").fill("strange");
    await page.keyboard.press("Enter");
    await test.says(/Learned 8 examples.*new class: .strange./);
    assert.equal(await page.locator("#groups .tile").count(), 8);
  },

  async "follows what is done in a second tab"() {
    const first = page, second = await page.context().newPage();
    await second.goto(`${server.origin}/#rows/brain`);
    await second.locator("[aria-label='Edit class 2']").click();
    await second.locator("dialog .choice").first().click();
    await second.fill("dialog input", "class 0");
    await second.click("dialog .primary");
    await first.click("#tab-brain");
    await first.locator(".class-name b", { hasText: "class 0" }).waitFor();
    await second.close();
  },

  async "says when the server is away, and goes on when it is back"() {
    await server.stop();
    await page.locator("#offline").waitFor();
    await page.click("#sleep");
    await test.complains(/does not answer/);
    await test.judge("offline");
    server = await serve(program, [brains], server.port);
    await page.locator("#offline").waitFor({ state: "hidden" });
    await page.click("#sleep");
    await test.says(/Slept for/);
  },

  async "teaches nothing where the server only reads"() {
    const reader = await serve(program, [join(brains, "rows.brain"), "--read-only"]);
    page = await test.open(reader);
    await page.click("#tab-teach");
    await page.locator("#teach-read-only").waitFor();
    await test.judge("read-only");
    await page.click("#tab-brain");
    await page.locator(".class").first().waitFor();
    for (const change of ["#sleep", "#new-brain", ".class button", "#history button", "#advice button"])
      assert.equal(await page.locator(`${change}:visible`).count(), 0, `${change} of a brain that is only read`);
    await reader.stop();
  },

  async "asks for the token"() {
    const guarded = await serve(program, [brains, "--token-file", join(folder, "token")]);
    page = await test.open(guarded);
    await page.locator("dialog input").waitFor();
    await test.judge("token");
    await page.fill("dialog input", "a wrong token of this test");
    await page.click("dialog .primary");
    await page.locator("dialog", { hasText: "refused" }).waitFor();
    await page.click("dialog button:has-text('Cancel')");
    await page.locator("#locked").waitFor();
    await page.click("#unlock");
    await page.fill("dialog input", "a-token-of-this-test-0123");
    await page.click("dialog .primary");
    await page.locator("#work").waitFor();
    await page.reload();  // the tab remembers it
    await page.locator("#work").waitFor();
    assert.equal(await page.locator("dialog").count(), 0);
    await guarded.stop();
  },
};

const code = await test.run(steps, () => server.said());
await server.stop();
process.exit(code);
