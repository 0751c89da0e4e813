// SPDX-License-Identifier: MIT
// The package as its users get it: it installs, its types are checked, and it is small.
import { build } from "esbuild";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** What the package costs a page. */
const maxCompressedBytes = 14.5 * 1024;
let folder: string;
let files: { path: string }[];
const run = (command: string, ...words: string[]) => execFileSync(command, words, { cwd: folder, encoding: "utf8" });

before(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-package-"));
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root, encoding: "utf8" }),
  );
  files = packed.files;
  writeFileSync(join(folder, "package.json"), '{"name": "user", "type": "module", "private": true}');
  run("npm", "install", "--offline", "--no-audit", "--no-fund", `./${packed.filename}`);
});
after(() => rmSync(folder, { recursive: true }));

test("The package has no dependency, and nothing but what is needed", () => {
  assert.deepEqual(
    readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")),
    ["trunkline"],
  );
  for (const { path } of files) assert.match(path, /^(dist\/.*\.(js|d\.ts)|README\.md|package\.json)$/);
});

test("Every entry of the package has its files", () => {
  const packed = JSON.parse(readFileSync(join(folder, "node_modules/trunkline/package.json"), "utf8"));
  const targets = JSON.stringify([packed.exports, packed.imports]).match(/\.\/[^"]+\.(js|ts|json)(?=")/g)!;
  assert.ok(targets.length > 7);
  for (const target of targets) assert.ok(existsSync(join(folder, "node_modules/trunkline", target)), target);
});

test("The package runs in Node as it is installed", () => {
  writeFileSync(
    join(folder, "run.mjs"),
    `import { Channel, StatusCode } from "trunkline";
     const channel = new Channel("ws://127.0.0.1:1");
     const error = await channel.call("m", 1).catch((thrown) => thrown);
     console.log(error.codeName, error.code === StatusCode.unavailable);`,
  );
  assert.equal(run("node", "run.mjs"), "unavailable true\n");
});

const program = `
import { Channel, Metadata, RpcError, StatusCode, type CallOptions, type Codec, type Detail } from "trunkline";

const channel = new Channel("https://example.com", { transport: "automatic", defaultTimeout: 1000 });
export async function main(signal: AbortSignal): Promise<void> {
  const metadata = { name: "value" };
  const greeting: string = await channel.call<string>("Greet", "world", { timeout: 1000, signal, metadata });
  const options: CallOptions = { idempotent: true, onTrailingMetadata: (metadata: Metadata) => void metadata.get("x") };
  for await (const tick of channel.serverStream<number>("Ticks", 3, options)) tick.toFixed();
  const sum: number = await channel.clientStream<number>("Sum", [1, 2]);
  const stream = channel.bidirectional<number, string>("Twice");
  await stream.write(sum + greeting.length);
  const { value } = await stream.next();
  value?.toUpperCase();
  // @ts-expect-error: requests of this stream are numbers
  await stream.write("text");
  // @ts-expect-error: there is no such option
  await channel.call("m", 1, { timeuot: 1 });
  try {
    await channel.call("m");
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== StatusCode.not_found) throw error;
    error.details.map((detail: Detail) => detail.typeUrl);
  }
}
export const codec: Codec = { name: "own", encode: () => new Uint8Array(), decode: () => undefined };
`;

const clientProgram = `
import { Channel } from "trunkline";
import { createClient } from "trunkline/protobuf";
import { Kinds } from "./kinds_pb.js";
const client = createClient(Kinds, new Channel("https://example.com"));
export const text: Promise<string> = client.say({ value: "x" }).then((response) => response.value);
export const values: AsyncIterable<{ value: number }> = client.count({ value: 1 });
export const sum: Promise<{ value: number }> = client.add([{ value: 1 }]);
export const written: Promise<void> = client.twice().write({ value: 1 });
// @ts-expect-error: the value is text
void client.say({ value: 1 });
// @ts-expect-error: there is no such method
void client.shout({ value: "x" });
`;

/** Checks a file's types as a user would whose modules are resolved like this. */
function checkTypes(file: string, text: string, module: string, moduleResolution: string): void {
  const checks = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    preserveSymlinks: true,
  };
  const platform = { target: "es2022", lib: ["es2022", "dom", "dom.asynciterable"], types: [] };
  const compilerOptions = { ...checks, ...platform, module, moduleResolution, noEmit: true };
  writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  run(join(root, "node_modules/.bin/tsc"), "-p", "tsconfig.json");
}

test("The types of a program without protobuf are checked, as bundlers resolve modules", () => {
  checkTypes("program.ts", program, "esnext", "bundler");
});

test("The types of generated clients are checked, as Node resolves modules", () => {
  mkdirSync(join(folder, "node_modules/@bufbuild"), { recursive: true });
  symlinkSync(join(root, "node_modules/@bufbuild/protobuf"), join(folder, "node_modules/@bufbuild/protobuf"));
  symlinkSync(join(root, "tests/generated/kinds_pb.ts"), join(folder, "kinds_pb.ts"));
  checkTypes("client.ts", clientProgram, "nodenext", "nodenext");
});

test("Both transports together are small, minified and compressed", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export { Channel, RpcError, StatusCode } from "trunkline";', resolveDir: folder },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
    splitting: true,
    outdir: folder,
  });
  // What is loaded at once. MessagePack is in a file of its own, for servers that use it.
  const outputs = Object.entries(metafile.outputs);
  const atOnce = new Set(outputs.filter(([, { entryPoint }]) => entryPoint === "<stdin>").map(([name]) => name));
  for (const name of atOnce) {
    for (const { path, kind } of metafile.outputs[name].imports) if (kind === "import-statement") atOnce.add(path);
  }
  const contents = outputFiles.filter((_, at) => atOnce.has(outputs[at][0])).map((file) => file.contents);
  assert.ok(contents.length < outputs.length);
  const sum = (sizeOf: (bytes: Uint8Array) => number) => contents.reduce((size, bytes) => size + sizeOf(bytes), 0);
  const sizes = [
    sum((bytes) => gzipSync(bytes, { level: 9 }).length),
    sum((bytes) => brotliCompressSync(bytes).length),
  ];
  console.log(`minified ${sum(({ length }) => length)} bytes, by gzip ${sizes[0]} bytes, by Brotli ${sizes[1]} bytes`);
  assert.ok(sizes[0] <= maxCompressedBytes, `${sizes[0]} bytes`);
  const page = readFileSync(join(root, "../docs/guide/javascript.md"), "utf8");
  const stated = page.match(/(\d+\.\d) KB to a page.*gzip, or\s+(\d+\.\d) KB by Brotli/)!.slice(1);
  sizes.forEach((size, at) =>
    assert.ok(Math.abs(size - 1000 * Number(stated[at])) < 100, `${size}, not ${stated[at]} KB`),
  );
  assert.ok(!Object.keys(metafile.inputs).some((name) => name.includes("dist/node")), "a part for Node alone is in it");
});
