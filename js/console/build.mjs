// SPDX-License-Identifier: MIT
// Builds the page of the console: one HTML file, in ASCII, with its script and its style. Usage: node console/build.mjs FILE
import { build, transform } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const source = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));
const [target] = process.argv.slice(2);
if (!target) {
  console.error("usage: node console/build.mjs FILE");
  process.exit(2);
}
const options = { minify: true, charset: "ascii", legalComments: "none", target: "es2022" };
const { outputFiles } = await build({
  ...options,
  entryPoints: [source("main.ts")],
  bundle: true,
  format: "iife",
  platform: "browser",
  write: false,
  alias: { "#web_socket": fileURLToPath(new URL("../src/browser/web_socket.ts", import.meta.url)) },
});
const { code: style } = await transform(await readFile(source("page.css"), "utf8"), { ...options, loader: "css" });
const page = await readFile(source("page.html"), "utf8");
const script = outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
const parts = { "@style@": style.trim(), "@script@": script };
await writeFile(
  target,
  page.replace(/@style@|@script@/g, (name) => parts[name]),
);
