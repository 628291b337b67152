// The page of `fearnet serve` in a real Chromium, with a brain of photographs: teaches by files, folder and camera, asks, names what
// was unknown, sleeps, renames, forgets, reloads; axe-core judges every tab in light and dark. Screenshots stay in the folder.
// usage: node serve_page.mjs PROGRAM FOLDER
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { drawn } from "./drawn_pictures.mjs";
import { PageTest, kDesktop } from "./page_test.mjs";
import { require_image_model, serve } from "./serve_setup.mjs";

const program = process.argv[2], folder = resolve(process.argv[3]);
const kTaught = 8;

require_image_model(program);
const brains = join(folder, "brains"), photos = join(folder, "photos"), plants = join(folder, "folder", "plant"), camera = join(folder, "camera.mjpeg");
for (const path of [brains, photos, join(folder, "folder"), join(folder, "screenshots")]) rmSync(path, { recursive: true, force: true });
for (const path of [brains, plants]) mkdirSync(path, { recursive: true });

// The pictures: two kinds to be dropped, one that the camera sees, one that nobody teaches.
const painter = await PageTest.start(folder);
const easel = await painter.browser.newPage();
const files = {};
for (const kind of ["mug", "plant", "static"]) {
  mkdirSync(join(photos, kind), { recursive: true });
  files[kind] = (await drawn(easel, kind, 0, kTaught + 3)).map((picture, i) => {
    const path = join(photos, kind, `${kind} ${String(i + 1).padStart(2, "0")}.jpg`);
    writeFileSync(path, picture);
    return path;
  });
}
files.plant.slice(0, kTaught).forEach((path, i) => copyFileSync(path, join(plants, `${i}.jpg`)));
writeFileSync(camera, Buffer.concat(await drawn(easel, "ball", 0, 30, 640, 480)));
await painter.browser.close();

const server = await serve(program, [brains]);
const test = await PageTest.start(folder, ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${camera}`]);
const page = await test.open(server);

const steps = {
  async "makes the first brain"() {
    await page.click("#first-brain");
    await test.judge("new-brain");
    await page.fill("dialog input", "desk");
    await page.selectOption("dialog select", "image");
    await page.click("dialog .primary");
    await test.says(/Made the brain desk/);
    await page.locator("#teach-work").waitFor();
    assert.match(page.url(), /#desk\/teach$/);
  },

  async "teaches dropped files"() {
    await test.drop(files.mug.slice(0, kTaught));
    await page.locator(".tile").nth(kTaught - 1).waitFor();
    await page.click("#teach-now");  // without a name
    assert.match(await page.locator("#error-text").textContent(), /Name the class/);
    await page.fill("#class-name", "mug");
    await page.click("#teach-now");
    await test.says(/Learned 8 examples.*new class: .mug./);
    assert.equal(await page.locator(".tile").count(), 0);
  },

  async "teaches a dropped folder by its name"() {
    await test.drop([join(folder, "folder")]);
    await page.locator(".tile").nth(kTaught - 1).waitFor();
    assert.match(await page.locator("#tray-labels").textContent(), /plant 8/);
    assert.ok(await page.locator("#check").isHidden(), "one class is nothing to compare with");
    await page.click("#teach-now");
    await test.says(/Learned 8 examples.*new class: .plant./);
  },

  async "teaches what the camera sees"() {
    await page.locator("#teach-sources input[value=camera]").check();
    await page.click("text=Start the camera");
    await page.click("text=Take 12 in 3 seconds");
    await page.locator(".tile").nth(11).waitFor();
    await page.fill("#class-name", "ball");
    await page.click("#teach-now");
    await test.says(/Learned 12 examples.*new class: .ball./);
    await page.locator("#teach-sources input[value=files]").check();
    assert.equal(await page.evaluate(() => document.querySelector("video")?.srcObject ?? null), null, "the camera still runs");
  },

  async "finds the odd ones before it learns them"() {
    await page.locator("#teach-sources input[value=files]").check();
    await test.drop([...files.mug.slice(0, kTaught), ...files.plant.slice(kTaught, kTaught + 2)]);
    await page.locator(".tile").nth(kTaught + 1).waitFor();
    await page.fill("#class-name", "mug");
    await page.click("#check");
    await test.says(/Checked 10 examples: 2 look odd/);
    assert.match(await page.locator("#check-result").textContent(), /.mug. is a known class. Of 10 examples, 8 look like .mug., 2 look like .plant./);
    assert.equal(await page.locator(".tile.odd").count(), 2);
    await test.judge("teach");
    await page.click("#drop-odd");
    assert.equal(await page.locator(".tile").count(), kTaught);
    await page.click("#drop-all");
    assert.equal(await page.locator(".tile").count(), 0);
  },

  async "answers for files and for the camera"() {
    await page.click("#tab-ask");
    for (const kind of ["mug", "plant"]) {
      await test.input_file("ask").setInputFiles(files[kind].slice(kTaught, kTaught + 1));
      await test.answers(kind);
    }
    assert.match(await page.locator(".why").textContent(), /of the taught examples look as strange/);
    await page.setViewportSize({ width: 1080, height: 650 });
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(test.shots, "guide.png") });  // docs/images/serve.png
    await page.setViewportSize(kDesktop);
    await page.check("#sets-on");
    await page.waitForFunction(() => /90 % confidence/.test(document.querySelector(".verdict-sub").textContent));
    await test.judge("ask");
    await page.uncheck("#sets-on");
    await page.locator("#ask-sources input[value=camera]").check();
    await page.locator("#ask-sources").getByText("Start the camera").click();
    await test.answers("ball");
    await page.waitForFunction(() => parseFloat(document.getElementById("rate").textContent) > 0);
    await page.waitForTimeout(3000);
    console.log(`live: ${await page.locator("#rate").textContent()}`);
    await page.screenshot({ path: join(test.shots, "live.png") });
    await page.locator("#ask-sources input[value=files]").check();
  },

  async "keeps what is unknown, and teaches it as a named group"() {
    await test.input_file("ask").setInputFiles(files.static.slice(0, 6));
    await test.answers("Unknown");
    await page.screenshot({ path: join(test.shots, "unknown.png") });
    await page.click("#tab-unknowns");
    const kept = await page.locator("#groups .tile").count();
    assert.equal(kept, 6);
    await page.click("#discover");
    await test.says(/Found/);  // groups or none: three classes tell little of what is alike
    await test.judge("unknowns");
    const [save] = await Promise.all([page.waitForEvent("download"), page.click("#unknowns-save")]);
    assert.match(save.suggestedFilename(), /\.zip$/);
    const group = page.locator("#groups section").first();
    await group.locator("input").fill("noise");
    await group.locator("button:not(.remove)").click();
    await test.says(/new class: .noise./);
    assert.ok((await page.locator("#groups .tile").count()) < kept);
  },

  async "sleeps, renames, undoes, merges and forgets"() {
    await page.click("#tab-brain");
    await page.locator(".class").nth(3).waitFor();
    assert.deepEqual(await test.class_names(), ["ball", "mug", "noise", "plant"]);
    await page.locator("#history .entry").nth(4).waitFor();
    await page.locator("#map svg, #map-card[hidden]").first().waitFor({ state: "attached" });
    await test.judge("brain");
    assert.equal(await page.locator(".badge").count(), 4, "classes are recent before sleep");
    await page.click("#sleep");
    await test.says(/Slept for/);
    assert.equal(await page.locator(".badge").count(), 0, "classes are recent after sleep");

    await page.click("[aria-label='Edit mug']");
    await test.judge("edit");
    await page.locator("dialog .choice").first().click();
    await page.fill("dialog input", "cup");
    await page.click("dialog .primary");
    await test.says(/Renamed .mug. to .cup./);
    assert.deepEqual(await test.class_names(), ["ball", "cup", "noise", "plant"]);
    await page.locator("#history .entry", { hasText: "Renamed" }).getByText("Undo").click();
    await page.locator("dialog .primary").click();
    await test.says(/Renamed .cup. to .mug./);

    await page.click("[aria-label='Edit noise']");
    await page.locator("dialog .choice", { hasText: "Forget" }).click();
    await page.locator("dialog .danger").waitFor();
    assert.match(await page.locator("dialog p").textContent(), /cannot be undone/);
    await page.locator("dialog .danger").click();
    await test.says(/Forgot .noise./);
    assert.deepEqual(await test.class_names(), ["ball", "mug", "plant"]);
    await page.locator("#history .entry", { hasText: "Forgot a class" }).waitFor();  // its name is forgotten, too

    for (const id of ["snapshot", "export-onnx"]) {
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click(`#${id}`)]);
      assert.match(saved.suggestedFilename(), /^desk\.(brain|onnx)$/);
    }
  },

  async "is the same after a reload, and sees what others do"() {
    await page.reload();
    await page.locator(".class").nth(2).waitFor();
    assert.match(page.url(), /#desk\/brain$/);
    assert.deepEqual(await test.class_names(), ["ball", "mug", "plant"]);
    const renamed = await fetch(`${server.origin}/v1/brains/desk/rename`, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ from: "ball", to: "orange <b>ball</b>" }) });
    assert.equal(renamed.status, 200);
    await page.locator(".class-name b", { hasText: "orange <b>ball</b>" }).waitFor();
  },
};

const code = await test.run(steps, server.said);
server.stop();
process.exit(code);
