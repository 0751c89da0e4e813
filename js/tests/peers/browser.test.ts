// SPDX-License-Identifier: MIT
// @connectrpc/connect-web and grpc-web in headless Chromium, against our servers, which serve the page as well.
import { build } from "esbuild";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";
import type { ClientName, run } from "./page.js";
import { definePeerTests, type Abilities } from "./peer_tests.js";

let browser: Browser;
let script: string;

before(async () => {
  const entry = fileURLToPath(new URL("./page.js", import.meta.url));
  const bundle = { bundle: true, platform: "browser", format: "iife", globalName: "clients", write: false } as const;
  const { outputFiles } = await build({ entryPoints: [entry], ...bundle });
  script = outputFiles[0].text;
  const executablePath = process.env.TRUNKLINE_CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(() => browser?.close());

const clients: Record<ClientName, Abilities> = {
  "connect-web, Connect, JSON": {},
  "connect-web, Connect, protobuf, GET": { maxBytes: 4000 },
  "connect-web, gRPC-Web, protobuf": {},
  "connect-web, gRPC-Web, JSON": {},
  "grpc-web, text": {},
  "grpc-web, binary": { seesStreams: false },
};

for (const [client, can] of Object.entries(clients)) {
  definePeerTests(`Chromium, ${client}`, can, async (baseUrl) => {
    const page = await browser.newPage();
    await page.goto(`${baseUrl}/page`);
    await page.addScriptTag({ content: script });
    return {
      run: (name, ...words) =>
        page.evaluate(
          ([client, name, words]) =>
            (globalThis as unknown as { clients: { run: typeof run } }).clients.run(client as ClientName, name, words),
          [client, name, words as unknown[]] as const,
        ),
      close: () => page.close(),
    };
  });
}
