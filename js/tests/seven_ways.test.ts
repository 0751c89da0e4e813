// SPDX-License-Identifier: MIT
// The programs of docs/guide/seven-ways.md: each client calls the servers in C++ and Python, as the page says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtTests, type Language } from "./kit/interop_server.js";
import { installedPython } from "./kit/python_server.js";
import { ServerProcess } from "./kit/server_process.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "../docs/guide/seven-ways.md"), "utf8");
const [service, ...clients] = page.split(/^## (?=The service|\d)/m).slice(1);
const environment = { ...process.env, PATH: `${dirname(installedPython)}${delimiter}${process.env.PATH}` };
let folder: string;

class GreeterServer extends ServerProcess {
  static start(language: Language): Promise<GreeterServer> {
    const [command, ...words] = language === "C++" ? [join(folder, "server")] : [installedPython, "server.py"];
    return ServerProcess.launch(GreeterServer, { command, words: [...words, "tcp://127.0.0.1:0"], folder });
  }

  protected override requestStop(): void {
    this.process.kill("SIGTERM");
  }
}

function blocksOf(section: string, language: string): string[] {
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text);
}

/** What the commands print, as a terminal shows it. */
function run(commands: string): string {
  return execFileSync("bash", ["-euc", `exec 2>&1\n${commands}`], {
    cwd: folder,
    env: environment,
    encoding: "utf8",
    timeout: 60000,
  });
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-seven-ways-"));
  mkdirSync(join(folder, "node_modules"));
  for (const name of [".bin", "@bufbuild", "@connectrpc"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  symlinkSync(root, join(folder, "node_modules/trunkline"));
  for (const language of ["proto", "python", "js"]) {
    for (const text of blocksOf(page, language)) writeFileSync(join(folder, /^(?:\/\/|#) (\S+)/.exec(text)![1]), text);
  }
  // The build compiles the programs in C++ in the order of the page.
  const programs = blocksOf(page, "cpp").map((text) => /^\/\/ (\w+)\.cpp/.exec(text)![1]);
  assert.deepEqual(programs, ["server", "client"]);
  programs.forEach((name, at) => symlinkSync(join(builtTests, `readme/seven_ways_${at + 1}`), join(folder, name)));
  for (const commands of blocksOf(service, "sh")) run(commands);
});
after(() => rmSync(folder, { recursive: true }));

for (const language of ["C++", "Python"] as const) {
  describe(`The server in ${language}`, () => {
    let server: GreeterServer;
    before(async () => (server = await GreeterServer.start(language)));
    after(() => server?.stop());

    for (const client of clients) {
      test(`is called as the page says: ${client.split("\n")[0]}`, () => {
        const [commands, ...further] = blocksOf(client, "sh");
        const [expected] = blocksOf(client, "text");

        const printed = run(commands.replaceAll("8888", String(server.port)));

        assert.equal(printed, expected);
        assert.deepEqual(further, []);
      });
    }

    test("is called in seven ways", () => assert.equal(clients.length, 7));
  });
}
