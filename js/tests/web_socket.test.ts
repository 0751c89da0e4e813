// SPDX-License-Identifier: MIT
// Calls over WebSocket to a server in Python.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { messagePackCodec } from "../src/codecs/message_pack_codec.js";
import { Channel, RpcError, StatusCode, type SocketConstructor } from "../src/index.js";
import { NodeWebSocket } from "../src/node/node_web_socket.js";
import { failureOf } from "./kit/failure_of.js";
import { PythonServer } from "./kit/python_server.js";
import { until } from "./kit/until.js";

let opened = 0;
class CountedWebSocket extends NodeWebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols);
    ++opened;
  }
}

async function* numbers(limit: number): AsyncGenerator<number> {
  for (let number = 1; number <= limit; ++number) yield number;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

for (const [client, webSocket] of [
  ["own client", CountedWebSocket],
  ["ws", WebSocket as unknown as SocketConstructor],
] as const) {
  describe(`WebSocket, ${client}`, () => {
    let server: PythonServer;
    let channel: Channel;

    before(async () => {
      server = await PythonServer.start();
      channel = new Channel(server.url, { webSocket, codecs: [messagePackCodec] });
    });
    after(async () => {
      channel.close();
      await server.stop();
    });

    test("calls a method", async () => {
      assert.equal(await channel.call("Greet", "world", { timeout: 5000 }), "hello, world");
    });

    test("calls a method without a request, and one without a response", async () => {
      assert.equal(await channel.call("Now"), "now");
      assert.equal(await channel.call("Drop", { any: "thing" }), null);
    });

    test("carries values in JSON and MessagePack, and bytes", async () => {
      const value = { text: "grüße 🚀", list: [1, -2, 2.5, null, true], nested: { deep: [{}] } };
      assert.deepEqual(await channel.call("Echo", value), value);
      assert.deepEqual(await channel.call("Echo", value, { codec: "msgpack" }), value);
      const big = { big: 2n ** 63n, bytes: Uint8Array.of(1, 2, 255) };
      assert.deepEqual(await channel.call("Echo", big, { codec: "msgpack" }), big);
      assert.deepEqual(await channel.call("EchoBytes", Uint8Array.of(0, 255)), Uint8Array.of(0, 255));
    });

    test("reads a server stream", async () => {
      const stream = channel.serverStream<number>("Ticks", 5);

      assert.equal((await stream.leadingMetadata).get("first"), "yes");
      assert.deepEqual(await collect(stream), [1, 2, 3, 4, 5]);
      assert.equal(stream.trailingMetadata.get("ticks"), "5");
    });

    test("leaving the loop cancels the call", async () => {
      const key = `loop ${client}`;
      for await (const number of channel.serverStream<number>("Forever", key)) if (number === 5) break;

      await until(async () => (await channel.call("Runs", `ended ${key}`)) === 1);
    });

    test("sends a stream of requests", async () => {
      assert.equal(await channel.clientStream("Sum", numbers(100)), 5050);
      assert.equal(await channel.clientStream("Sum", []), 0);
      assert.equal(await channel.clientStream("First", numbers(1e5)), 1);
    });

    test("an error of the requests ends the call, and the caller gets it", async () => {
      async function* bad(): AsyncGenerator<number> {
        yield 1;
        throw new RangeError("no more numbers");
      }
      const error = await failureOf(channel.clientStream("Sum", bad()));

      assert.deepEqual([error.code, error.text], [StatusCode.unknown, "no more numbers"]);
      assert.ok(error.cause instanceof RangeError);
    });

    test("exchanges requests and responses", async () => {
      const stream = channel.bidirectional<number, number>("Twice");
      for (const number of [1, 2, 3]) {
        await stream.write(number);
        assert.deepEqual(await stream.next(), { value: 2 * number, done: false });
      }
      await stream.closeWrites();
      assert.deepEqual(await stream.next(), { value: undefined, done: true });
      assert.deepEqual(
        await collect(channel.bidirectional("Twice", numbers(100))),
        Array.from({ length: 100 }, (_, at) => 2 * at + 2),
      );
    });

    test("an error has code, text, details and metadata", async () => {
      const error = await failureOf(channel.call("Fail", StatusCode.aborted));

      assert.deepEqual([error.code, error.codeName, error.text], [StatusCode.aborted, "aborted", "as asked"]);
      assert.equal(error.message, "aborted: as asked");
      assert.equal(error.details[0].typeUrl, "type.googleapis.com/google.protobuf.StringValue");
      assert.equal(Buffer.from(error.details[0].value).toString("latin1"), "\n\x07because");
      assert.equal(error.leadingMetadata.get("lead"), "early");
      assert.equal(error.trailingMetadata.get("trail"), "late");
      assert.deepEqual(error.trailingMetadata.getBytes("trail-bin"), Uint8Array.of(0, 255));
      assert.deepEqual([error.origin, error.mayHaveRun], ["peer", true]);
    });

    test("every code arrives", async () => {
      for (const code of Object.values(StatusCode).filter((value) => value !== StatusCode.ok)) {
        assert.equal((await failureOf(channel.call("Fail", code))).code, code);
      }
    });

    test("a stream gives its responses before its error", async () => {
      const seen: number[] = [];
      const reading = (async () => {
        for await (const number of channel.serverStream<number>("FailAfter", 3)) seen.push(number);
      })();

      assert.equal((await failureOf(reading)).code, StatusCode.not_found);
      assert.deepEqual(seen, [0, 1, 2]);
    });

    test("metadata goes with the call, and its callbacks get what comes back", async () => {
      const seen: (string | undefined)[] = [];
      const metadata = { "X-Name": "value", "raw-bin": Uint8Array.of(0, 255) };
      assert.deepEqual(await channel.call("Metadata", ["x-name", "raw-bin", "none"], { metadata }), [
        "value",
        "00ff",
        null,
      ]);
      const options = {
        onLeadingMetadata: (found: { get(name: string): string | undefined }) => seen.push(found.get("lead")),
        onTrailingMetadata: (found: { get(name: string): string | undefined }) => seen.push(found.get("trail")),
      };
      await failureOf(channel.call("Fail", StatusCode.aborted, options));
      assert.deepEqual(seen, ["early", "late"]);
    });

    test("metadata that is longer than the server takes is refused, and others are not", async () => {
      const error = await failureOf(channel.call("Now", undefined, { metadata: { long: "x".repeat(20000) } }));

      assert.equal(error.code, StatusCode.resource_exhausted);
      assert.match(error.text, /max_header_bytes/);
      assert.equal(await channel.call("Now", undefined, { metadata: { long: "x".repeat(10000) } }), "now");
    });

    test("a deadline ends the call on both sides, and the server knows it", async () => {
      const left = await channel.call<number>("TimeLeft", undefined, { timeout: 60000 });
      assert.ok(left > 50 && left <= 60, String(left));
      const before = await channel.call("Runs", "cancelled");
      // Long enough that the call reaches the server.
      const error = await failureOf(channel.call("Sleep", 30, { timeout: 1000 }));
      // Whichever side's timer is earlier ends it.
      assert.equal(error.code, StatusCode.deadline_exceeded);
      assert.ok(error.origin === "local" || error.origin === "peer", error.origin);
      await until(async () => (await channel.call("Runs", "cancelled")) === (before as number) + 1);
    });

    test("a signal cancels the call on both sides", async () => {
      const before = await channel.call("Runs", "cancelled");
      const begun = await channel.call("Runs", "sleeps");
      const controller = new AbortController();
      const call = failureOf(channel.call("Sleep", 30, { signal: controller.signal }));
      await until(async () => (await channel.call("Runs", "sleeps")) === (begun as number) + 1);
      controller.abort(new Error("enough"));
      const error = await call;
      assert.deepEqual([error.code, (error.cause as Error).message], [StatusCode.cancelled, "enough"]);
      await until(async () => (await channel.call("Runs", "cancelled")) === (before as number) + 1);
      assert.equal(
        (await failureOf(channel.call("Now", undefined, { signal: controller.signal }))).code,
        StatusCode.cancelled,
      );
    });

    test("an unknown method is unimplemented, and has not run", async () => {
      const error = await failureOf(channel.call("Grett", "world"));

      assert.deepEqual([error.code, error.mayHaveRun], [StatusCode.unimplemented, false]);
    });

    test("a unary call of a stream is refused, and a request that has no encoding", async () => {
      assert.equal((await failureOf(channel.call("Ticks", 3))).code, StatusCode.unimplemented);
      assert.equal((await failureOf(channel.call("Echo", 1n))).code, StatusCode.invalid_argument);
      await assert.rejects(channel.call("Echo", 1, { codec: "xml" }), TypeError);
      await assert.rejects(channel.call("Echo", 1, { codec: { ...messagePackCodec, name: "own" } }), /own.*none of/);
      await assert.rejects(channel.call("", 1), TypeError);
    });

    test("MessagePack is there when the server chooses it, and goes out for those who name its codec", async () => {
      const plain = new Channel(server.url);
      // Python answers calls without a request in MessagePack.
      assert.deepEqual(await Promise.all([plain.call("Now"), plain.call("Now")]), ["now", "now"]);
      assert.deepEqual(await plain.call("Echo", [1n], { codec: messagePackCodec }), [1]);
      await assert.rejects(plain.call("Echo", 1, { codec: "msgpack" }), TypeError);
      plain.close();
    });

    if (webSocket !== CountedWebSocket) return;

    test("hundreds of calls at once get their own responses", async () => {
      const calls = Array.from({ length: 500 }, (_, at) => channel.call("Echo", { at, pad: "x".repeat(at) }));

      (await Promise.all(calls)).forEach((value, at) => assert.equal((value as { at: number }).at, at));
      assert.equal(opened, 1);
    });

    test("streams, errors, deadlines and large messages together do not disturb each other", async () => {
      const large = new Uint8Array(2_000_000).map((_, at) => at * 7);
      const work: Promise<unknown>[] = [];
      for (let round = 0; round < 10; ++round) {
        work.push(collect(channel.serverStream("Ticks", 50)).then((all) => assert.equal(all.length, 50)));
        work.push(channel.clientStream("Sum", numbers(50)).then((sum) => assert.equal(sum, 1275)));
        work.push(collect(channel.bidirectional("Twice", numbers(20))).then((all) => assert.equal(all.length, 20)));
        work.push(failureOf(channel.call("Fail", 5)).then(({ code }) => assert.equal(code, StatusCode.not_found)));
        work.push(
          failureOf(channel.call("Sleep", 5, { timeout: 30 })).then(({ code }) =>
            assert.equal(code, StatusCode.deadline_exceeded),
          ),
        );
        if (round % 4 === 0) {
          work.push(
            channel.call<Uint8Array>("EchoBytes", large).then((back) => assert.ok(Buffer.from(back).equals(large))),
          );
        }
      }
      await Promise.all(work);
    });

    test("a storm of cancelled calls leaves the connection as it was", async () => {
      for (let round = 0; round < 6; ++round) {
        const controllers = Array.from({ length: 200 }, () => new AbortController());
        const calls = controllers.map(({ signal }, at) =>
          channel.call(at % 2 ? "Echo" : "Sleep", at % 2 ? at : 5, { signal }),
        );
        if (round % 2) await new Promise((done) => setTimeout(done, 2));
        controllers.forEach((controller) => controller.abort());
        const outcomes = await Promise.allSettled(calls);
        for (const outcome of outcomes) {
          if (outcome.status === "rejected") assert.equal((outcome.reason as RpcError).code, StatusCode.cancelled);
        }
      }
      assert.equal(await channel.call("Greet", "you", { timeout: 60000 }), "hello, you");
      assert.equal(opened, 1);
    });

    test("large messages travel both ways, and short ones pass them", async () => {
      const large = new Uint8Array(10_000_000).map((_, at) => at * 31);
      let isBack = false;
      const call = channel.call<Uint8Array>("EchoBytes", large).then((back) => {
        isBack = true;
        return back;
      });
      const times: number[] = [];
      while (!isBack) {
        const from = performance.now();
        await channel.call("Now");
        times.push(performance.now() - from);
      }
      assert.ok(Buffer.from(await call).equals(large));
      assert.ok(times.length > 3, `${times.length} calls beside the large one`);
    });

    test("a message that is longer than a side takes ends its call alone", async () => {
      const small = new Channel(server.url, { webSocket, maxMessageBytes: 100_000, codec: messagePackCodec });
      try {
        assert.equal((await small.call<Uint8Array>("Zeros", 99_990)).length, 99_990);
        assert.equal((await failureOf(small.call("Zeros", 100_001))).code, StatusCode.resource_exhausted);
        const error = await failureOf(small.call("EchoBytes", new Uint8Array(65_000_000 + 2 ** 22)));
        assert.equal(error.code, StatusCode.resource_exhausted);
        assert.equal(await small.call("Now"), "now");
      } finally {
        small.close();
      }
    });

    test("a stream that is not read stops its server, and no other call", async () => {
      const stream = channel.serverStream<Uint8Array>("Blocks", 1000, { codec: "msgpack" });
      await stream.next();
      await new Promise((done) => setTimeout(done, 300));

      const sent = (await channel.call<number>("Runs", "blocks"))!;
      assert.ok(sent < 200, `${sent} blocks of 100 kB were sent to a reader that took one`);
      stream.cancel();
      assert.equal(await channel.call("Now"), "now");
    });

    test("a stream that is not read by the server stops its writer", async () => {
      const stream = channel.bidirectional<Uint8Array, Uint8Array>("EchoAll");
      let written = 0;
      const writing = (async () => {
        for (; written < 1000; ++written) await stream.write(new Uint8Array(100_000));
      })();
      writing.catch(() => {});
      await new Promise((done) => setTimeout(done, 300));

      assert.ok(written < 200, `${written} blocks were written`);
      stream.cancel();
      assert.equal((await failureOf(writing)).code, StatusCode.cancelled);
    });

    test("long streams go on as they are read", async () => {
      let bytes = 0;
      for await (const block of channel.serverStream<Uint8Array>("Blocks", 100, { codec: "msgpack" }))
        bytes += block.length;
      assert.equal(bytes, 10_000_000);
      const sizes = Array.from({ length: 100 }, () => new Uint8Array(100_000));
      assert.deepEqual(
        await channel.clientStream("Sizes", sizes, { codec: "msgpack" }),
        sizes.map(() => 100_000),
      );
    });

    test("closing the channel ends its calls", async () => {
      const other = new Channel(server.url, { webSocket });
      assert.equal(await other.call("Now"), "now");
      const call = failureOf(other.call("Sleep", 10));
      await new Promise((done) => setTimeout(done, 20));
      other.close();
      assert.equal((await call).code, StatusCode.cancelled);
      assert.equal((await failureOf(other.call("Now"))).code, StatusCode.cancelled);
    });
  });
}
