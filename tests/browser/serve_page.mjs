// The page of `fearnet serve` in a real Chromium: teaches by files, folder, camera and keyboard, asks, names what was unknown,
// sleeps, renames, forgets; axe-core judges every tab in light and dark. Screenshots stay in the folder.
// usage: node serve_page.mjs PROGRAM FOLDER
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn } from "./drawn_pictures.mjs";
import { chromium_path, packages, require_image_model, serve } from "./serve_setup.mjs";

const [program, folder] = process.argv.slice(2);
const kTaught = 8, kSlow = 60000;
const kDesktop = { width: 1280, height: 860 }, kPhone = { width: 390, height: 844 };

mkdirSync(folder, { recursive: true });
const executablePath = chromium_path();
const require = packages(folder);
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;
require_image_model(program);

// The pictures: two kinds to be dropped, one that the camera sees, one that nobody teaches.
const brains = join(folder, "brains"), photos = join(folder, "photos"), shots = join(folder, "screenshots");
for (const path of [brains, photos, shots]) rmSync(path, { recursive: true, force: true }), mkdirSync(path, { recursive: true });
const base = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
const painter = await chromium.launch({ executablePath, args: base });
const easel = await painter.newPage();
const files = {};
for (const kind of ["mug", "plant", "static"]) {
  mkdirSync(join(photos, kind));
  files[kind] = (await drawn(easel, kind, 0, kTaught + 3)).map((picture, i) => {
    const path = join(photos, kind, `${kind} ${String(i + 1).padStart(2, "0")}.jpg`);
    writeFileSync(path, picture);
    return path;
  });
}
writeFileSync(join(folder, "camera.mjpeg"), Buffer.concat(await drawn(easel, "ball", 0, 30, 640, 480)));
await painter.close();
rmSync(join(photos, "plant", "left-out"), { recursive: true, force: true });
const plants = join(folder, "folder", "plant");
rmSync(join(folder, "folder"), { recursive: true, force: true });
mkdirSync(plants, { recursive: true });
const { copyFileSync } = await import("node:fs");
files.plant.slice(0, kTaught).forEach((path, i) => copyFileSync(path, join(plants, `${i}.jpg`)));

const server = await serve(program, [brains]);
const browser = await chromium.launch({ executablePath, args: [...base, "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
  `--use-file-for-fake-video-capture=${join(folder, "camera.mjpeg")}`] });
const context = await browser.newContext({ viewport: kDesktop, colorScheme: "light", acceptDownloads: true });
const complaints = [];
context.on("request", (request) => {
  const url = new URL(request.url());
  if (!["blob:", "data:"].includes(url.protocol) && url.origin !== server.origin) complaints.push(`request to ${url.origin}`);
});
const page = await context.newPage();
page.setDefaultTimeout(kSlow);
page.on("pageerror", (error) => complaints.push(`error in the page: ${error.message}`));
page.on("console", (line) => {
  if (line.type() === "error" && !/status of (4|5)\d\d/.test(line.text())) complaints.push(`console: ${line.text()}`);
});

const devtools = await context.newCDPSession(page);
const input_file = (tab) => page.locator(`#${tab}-sources input[type=file]:not([webkitdirectory])`);
const status = async (pattern) => {
  await page.waitForFunction((text) => new RegExp(text).test(document.getElementById("status-text").textContent), pattern.source);
  return page.locator("#status-text").textContent();
};
const class_names = () => page.locator("#classes .class-name b").allTextContents();

// A real drop of files and folders, as the browser's own drag and drop delivers it.
async function drop(paths) {
  const box = await page.locator(".drop:visible").boundingBox();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await devtools.send("Input.dispatchDragEvent", { type, x, y, data });
}

async function judged(name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(250);  // transitions
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const bad = violations.filter((v) => ["serious", "critical"].includes(v.impact));
    assert.deepEqual(bad.map((v) => `${v.id}: ${v.nodes[0].html}`), [], `${name}, ${colorScheme}`);
    for (const [size, viewport] of [["desktop", kDesktop], ["phone", kPhone]]) {
      await page.setViewportSize(viewport);
      await page.screenshot({ path: join(shots, `${name}-${size}-${colorScheme}.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= viewport.width, `${name} scrolls sideways on a ${size}: ${wide} px`);
    }
    await page.setViewportSize(kDesktop);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

const steps = {
  async "makes the first brain"() {
    await page.goto(server.origin);
    await page.click("#first-brain");
    await judged("new-brain");
    await page.fill("dialog input", "desk");
    await page.selectOption("dialog select", "image");
    await page.click("dialog .primary");
    await status(/Made the brain desk/);
    await page.locator("#teach-work").waitFor();
    assert.match(page.url(), /#desk\/teach$/);
  },

  async "teaches dropped files"() {
    await drop(files.mug.slice(0, kTaught));
    await page.locator(".tile").nth(kTaught - 1).waitFor();
    await page.click("#teach-now");  // without a name
    assert.match(await page.locator("#error-text").textContent(), /name the class/);
    await page.fill("#class-name", "mug");
    await page.click("#teach-now");
    await status(/Learned 8 examples.*new class: .mug./);
    assert.equal(await page.locator(".tile").count(), 0);
  },

  async "teaches a dropped folder with its name, after a check"() {
    await drop([join(folder, "folder")]);
    await page.locator(".tile").nth(kTaught - 1).waitFor();
    assert.match(await page.locator("#tray-labels").textContent(), /plant 8/);
    await page.click("#check");
    await status(/Checked 8 examples/);
    assert.match(await page.locator("#check-result").textContent(), /.plant. is a new class/);
    await judged("teach");
    await page.click("#teach-now");
    await status(/Learned 8 examples.*new class: .plant./);
  },

  async "teaches what the camera sees"() {
    await page.locator("#teach-sources input[value=camera]").check();
    await page.click("text=Start the camera");
    await page.click("text=Take 12 in 3 seconds");
    await page.locator(".tile").nth(11).waitFor();
    await page.fill("#class-name", "ball");
    await page.click("#teach-now");
    await status(/Learned 12 examples.*new class: .ball./);
    await page.locator("#teach-sources input[value=files]").check();
    assert.equal(await page.evaluate(() => document.querySelector("video")?.srcObject ?? null), null, "the camera still runs");
  },

  async "answers for files and for the camera"() {
    await page.click("#tab-ask");
    for (const kind of ["mug", "plant"]) {
      await input_file("ask").setInputFiles(files[kind].slice(kTaught, kTaught + 1));
      await page.waitForFunction((name) => document.querySelector(".verdict")?.textContent === name, kind);
    }
    assert.match(await page.locator(".why").textContent(), /of the taught examples look as strange/);
    await page.check("#sets-on");
    await page.waitForFunction(() => /90 % confidence/.test(document.querySelector(".verdict-sub").textContent));
    await judged("ask");
    await page.uncheck("#sets-on");
    await page.locator("#ask-sources input[value=camera]").check();
    await page.locator("#ask-sources").getByText("Start the camera").click();
    await page.waitForFunction(() => document.querySelector(".verdict")?.textContent === "ball");
    await page.waitForFunction(() => parseFloat(document.getElementById("rate").textContent) > 0);
    await page.waitForTimeout(3000);
    console.log(`live: ${await page.locator("#rate").textContent()}`);
    await page.screenshot({ path: join(shots, "live.png") });
    await page.locator("#ask-sources input[value=files]").check();
  },

  async "keeps what is unknown, and teaches it as a named group"() {
    await input_file("ask").setInputFiles(files.static.slice(0, 6));
    await page.waitForFunction(() => document.querySelector(".verdict")?.textContent === "Unknown");
    await page.screenshot({ path: join(shots, "unknown.png") });
    await page.click("#tab-unknowns");
    const kept = await page.locator("#groups .tile").count();
    assert.ok(kept >= 3, `${kept} unknown inputs were kept`);
    await page.click("#discover");
    await status(/Found/);
    await judged("unknowns");
    const [save] = await Promise.all([page.waitForEvent("download"), page.click("#unknowns-save")]);
    assert.match(save.suggestedFilename(), /\.zip$/);
    const group = page.locator("#groups section").first();
    await group.locator("input").fill("noise");
    await group.locator("button:not(.remove)").click();
    await status(/new class: .noise./);
    assert.ok((await page.locator("#groups .tile").count()) < kept);
  },

  async "sleeps, renames, undoes, merges and forgets"() {
    await page.click("#tab-brain");
    await page.locator(".class").nth(3).waitFor();
    assert.deepEqual(await class_names(), ["ball", "mug", "noise", "plant"]);
    await page.locator("#history .entry").nth(4).waitFor();
    await page.locator("#map svg, #map-card[hidden]").first().waitFor({ state: "attached" });
    await judged("brain");
    await page.click("#sleep");
    await status(/Slept|nothing to consolidate/);
    assert.equal(await page.locator(".badge").count(), 0, "classes are recent after sleep");

    await page.click("[aria-label='Edit mug']");
    await judged("edit");
    await page.locator("dialog .choice").first().click();
    await page.fill("dialog input", "cup");
    await page.click("dialog .primary");
    await status(/Renamed .mug. to .cup./);
    assert.deepEqual(await class_names(), ["ball", "cup", "noise", "plant"]);
    await page.locator("#history .entry", { hasText: "Renamed" }).getByText("Undo").click();
    await page.locator("dialog .primary").click();
    await status(/Renamed .cup. to .mug./);

    await page.click("[aria-label='Edit noise']");
    await page.locator("dialog .choice", { hasText: "Forget" }).click();
    await page.locator("dialog .danger").waitFor();
    assert.match(await page.locator("dialog p").textContent(), /cannot be undone/);
    await page.locator("dialog .danger").click();
    await status(/Forgot .noise./);
    assert.deepEqual(await class_names(), ["ball", "mug", "plant"]);

    for (const id of ["snapshot", "export-onnx"]) {
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click(`#${id}`)]);
      assert.match(saved.suggestedFilename(), /^desk\.(brain|onnx)$/);
    }
  },

  async "is the same after a reload, and sees what others do"() {
    await page.reload();
    await page.locator(".class").nth(2).waitFor();
    assert.match(page.url(), /#desk\/brain$/);
    assert.deepEqual(await class_names(), ["ball", "mug", "plant"]);
    const renamed = await fetch(`${server.origin}/v1/brains/desk/rename`, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ from: "ball", to: "orange <b>ball</b>" }) });
    assert.equal(renamed.status, 200);
    await page.locator(".class-name b", { hasText: "orange <b>ball</b>" }).waitFor();
  },

  async "teaches and asks with the keyboard alone"() {
    const key = (name) => page.keyboard.press(name);
    const focused = (selector) => page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector);
    const tab_to = async (selector) => {
      for (let i = 0; i < 60; ++i) {
        if (await focused(selector)) return;
        await key("Tab");
      }
      assert.fail(`Tab does not reach ${selector}`);
    };
    await tab_to("#new-brain");
    await key("Enter");
    await page.keyboard.type("words");
    await tab_to("dialog select");
    await page.keyboard.type("texts in");  // any language: needs no model
    await tab_to("dialog .primary");
    await key("Enter");
    await status(/Made the brain words/);
    for (const [label, text] of [["german", "der die das und nicht ein eine ist"], ["english", "the a an and not one is this"]]) {
      await tab_to("#teach-sources textarea");
      for (const word of text.split(" ")) {
        await page.keyboard.type(`${word} ${text}`);
        await key("Enter");
      }
      await key("Tab");
      await key("Enter");  // Add
      await tab_to("#class-name");
      await page.keyboard.type(label);
      await key("Escape");  // the list of known names
      await tab_to("#teach-now");
      await key("Enter");
      await status(new RegExp(`Learned 8 examples.*new class: .${label}.`));
    }
    await tab_to("#tab-teach");
    await key("ArrowRight");
    assert.ok(await focused("#tab-ask"));
    await tab_to("#ask-sources textarea");
    await page.keyboard.type("das ist nicht die und der");
    await key("Tab");
    await key("Enter");
    await page.waitForFunction(() => /german|Unknown/.test(document.querySelector(".verdict")?.textContent ?? ""));
    await judged("texts");
  },
};

let failed = 0;
for (const [name, step] of Object.entries(steps)) {
  const start = Date.now();
  try {
    await step();
    console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    ++failed;
    await page.screenshot({ path: join(shots, "failed.png"), fullPage: true }).catch(() => {});
    console.log(`FAILED  ${name}\n${error.stack}\nThe page says: ${await page.locator("#error-text").textContent().catch(() => "")}\n${server.said().split("\n").slice(-12).join("\n")}`);
    break;  // the steps build on each other
  }
}
if (complaints.length > 0) {
  ++failed;
  console.log(`FAILED  no foreign request and no error in the page\n${[...new Set(complaints)].join("\n")}`);
}
await browser.close();
server.stop();
process.exit(failed > 0 ? 1 : 0);
