// SPDX-License-Identifier: MIT
// defineClientTests: what a client does with servers in C++ and Python, wherever the client runs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type * as cases from "../browser/cases.js";
import type { ChannelOptions } from "../../src/index.js";
import { InteropServer, type Language } from "./interop_server.js";
import { Relay } from "./relay.js";
import { until } from "./until.js";

export type Cases = typeof cases;
export type Outcome<Name extends keyof Cases> = Awaited<ReturnType<Cases[Name]>>;

/** Where the cases run. */
export interface Client {
  run<Name extends keyof Cases>(name: Name, ...words: Parameters<Cases[Name]>): Promise<Outcome<Name>>;
  close(): Promise<void>;
}

const transports: NonNullable<ChannelOptions["transport"]>[] = ["websocket", "fetch", "automatic"];

/** `where`: for the names of the tests. `open`: a client that reaches its server through a relay. */
export function defineClientTests(where: string, open: (relay: Relay) => Promise<Client>): void {
  for (const language of ["C++", "Python"] as Language[]) {
    for (const transport of transports) {
      describe(`${where}, ${language}, ${transport}`, () => {
        let server: InteropServer;
        let relay: Relay;
        let client: Client;

        before(async () => {
          server = await InteropServer.start(language);
          relay = await Relay.start(() => server.port);
          client = await open(relay);
          await client.run("open", `http://127.0.0.1:${relay.port}`, { transport });
        });
        after(async () => {
          await client?.close();
          await relay?.close();
          await server?.stop();
        });

        test("calls a method with a value, with none and with bytes", async () => {
          const value = { text: "grüße 🚀", list: [1, -2, 2.5, null, true], nested: { deep: [{}] } };
          assert.deepEqual(await client.run("unary", value), value);
          assert.deepEqual(await client.run("callUntilItWorks"), []);
          assert.ok(await client.run("bytes", 0));
          assert.ok(await client.run("bytes", 4_000_000));
        });

        test("reads a server stream, with metadata", async () => {
          assert.deepEqual(
            await client.run("serverStream", 1000),
            Array.from({ length: 1000 }, (_, at) => at),
          );
          assert.deepEqual(await client.run("metadata"), ["1", "2"]);
        });

        test("an error has code, text, details and metadata", async () => {
          const { codeName, text, origin, details, leading, trailing } = (await client.run("error")) as Record<
            string,
            unknown
          >;
          assert.deepEqual([codeName, text, origin], ["failed_precondition", "as asked", "peer"]);
          assert.deepEqual(details, [
            ["type.googleapis.com/google.protobuf.Duration", [8, 9, 16, 7]],
            // Connect sends the name of the type, without what stands before it.
            [transport === "fetch" ? "type.googleapis.com/opaque" : "example.com/opaque", [0, 255]],
          ]);
          assert.deepEqual([leading, trailing], ["1", [0, 255]]);
          assert.deepEqual(await client.run("errorAfterMessages"), [[1], "not_found", "late"]);
        });

        test("a deadline ends a call, a signal cancels one, and leaving a loop too: the server knows it", async () => {
          assert.equal(((await client.run("deadline")) as { codeName: string }).codeName, "deadline_exceeded");
          assert.equal(await client.run("cancelByServerSide", "hang"), "cancelled");
          assert.ok((await client.run("leaveStream", "flood")) >= 2 ** 22);
        });

        test("makes many calls at once", async () => {
          assert.ok(await client.run("manyAtOnce", 300));
        });

        test("sends streams of requests, or says that it cannot", async () => {
          if (transport === "fetch") {
            const { codeName, text } = await client.run("clientStreamFailure");
            assert.equal(codeName, "unimplemented");
            assert.match(String(text), /needs a WebSocket/);
            return;
          }
          assert.deepEqual(await client.run("clientStream", [1, 2, 39]), { count: 3, sum: 42 });
          assert.deepEqual(await client.run("bidirectional", ["one", "two"]), ["one", "two", "goodbye"]);
        });
      });
    }

    test(`${where}, ${language}, automatic: where no WebSocket gets through, calls go over fetch`, async () => {
      const server = await InteropServer.start(language);
      const relay = await Relay.start(() => server.port);
      relay.refusesWebSockets = true;
      const client = await open(relay);
      try {
        const backoff = { initial: 10, maximum: 100 };
        await client.run("open", `http://127.0.0.1:${relay.port}`, { transport: "automatic", backoff });

        assert.equal(await client.run("unary", 1), 1);
        assert.deepEqual(await client.run("callUntilItWorks"), []);
        assert.deepEqual(await client.run("serverStream", 3), [0, 1, 2]);
        assert.equal((await client.run("clientStreamFailure")).codeName, "unavailable");
        relay.refusesWebSockets = false;

        // The next call has it tried again.
        await until(async () => {
          assert.equal(await client.run("unary", 2), 2);
          return (await client.run("clientStreamFailure")).codeName === undefined;
        });
      } finally {
        await client.close();
        await relay.close();
        await server.stop();
      }
    });

    for (const transport of transports) {
      test(`${where}, ${language}, ${transport}: calls go on when the server is killed and started again`, async () => {
        let server = await InteropServer.start(language);
        const relay = await Relay.start(() => server.port);
        const client = await open(relay);
        try {
          await client.run("open", `http://127.0.0.1:${relay.port}`, {
            transport,
            backoff: { initial: 10, maximum: 100 },
          });
          await client.run("unary", 1);
          const hanging = client.run("hang");
          await client.run("begun", "killed");

          await server.kill();
          assert.deepEqual(await hanging, ["unavailable", "transport", true]);
          server = await InteropServer.start(language);

          const codes = await client.run("callUntilItWorks");
          assert.ok(
            codes.every((code) => code === "unavailable"),
            String(codes),
          );
          assert.equal(await client.run("unary", 2), 2);
        } finally {
          await client.close();
          await relay.close();
          await server.stop();
        }
      });
    }
  }
}
