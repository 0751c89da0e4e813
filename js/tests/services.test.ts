// SPDX-License-Identifier: MIT
// Generated clients over WebSocket, and the choice between WebSocket and fetch.
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, describe, test } from "node:test";
import { Channel, StatusCode } from "../src/index.js";
import { createClient, findDetails, protobufCodec } from "../src/protobuf/index.js";
import { Kinds } from "./generated/kinds_pb.js";
import { failureOf } from "./kit/failure_of.js";
import { PythonServer } from "./kit/python_server.js";
import { Relay } from "./kit/relay.js";
import { until } from "./kit/until.js";

let server: PythonServer;
let relay: Relay;
before(async () => {
  server = await PythonServer.start();
  relay = await Relay.start(() => server.port);
});
after(async () => {
  await relay.close();
  await server.stop();
});

for (const encoding of ["protobuf", "json"] as const) {
  describe(`Generated client, ${encoding}`, () => {
    let channel: Channel;
    before(() => (channel = new Channel(server.url)));
    after(() => channel.close());
    const client = () => createClient(Kinds, channel, { encoding });

    test("calls methods of every kind", async () => {
      assert.equal((await client().say({ value: "this" })).value, "you said this");
      const values: number[] = [];
      for await (const { value } of client().count({ value: 3 })) values.push(value);
      assert.deepEqual(values, [1, 2, 3]);
      assert.equal((await client().add([{ value: 1 }, { value: 2 }])).value, 3);
      const stream = client().twice();
      await stream.write({ value: 21 });
      assert.equal((await stream.next()).value?.value, 42);
      await stream.closeWrites();
      assert.ok((await stream.next()).done);
      for await (const { value } of client().twice([{ value: 4 }])) assert.equal(value, 8);
    });

    test("gets details of errors as messages", async () => {
      const error = await failureOf(client().say({ value: "" }));

      assert.equal(error.code, StatusCode.invalid_argument);
      assert.deepEqual(
        findDetails(error, StringValueSchema).map(({ value }) => value),
        ["text"],
      );
    });

    test("refuses what is no message", async () => {
      const error = await failureOf(client().count({ value: -1 }).next());
      assert.equal(error.code, StatusCode.invalid_argument);
    });

    test("a call by name takes the codec of two schemas", async () => {
      const codec = protobufCodec(StringValueSchema, StringValueSchema, { encoding });
      const response = await channel.call<{ value: string }>("web.test.Kinds/Say", { value: "it" }, { codec });
      assert.equal(response.value, "you said it");
    });
  });
}

describe("Choice of a transport", () => {
  let plain: Server;
  let isFetched: string[] = [];
  let isAway = false;
  let url: string;

  before(async () => {
    plain = createServer((request, response) => {
      isFetched.push(`${request.method} ${request.url}`);
      request.resume();
      response.writeHead(isAway ? 503 : 200, { "content-type": "application/json" }).end('"fetched"');
    });
    await new Promise<void>((done) => plain.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(plain.address() as { port: number }).port}`;
  });
  after(() => {
    plain.closeAllConnections();
    plain.close();
  });

  test("is WebSocket where it can be opened", async () => {
    const opened = relay.opened;
    const channel = new Channel(relay.url.replace("ws:", "http:"));
    assert.deepEqual(await Promise.all([channel.call("Now"), channel.call("Now")]), ["now", "now"]);
    assert.equal(await channel.clientStream("Sum", [1, 2]), 3);
    assert.equal(relay.opened, opened + 1);
    channel.close();
  });

  test("is fetch where no WebSocket can be opened, with what was written", async () => {
    const channel = new Channel(url, { backoff: { initial: 10 } });
    assert.equal(await channel.call("Now", { a: 1 }), "fetched");
    assert.equal(await channel.call("Now"), "fetched");
    const error = await failureOf(channel.clientStream("Sum", [1]));
    assert.equal(error.code, StatusCode.unavailable);
    channel.close();
  });

  test("is fetch and GET for calls without side effects", async () => {
    isFetched = [];
    const channel = new Channel(url);
    assert.equal(await channel.call("a.B/Look", 1, { noSideEffects: true }), "fetched");
    assert.deepEqual(isFetched, ["GET /a.B/Look?connect=v1&encoding=json&message=1"]);
    channel.close();
  });

  test("is fetch where a WebSocket takes too long", async () => {
    const slow = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "application/json" }).end('"fetched"');
    });
    slow.on("upgrade", () => {});
    await new Promise<void>((done) => slow.listen(0, "127.0.0.1", done));
    const channel = new Channel(`http://127.0.0.1:${(slow.address() as { port: number }).port}`);
    const from = performance.now();

    assert.equal(await channel.call("Now"), "fetched");

    assert.ok(performance.now() - from >= 1990);
    channel.close();
    slow.closeAllConnections();
    slow.close();
  });

  test("is told with an error: why there is no WebSocket, and what HTTP says", async () => {
    relay.refuseWith = 404;
    const channel = new Channel(relay.url.replace("ws:", "http:"));
    for (const noSideEffects of [false, true]) {
      const error = await failureOf(channel.call("Now", undefined, { noSideEffects }));
      assert.deepEqual([error.code, error.origin], [StatusCode.unimplemented, "transport"]);
      assert.match(error.text, /^call Now: HTTP status 404; connect ws:.* HTTP status 404$/);
    }
    relay.refuseWith = undefined;
    channel.close();
  });

  test("waits for a server that is not there yet, if the call does", async () => {
    let port: number | undefined;
    const absent = await Relay.start(() => port);
    const channel = new Channel(absent.url.replace("ws:", "http:"), { backoff: { initial: 10, maximum: 20 } });
    assert.equal((await failureOf(channel.call("Now"))).code, StatusCode.unavailable);
    const call = channel.call("Now", undefined, { waitForReady: true, timeout: 60000 });
    await new Promise((done) => setTimeout(done, 50));

    port = server.port;

    assert.equal(await call, "now");
    channel.close();
    await absent.close();
  });

  test("is fetch for a call that waits, once HTTP gets through and WebSocket does not", async () => {
    const channel = new Channel(url, { backoff: { initial: 10, maximum: 20 } });
    isAway = true;
    const call = channel.call("Now", { a: 1 }, { waitForReady: true, timeout: 60000 });
    await new Promise((done) => setTimeout(done, 50));
    isFetched = [];

    isAway = false;

    assert.equal(await call, "fetched");
    assert.equal(isFetched.filter((request) => request === "POST /Now").length, 1);
    channel.close();
  });

  test("goes over to WebSocket once it can be opened", async () => {
    relay.refuseWith = 404;
    const channel = new Channel(relay.url.replace("ws:", "http:"), {
      backoff: { initial: 10, maximum: 20 },
      fetch: async () => new Response('"fetched"', { headers: { "content-type": "application/json" } }),
    });
    assert.equal(await channel.call("Now"), "fetched");
    relay.refuseWith = undefined;
    await until(async () => {
      const outcome = await channel.call("Now");
      assert.ok(outcome === "now" || outcome === "fetched");
      return outcome === "now";
    });
    channel.close();
  });

  test("wrong URLs and options are refused", () => {
    assert.throws(() => new Channel("tcp://localhost:1"), TypeError);
    assert.throws(() => new Channel("localhost"), TypeError);
    assert.throws(() => new Channel("ws://localhost", { transport: "fetch" }), TypeError);
    assert.throws(() => new Channel("http://localhost", { transport: "pigeon" as "fetch" }), TypeError);
    assert.throws(() => new Channel("http://localhost", { codec: "xml" }), TypeError);
    assert.throws(() => new Channel("http://localhost", { callCreditBytes: 1 }), TypeError);
  });
});
