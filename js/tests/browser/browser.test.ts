// SPDX-License-Identifier: MIT
// The client in headless Chromium, against servers in C++ and Python.
import { build } from "esbuild";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { defineClientTests, type Cases, type Client, type Outcome } from "../kit/client_tests.js";
import { PythonServer } from "../kit/python_server.js";
import { Relay } from "../kit/relay.js";

let browser: Browser;
let script: string;

before(async () => {
  const entry = fileURLToPath(new URL("./cases.js", import.meta.url));
  const bundle = { bundle: true, platform: "browser", format: "iife", globalName: "cases", write: false } as const;
  const { outputFiles } = await build({ entryPoints: [entry], conditions: ["browser"], ...bundle });
  script = outputFiles[0].text;
  const executablePath = process.env.TRUNKLINE_CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(() => browser?.close());

/** The cases in a page that comes through a relay. */
class PageClient implements Client {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async open(relay: Relay): Promise<PageClient> {
    relay.page = `<!doctype html><title>page</title><script>${script}</script>`;
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${relay.port}/page.html`);
    return new PageClient(page);
  }

  async run<Name extends keyof Cases>(name: Name, ...words: Parameters<Cases[Name]>): Promise<Outcome<Name>> {
    const call = ([name, words]: [string, unknown[]]) =>
      (globalThis as unknown as { cases: Record<string, (...words: unknown[]) => unknown> }).cases[name](...words);
    return (await this.#page.evaluate(call, [name, words] as [string, unknown[]])) as Outcome<Name>;
  }

  close(): Promise<void> {
    return this.#page.close();
  }
}

defineClientTests("Chromium", (relay) => PageClient.open(relay));

describe("Chromium, a page of another origin", () => {
  let page: PageClient;
  let relay: Relay;
  let origin: string;

  before(async () => {
    relay = await Relay.start(() => undefined);
    origin = `http://127.0.0.1:${relay.port}`;
    page = await PageClient.open(relay);
  });
  after(async () => {
    await page?.close();
    await relay?.close();
  });

  test("opens no WebSocket where it is not allowed, and one where it is", async () => {
    for (const [allowed, transport, outcome] of [
      ["[]", "websocket", "unavailable"],
      [`["${origin}"]`, "websocket", "now"],
      [`["${origin}"]`, "automatic", "now"],
      [`["https://example.com"]`, "automatic", "unavailable"],
    ] as const) {
      const server = await PythonServer.start({ allowed_origins: allowed });
      try {
        const url = `${transport === "websocket" ? "ws" : "http"}://127.0.0.1:${server.port}`;
        await page.run("open", url, { transport });
        assert.equal([await page.run("outcomeOf", "Now")].flat()[0], outcome);
      } finally {
        await page.run("close");
        await server.stop();
      }
    }
  });
});
