// SPDX-License-Identifier: MIT
// definePeerTests: what clients of other makes do with servers in C++ and Python, wherever the clients run.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Language } from "../kit/interop_server.js";
import { PeerServer } from "../kit/peer_server.js";
import type { Calls } from "./calls.js";

/** Where the calls are made. */
export interface Caller {
  run<Name extends keyof Calls>(name: Name, ...words: Parameters<Calls[Name]>): Promise<unknown>;
  close(): Promise<void>;
}

/** What the client can do. */
export interface Abilities {
  readonly requestStreams?: "none" | "half duplex" | "full duplex";
  /** The longest request. */
  readonly maxBytes?: number;
  /** Whether messages of a stream are seen before its end. */
  readonly seesStreams?: boolean;
}

export function definePeerTests(where: string, can: Abilities, open: (baseUrl: string) => Promise<Caller>): void {
  const { requestStreams = "none", maxBytes = 2_000_000, seesStreams = true } = can;
  for (const language of ["C++", "Python"] as Language[]) {
    describe(`${where}, server in ${language}`, () => {
      let server: PeerServer;
      let caller: Caller;

      before(async () => {
        server = await PeerServer.start(language);
        caller = await open(`http://127.0.0.1:${server.port}`);
      });
      after(async () => {
        await caller?.close();
        await server?.stop();
      });

      test("sends and receives messages of any size", async () => {
        assert.ok(
          await caller.run(
            "echo",
            [0, 1, 1000, 70_000, maxBytes].filter((size) => size <= maxBytes),
          ),
        );
        assert.ok(await caller.run("echo", Array(100).fill(10)));
      });

      test("reads a server stream", async () => {
        const expected = Array.from({ length: 1000 }, (_, at) => at);
        assert.deepEqual(await caller.run("range", 1000), expected);
        assert.deepEqual(await caller.run("range", 0), []);
      });

      test("sends metadata, and receives leading and trailing metadata", async () => {
        const seen = { leading: "1", trailing: [0, 255] };
        assert.deepEqual(await caller.run("metadata"), [seen, seen]);
      });

      test("an error has code, text, details and metadata", async () => {
        const details = [7, ["opaque", [0, 255]]];
        const failure = { code: "FailedPrecondition", text: "100 % café\n", details, leading: "1", trailing: [0, 255] };
        assert.deepEqual(await caller.run("fail"), failure);
        assert.deepEqual(await caller.run("failLate"), [[1], { ...failure, leading: null, trailing: null }]);
      });

      test("exceptions and missing methods are told", async () => {
        const [[thrown, text], missing] = (await caller.run("throwAndMiss")) as string[][];
        assert.deepEqual([thrown, text.includes("secret")], ["Internal", false]);
        assert.deepEqual(missing, ["Unimplemented", "call interop.Grpc/Missing: no such method"]);
      });

      test("a deadline goes to the server and ends the call on both sides", async () => {
        const [left, none] = (await caller.run("timeLeft")) as number[];
        assert.ok(left > 0 && left <= 30000, String(left));
        assert.equal(none, -1);
        assert.deepEqual(await caller.run("deadline"), ["DeadlineExceeded", true]);
      });

      test("a call and a stream that are cancelled end at the server", async () => {
        assert.deepEqual(await caller.run("cancel"), ["Canceled", true]);
        if (seesStreams) assert.deepEqual(await caller.run("cancelStream"), ["Canceled", true]);
      });

      if (requestStreams !== "none") {
        test("sends a stream of requests", async () => {
          assert.equal(await caller.run("sum", [1, 2, 39]), 42);
          assert.equal(await caller.run("sum", []), 0);
        });
      }

      if (requestStreams === "full duplex") {
        test("sends and receives in turns", async () => {
          assert.deepEqual(await caller.run("chat", 5), [0, 1, 2, 3, 4]);
        });
      }
    });
  }
}
