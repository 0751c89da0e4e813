// SPDX-License-Identifier: MIT
// The programs of docs/guide/javascript.md, run as the page shows them.
import assert from "node:assert/strict";
import { spawn, execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installedPython } from "./kit/python_server.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "../docs/guide/javascript.md"), "utf8");
const shown = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
let folder: string;
let server: ReturnType<typeof spawn>;
let port: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-guide-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/trunkline"));
  const program = shown.find(({ language }) => language === "python")!.text.replace("127.0.0.1:8888", "127.0.0.1:0");
  const [starts, waits] = program.split("running.run_until_signal()");
  assert.equal(waits, "\n");
  // The port is free for certain, and the server listens when the line comes.
  const told = `${starts}print(running.endpoint, flush=True)\nrunning.run_until_signal()\n`;
  writeFileSync(join(folder, "server.py"), told);
  server = spawn(installedPython, [join(folder, "server.py")], { stdio: ["ignore", "pipe", "inherit"] });
  const { value } = await createInterface({ input: server.stdout! })[Symbol.asyncIterator]().next();
  port = new URL(value).port;
});
after(async () => {
  server.kill("SIGTERM");
  rmSync(folder, { recursive: true });
});

shown.forEach(({ language, text }, at) => {
  if (language !== "js") return;
  const name = /^\/\/ (\S+)/.exec(text)![1];
  test(`${name} prints what the page shows`, async () => {
    writeFileSync(join(folder, name), text.replaceAll("8888", port));

    const { stdout } = await promisify(execFile)("node", [name], { cwd: folder, timeout: 200000 });

    assert.equal(stdout, shown.slice(at).find((block) => block.language === "text")!.text);
  });
});

test("The page has every option", () => {
  for (const [file, name] of [
    ["call_options.ts", "CallOptions"],
    ["channel_options.ts", "ChannelOptions"],
  ]) {
    const source = readFileSync(join(root, "src", file), "utf8").split(`interface ${name}`)[1];
    const options = [...source.matchAll(/^ {2}(\w+)\?:/gm)].map(([, option]) => option);
    assert.ok(options.length > 7);
    for (const option of options) assert.match(page, new RegExp(`^\\|.*\`${option}\`.*\\|`, "m"), option);
  }
});
