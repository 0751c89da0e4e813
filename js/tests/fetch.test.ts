// SPDX-License-Identifier: MIT
// Calls over fetch to a server of @connectrpc/connect-node, with generated clients.
import { create } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { after, before, describe, test } from "node:test";
import { Channel, StatusCode } from "../src/index.js";
import { createClient, findDetails, type ProtobufCodecOptions } from "../src/protobuf/index.js";
import { Kinds } from "./generated/kinds_pb.js";
import { failureOf } from "./kit/failure_of.js";
import { until } from "./kit/until.js";

let hasBegun = false;
let hasBeenCancelled = false;

function routes(router: ConnectRouter): void {
  router.service(Kinds, {
    say(request, context) {
      context.responseHeader.set("lead", "early");
      context.responseTrailer.set("trail", "late");
      context.responseTrailer.set("trail-bin", Buffer.from([0, 255]).toString("base64").replace(/=+$/, ""));
      if (request.value === "fail") {
        const details = [{ desc: StringValueSchema, value: { value: "because" } }];
        throw new ConnectError("as asked", Code.NotFound, { trail: "late" }, details);
      }
      if (request.value === "metadata") return { value: context.requestHeader.get("x-name") ?? "" };
      if (request.value === "raw") return { value: context.requestHeader.get("raw-bin") ?? "" };
      if (request.value === "time left") return { value: String(context.timeoutMs()) };
      if (request.value === "sleep") {
        hasBegun = true;
        return new Promise((_, fail) => {
          context.signal.addEventListener("abort", () => {
            hasBeenCancelled = true;
            fail(new ConnectError("gone", Code.Canceled));
          });
        });
      }
      return { value: `you said ${request.value}` };
    },
    peek: (request, context) => ({ value: `${context.requestMethod} ${request.value.length}` }),
    async *count({ value: limit }, context) {
      context.responseHeader.set("first", "yes");
      context.responseTrailer.set("last", "yes");
      for (let value = 1; value <= limit; ++value) yield { value };
      if (limit === 13) throw new ConnectError("no luck", Code.Aborted);
    },
    add: async () => ({ value: 0 }),
    async *twice() {},
  });
}

for (const [encoding, codecOptions] of [
  ["protobuf", {}],
  ["json", { encoding: "json" }],
] as [string, ProtobufCodecOptions][]) {
  describe(`fetch, ${encoding}`, () => {
    let server: Server;
    let channel: Channel;
    let headers: IncomingHttpHeaders = {};

    before(async () => {
      const adapter = connectNodeAdapter({ routes });
      server = createServer((request, response) => {
        headers = request.headers;
        adapter(request, response);
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const { port } = server.address() as { port: number };
      channel = new Channel(`http://127.0.0.1:${port}`, { transport: "fetch" });
    });
    after(() => {
      channel.close();
      server.closeAllConnections();
      server.close();
    });

    const client = () => createClient(Kinds, channel, codecOptions);

    test("calls a method", async () => {
      assert.equal((await client().say({ value: "grüße" })).value, "you said grüße");
      assert.equal((await client().say(create(StringValueSchema, {}))).value, "you said ");
      assert.equal(headers["connect-protocol-version"], "1");
      assert.equal(headers["content-type"], encoding === "json" ? "application/json" : "application/proto");
    });

    test("calls a method without side effects by GET, unless its request is long", async () => {
      assert.equal((await client().peek({ value: "ä&=+/?" })).value, "GET 6");
      assert.equal((await client().peek({ value: "" })).value, "GET 0");
      assert.equal((await client().peek({ value: "x".repeat(5000) })).value, "POST 5000");
    });

    test("reads a server stream", async () => {
      const stream = client().count({ value: 5 });
      assert.equal((await stream.leadingMetadata).get("first"), "yes");
      const values: number[] = [];
      for await (const { value } of stream) values.push(value);
      assert.deepEqual(values, [1, 2, 3, 4, 5]);
      assert.equal(stream.trailingMetadata.get("last"), "yes");
    });

    test("a stream gives its responses before its error", async () => {
      const values: number[] = [];
      const reading = (async () => {
        for await (const { value } of client().count({ value: 13 })) values.push(value);
      })();
      const error = await failureOf(reading);
      assert.deepEqual([error.code, error.text, values.length], [StatusCode.aborted, "no luck", 13]);
    });

    test("an error has code, text, details and metadata", async () => {
      const error = await failureOf(client().say({ value: "fail" }));
      assert.deepEqual([error.code, error.text, error.origin], [StatusCode.not_found, "as asked", "peer"]);
      assert.deepEqual(
        findDetails(error, StringValueSchema).map(({ value }) => value),
        ["because"],
      );
      assert.equal(error.trailingMetadata.get("trail") ?? error.leadingMetadata.get("trail"), "late");
      assert.equal(error.leadingMetadata.get("lead"), "early");
    });

    test("metadata goes both ways", async () => {
      assert.equal((await client().say({ value: "metadata" }, { metadata: { "X-Name": "value" } })).value, "value");
      const raw = await client().say({ value: "raw" }, { metadata: { "raw-bin": Uint8Array.of(0, 255) } });
      assert.equal(raw.value, "AP8");
      const seen: unknown[] = [];
      await client().say(
        { value: "" },
        {
          onLeadingMetadata: (metadata) => seen.push(metadata.get("lead")),
          onTrailingMetadata: (metadata) => seen.push(metadata.get("trail"), metadata.getBytes("trail-bin")),
        },
      );
      assert.deepEqual(seen, ["early", "late", Uint8Array.of(0, 255)]);
    });

    test("metadata that HTTP cannot carry is refused", async () => {
      for (const metadata of [
        { "content-type": "x" },
        { name: "grüße" },
        { "connect-timeout-ms": "1" },
        { name: "a\r\nb: c" },
      ]) {
        const error = await failureOf(client().say({ value: "" }, { metadata }));
        assert.deepEqual([error.code, error.mayHaveRun], [StatusCode.invalid_argument, false]);
      }
    });

    test("a deadline travels, and ends the call", async () => {
      const left = Number((await client().say({ value: "time left" }, { timeout: 60000 })).value);
      assert.ok(left > 30000 && left <= 60000, String(left));
      const error = await failureOf(client().say({ value: "sleep" }, { timeout: 50 }));
      assert.equal(error.code, StatusCode.deadline_exceeded);
    });

    test("a signal cancels the call on both sides", async () => {
      hasBegun = hasBeenCancelled = false;
      const controller = new AbortController();
      const call = failureOf(client().say({ value: "sleep" }, { signal: controller.signal }));
      await until(() => hasBegun);
      controller.abort();
      assert.equal((await call).code, StatusCode.cancelled);
      await until(() => hasBeenCancelled);
    });

    test("streams of requests need a WebSocket", async () => {
      const error = await failureOf(client().add([{ value: 1 }]));
      assert.equal(error.code, StatusCode.unimplemented);
      assert.match(error.text, /WebSocket/);
    });

    test("calls at once get their own responses", async () => {
      const calls = Array.from({ length: 20 }, (_, at) => client().say({ value: String(at) }));
      (await Promise.all(calls)).forEach(({ value }, at) => assert.equal(value, `you said ${at}`));
    });
  });
}

describe("fetch, other servers", () => {
  let server: Server;
  let channel: Channel;
  let reply: { status?: number; type?: string; body: string | Uint8Array } = { body: "" };

  before(async () => {
    server = createServer((_, response) => {
      response.writeHead(reply.status ?? 200, { "content-type": reply.type ?? "application/json" });
      response.end(reply.body);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    channel = new Channel(`http://127.0.0.1:${port}/base/`, { transport: "fetch", maxMessageBytes: 1000 });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const envelope = (flags: number, text: string, length = text.length) =>
    Buffer.concat([Uint8Array.of(flags, 0, 0, length >> 8, length & 0xff), Buffer.from(text)]);

  for (const [status, code] of [
    [400, StatusCode.internal],
    [401, StatusCode.unauthenticated],
    [403, StatusCode.permission_denied],
    [404, StatusCode.unimplemented],
    [429, StatusCode.unavailable],
    [500, StatusCode.unknown],
    [502, StatusCode.unavailable],
    [503, StatusCode.unavailable],
  ]) {
    test(`HTTP status ${status}`, async () => {
      reply = { status, type: "text/html", body: "<p>no</p>" };
      const error = await failureOf(channel.call("m", 1));
      assert.deepEqual([error.code, error.text], [code, `call m: HTTP status ${status}`]);
      assert.equal(error.origin, "transport");
      reply = { status, body: "{" };
      assert.equal((await failureOf(channel.call("m", 1))).code, code);
      reply = { status, body: '{"code":"ok"}' };
      assert.equal((await failureOf(channel.call("m", 1))).code, code);
      reply = {
        status,
        body: '{"code":"canceled","message":"m","details":[{"type":"a.B","value":"AP8"},{"bad":1},7]}',
      };
      const told = await failureOf(channel.call("m", 1));
      assert.deepEqual(
        [told.code, told.text, told.details],
        [StatusCode.cancelled, "m", [{ typeUrl: "type.googleapis.com/a.B", value: Uint8Array.of(0, 255) }]],
      );
    });
  }

  const connect = "application/connect+json";
  for (const [name, bad, code] of [
    ["another content type", { type: "text/html", body: "hello" }, StatusCode.unknown],
    ["a body that does not parse", { body: "{" }, StatusCode.internal],
    ["a body that is too long", { body: JSON.stringify("x".repeat(1000)) }, StatusCode.resource_exhausted],
  ] as const) {
    test(`unary: ${name}`, async () => {
      reply = bad;
      assert.equal((await failureOf(channel.call("m", 1))).code, code);
    });
  }
  test("unary: another codec than that of a generated client", async () => {
    reply = { body: '"plain"' };
    const error = await failureOf(createClient(Kinds, channel).say({ value: "x" }));
    assert.equal(error.code, StatusCode.internal);
    assert.match(error.text, /it is in codec 'json', not in the call's, 'protobuf'$/);
  });
  for (const [name, body, code] of [
    ["no end", envelope(0, "1"), StatusCode.internal],
    ["an end that is no JSON", envelope(2, "x"), StatusCode.internal],
    ["an end that is no object", envelope(2, "null"), StatusCode.internal],
    ["a message that is cut off", envelope(0, "12", 9), StatusCode.internal],
    ["a header that is cut off", envelope(0, "1").subarray(0, 3), StatusCode.internal],
    ["a message that is too long", envelope(0, "1", 5000), StatusCode.resource_exhausted],
    ["a compressed message", envelope(1, "1"), StatusCode.internal],
    ["an error without code", envelope(2, '{"error":{}}'), StatusCode.unknown],
  ] as const) {
    test(`stream: ${name}`, async () => {
      reply = { type: connect, body };
      const reading = (async () => {
        for await (const _ of channel.serverStream("m", 1));
      })();
      assert.equal((await failureOf(reading)).code, code);
    });
  }

  test("a stream that is not read stops its server", async () => {
    let sent = 0;
    let isCancelled = false;
    const endless = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": connect });
      const block = envelope(0, JSON.stringify("x".repeat(60000)));
      const send = () => {
        while (!response.destroyed && response.write(block)) sent += block.length;
        sent += block.length;
      };
      response.on("drain", send);
      response.on("close", () => (isCancelled = true));
      send();
    });
    await new Promise<void>((done) => endless.listen(0, "127.0.0.1", done));
    const reader = new Channel(`http://127.0.0.1:${(endless.address() as { port: number }).port}`, {
      transport: "fetch",
    });
    const stream = reader.serverStream("m", 1);
    await stream.next();
    let before = -1;
    await until(async () => {
      const isStill = before === sent;
      before = sent;
      await new Promise((done) => setTimeout(done, 100));
      return isStill;
    });
    assert.ok(sent < 50_000_000, `${sent} bytes were sent to a reader that took one message`);
    await stream.next();

    await stream.return();

    await until(() => isCancelled);
    reader.close();
    endless.close();
  });

  test("a server that is not there is unavailable", async () => {
    const absent = new Channel("http://127.0.0.1:1", { transport: "fetch" });
    const error = await failureOf(absent.call("m", 1));
    assert.deepEqual([error.code, error.origin], [StatusCode.unavailable, "transport"]);
    // What fetch itself says in Node is "fetch failed".
    assert.equal(error.text, "call m: bad port");
  });

  test("a response without body is no message, unless the codec has an empty one", async () => {
    reply = { body: "" };
    assert.equal(await channel.call("m", 1), undefined);
    reply = { body: "", type: "application/bytes" };
    assert.deepEqual(await channel.call("m", new Uint8Array(1)), new Uint8Array());
  });
});
