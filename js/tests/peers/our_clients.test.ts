// SPDX-License-Identifier: MIT
// Our channels call servers of @connectrpc/connect-node: the cases of tests/python/test_connect_servers.py.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { installedPython } from "../kit/python_server.js";
import { ConnectNodeServer } from "./connect_node_server.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Those of the cases that need no server of their own. */
async function playCases(address: string, without: string): Promise<{ code: number | null; output: string }> {
  const words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python/test_connect_servers.py"];
  const pytest = spawn(installedPython, [...words, "-k", `not uvicorn and not wsgi${without}`], {
    cwd: root,
    env: { ...process.env, TRUNKLINE_CONNECT_SERVER: address },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  pytest.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise<number | null>((told) => pytest.once("close", told));
  return { code, output };
}

for (const [version, without] of [
  ["HTTP/1.1", ""],
  // Without the cases in which a channel is told to speak HTTP/1.1, and those of a server that closes idle connections,
  // which Node does over HTTP/1.1 only.
  ["HTTP/2", " and not 1.1 and not closed_the_connection"],
] as const) {
  test(`our clients call connect-node over ${version}`, async () => {
    const server = await ConnectNodeServer.start(version);
    try {
      const { code, output } = await playCases(server.address, without);
      assert.equal(code, 0, output);
      assert.match(output, /\b\d\d passed\b/);
      assert.doesNotMatch(output, /skipped/);
    } finally {
      await server.stop();
    }
  });
}
