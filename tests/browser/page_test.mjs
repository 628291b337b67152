// A test of the page of `fearnet serve`: a browser, what is watched in it, and steps that build on each other.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium_path, packages } from "./serve_setup.mjs";

const kSlow = 60000;  // milliseconds; a step of the page never takes as long
const kArguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
export const kDesktop = { width: 1280, height: 860 }, kPhone = { width: 390, height: 844 };

export class PageTest {
  #complaints = [];
  #asked = 0;  // requests to a server of the test
  origins = new Set();  // of the servers of the test

  // Screenshots go into the folder. `more` are arguments of Chromium.
  static async start(folder, more = []) {
    const test = new PageTest();
    test.shots = join(folder, "screenshots");
    mkdirSync(test.shots, { recursive: true });
    const require = packages(folder);
    test.axe = require("axe-core").source;
    test.browser = await require("playwright-core").chromium.launch({ executablePath: chromium_path(), args: [...kArguments, ...more] });
    return test;
  }

  // A page of a context of its own: nothing is stored of another page.
  async open(server, options = {}) {
    this.origins.add(server.origin);
    const context = await this.browser.newContext({ viewport: kDesktop, colorScheme: "light", acceptDownloads: true, ...options });
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (this.origins.has(url.origin)) ++this.#asked;
      else if (!["blob:", "data:"].includes(url.protocol)) this.#complaints.push(`request to ${url.origin}`);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(kSlow);
    page.on("pageerror", (error) => this.#complaints.push(`error in the page: ${error.message}`));
    page.on("console", (line) => {
      if (line.type() === "error" && !/status of (4|5)\d\d|ERR_CONNECTION_REFUSED/.test(line.text())) this.#complaints.push(`console: ${line.text()}`);
    });
    this.page = page;
    this.devtools = await context.newCDPSession(page);
    await page.goto(server.origin);
    return page;
  }

  // The message of the page, when it is like the pattern.
  async says(pattern, id = "status-text") {
    await this.page.waitForFunction(([at, text]) => new RegExp(text).test(document.getElementById(at).textContent), [id, pattern.source]);
    return this.page.locator(`#${id}`).textContent();
  }
  complains = (pattern) => this.says(pattern, "error-text");

  // The file dialog's input of a tab.
  input_file = (tab) => this.page.locator(`#${tab}-sources input[type=file]:not([webkitdirectory])`);
  class_names = () => this.page.locator("#classes .class-name b").allTextContents();
  answers = (label) => this.page.waitForFunction((name) => document.querySelector(".verdict")?.textContent === name, label);

  // A real drop of files and folders, as the browser's own drag and drop delivers it.
  async drop(paths) {
    const box = await this.page.locator(".drop:visible").boundingBox();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await this.devtools.send("Input.dispatchDragEvent", { type, x, y, data });
  }

  // axe-core finds nothing serious, in light and in dark, and nothing is wider than the screen. Leaves screenshots.
  async judge(name) {
    const { page } = this;
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(250);  // transitions
      await page.evaluate(this.axe);
      const { violations, passes } = await page.evaluate(() => window.axe.run());
      assert.ok(passes.length > 10, "axe-core has checked the page");
      const bad = violations.filter((v) => ["serious", "critical"].includes(v.impact));
      assert.deepEqual(bad.map((v) => `${v.id}: ${v.nodes[0].html}`), [], `${name}, ${colorScheme}`);
      for (const [size, viewport] of [["desktop", kDesktop], ["phone", kPhone]]) {
        await page.setViewportSize(viewport);
        await page.screenshot({ path: join(this.shots, `${name}-${size}-${colorScheme}.png`), fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= viewport.width, `${name} scrolls sideways on a ${size}: ${wide} px`);
      }
      await page.setViewportSize(kDesktop);
    }
    await page.emulateMedia({ colorScheme: "light" });
  }

  // Presses Tab until the focus is on an element like the selector.
  async tab_to(selector) {
    for (let i = 0; i < 60; ++i) {
      if (await this.focused(selector)) return;
      await this.page.keyboard.press("Tab");
    }
    assert.fail(`Tab does not reach ${selector}`);
  }
  focused = (selector) => this.page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector);

  // Runs the steps up to the first that fails; returns the exit code.
  async run(steps, said) {
    let failed = false;
    for (const [name, step] of Object.entries(steps)) {
      const start = Date.now();
      try {
        await step();
        console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed = true;
        await this.page.screenshot({ path: join(this.shots, "failed.png"), fullPage: true }).catch(() => {});
        const message = await this.page.locator("#error-text").textContent({ timeout: 1000 }).catch(() => "");
        console.log(`FAILED  ${name}\n${error.stack}\nThe page says: ${message}\n${said().split("\n").slice(-12).join("\n")}`);
        break;
      }
    }
    if (this.#asked === 0) this.#complaints.push("no request was seen at all");
    if (this.#complaints.length > 0) {
      failed = true;
      console.log(`FAILED  no foreign request and no error in the page\n${[...new Set(this.#complaints)].join("\n")}`);
    }
    await this.browser.close();
    return failed ? 1 : 0;
  }
}
