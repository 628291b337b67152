// What the tests of the page of `fearnet serve` need: programs, packages, a running server.
import { execFileSync, spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { delimiter, join, resolve } from "node:path";

const kPackages = { "playwright-core": "1.65.1", "axe-core": "4.14.0" };
const kSkipped = 77;
const kStartTime = 20000;  // milliseconds

export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(kSkipped);
}

// FEARNET_CHROMIUM names a Chromium that is not on the PATH.
export function chromium_path() {
  if (process.env.FEARNET_CHROMIUM) return process.env.FEARNET_CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"])
    for (const folder of (process.env.PATH ?? "").split(delimiter))
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // not in this folder
      }
  return skip("no Chromium: install the package chromium, or name one in FEARNET_CHROMIUM");
}

// Fetches the packages into the folder once. Returns their require function.
export function packages(folder) {
  const place = resolve(folder, "packages");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, dependencies: kPackages }));
  const require = createRequire(join(place, "package.json"));
  const present = () => Object.entries(kPackages).every(([name, version]) => {
    const file = join(place, "node_modules", name, "package.json");
    return existsSync(file) && require(file).version === version;
  });
  if (!present()) {
    try {
      execFileSync("npm", ["install", "--prefix", place, "--ignore-scripts", "--no-audit", "--no-fund"], { stdio: "pipe", timeout: 120000 });
    } catch {
      skip(`npm cannot fetch ${Object.entries(kPackages).map(([name, version]) => `${name}@${version}`).join(" and ")}`);
    }
  }
  return require;
}

// Whether what these models need is on this machine.
export function has_models(program, ...names) {
  const models = execFileSync(program, ["models"], { encoding: "utf8" });
  return ["onnxruntime", ...names].every((name) => new RegExp(`^${name}\\s+present`, "m").test(models));
}

export function require_image_model(program) {
  if (!has_models(program, "efficientnet-lite4")) skip("no image model: fearnet models fetch image");
}

const free_port = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().on("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

// Starts the server on a port of its own, or on the port of one that has stopped. Returns {origin, port, stop, said}.
export async function serve(program, args, again = null) {
  const port = again ?? (await free_port()), origin = `http://127.0.0.1:${port}`;
  const server = spawn(program, ["serve", ...args, "--listen", `127.0.0.1:${port}`], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "", ended = false;
  server.stdout.on("data", (data) => (said += data));
  server.stderr.on("data", (data) => (said += data));
  const exited = new Promise((resolve) => server.on("exit", resolve));
  server.on("exit", () => (ended = true));
  server.on("error", () => (ended = true));
  const stop = () => {
    if (!ended) server.kill("SIGTERM");
    return exited;
  };
  process.on("exit", stop);
  for (const end = Date.now() + kStartTime; Date.now() < end && !ended; await new Promise((r) => setTimeout(r, 100))) {
    const ready = await fetch(`${origin}/readyz`).then((r) => r.ok, () => false);
    if (ready) return { origin, port, stop, said: () => said };
  }
  throw new Error(`the server did not start:\n${said}`);
}
