// SPDX-License-Identifier: MIT
// What becomes of calls when connections and servers fail.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { Channel, RpcError, StatusCode, type ChannelOptions } from "../src/index.js";
import { failureOf } from "./kit/failure_of.js";
import { PythonServer } from "./kit/python_server.js";
import { Relay } from "./kit/relay.js";
import { until } from "./kit/until.js";

const backoff = { initial: 10, maximum: 50 };

describe("Lost connection", () => {
  let server: PythonServer;
  let relay: Relay;
  let channel: Channel;
  const open = (options: ChannelOptions = {}) => (channel = new Channel(relay.url, { backoff, ...options }));

  before(async () => {
    server = await PythonServer.start();
    relay = await Relay.start(() => server.port);
  });
  afterEach(() => channel?.close());
  after(async () => {
    await relay.close();
    await server.stop();
  });

  test("is opened again for the next call", async () => {
    open();
    await channel.call("Now");
    const opened = relay.opened;

    relay.cut();

    assert.equal(await channel.call("Now", undefined, { idempotent: true }), "now");
    assert.equal(relay.opened, opened + 1);
  });

  test("ends calls that may have run, and says so", async () => {
    open();
    await channel.call("Now");
    const unary = failureOf(channel.call("Sleep", 5));
    const stream = channel.serverStream("Forever", "cut");
    await stream.next();

    relay.cut();

    const error = await unary;
    assert.deepEqual([error.code, error.origin, error.mayHaveRun], [StatusCode.unavailable, "transport", true]);
    const reading = (async () => {
      for (;;) if ((await stream.next()).done) return;
    })();
    assert.equal((await failureOf(reading)).code, StatusCode.unavailable);
  });

  test("does not matter to an idempotent call", async () => {
    open();
    assert.equal((await failureOf(channel.call("Once", "plain"))).code, StatusCode.unavailable);
    assert.equal(await channel.call("Once", "idempotent", { idempotent: true }), 2);
  });

  test("ends a deadline's wait in time, and a signal's", async () => {
    open();
    relay.refuseWith = 503;
    try {
      const error = await failureOf(channel.call("Now", undefined, { waitForReady: true, timeout: 100 }));
      assert.equal(error.code, StatusCode.deadline_exceeded);
      const signal = AbortSignal.timeout(50);
      assert.equal(
        (await failureOf(channel.call("Now", undefined, { waitForReady: true, signal }))).code,
        StatusCode.cancelled,
      );
    } finally {
      relay.refuseWith = undefined;
    }
  });

  test("that cannot be opened fails calls, except those that wait", async () => {
    open();
    relay.refuseWith = 503;
    const waiting = channel.call("Now", undefined, { waitForReady: true });
    const error = await failureOf(channel.call("Now"));
    assert.deepEqual([error.code, error.origin, error.mayHaveRun], [StatusCode.unavailable, "transport", false]);
    assert.match(error.text, /connect ws:.*503/);

    relay.refuseWith = undefined;

    assert.equal(await waiting, "now");
  });

  test("is noticed by a ping that is not answered", async () => {
    // A busy server answers the first call in time for this.
    open({ keepaliveInterval: 1500, keepaliveTimeout: 1500 });
    await channel.call("Now");
    const from = performance.now();
    const call = failureOf(channel.call("Sleep", 20));
    relay.stall(true);
    try {
      const error = await call;
      assert.equal(error.code, StatusCode.unavailable);
      assert.match(error.text, /keepaliveTimeout 1500/);
      assert.ok(performance.now() - from >= 2990);
    } finally {
      relay.stall(false);
      relay.cut();
    }
  });

  test("is not suspected while the server answers pings", async () => {
    open({ keepaliveInterval: 20, keepaliveTimeout: 5000 });
    const opened = relay.opened;

    assert.equal(await channel.call("Sleep", 0.5), false);

    assert.equal(relay.opened, opened + 1);
  });

  test("amid hundreds of calls ends each of them once, and the channel goes on", async () => {
    open();
    const outcomes: Promise<string>[] = [];
    for (let round = 0; round < 8; ++round) {
      for (let at = 0; at < 100; ++at) {
        const idempotent = at % 2 === 0;
        outcomes.push(
          channel.call("Echo", at, { idempotent, waitForReady: true }).then(
            (value) => (value === at ? "ok" : "mixed up"),
            (error: RpcError) => error.codeName,
          ),
        );
      }
      await new Promise((done) => setTimeout(done, 15));
      relay.cut();
    }
    const all = await Promise.all(outcomes);

    assert.deepEqual(
      [...new Set(all)].filter((outcome) => outcome !== "ok" && outcome !== "unavailable"),
      [],
    );
    // The first of these may be sent on the connection that was cut last, with no budget left to send it again.
    await until(async () => {
      const outcome = await channel.call("Echo", 1, { waitForReady: true }).catch((error: RpcError) => error.code);
      assert.ok(outcome === 1 || outcome === StatusCode.unavailable, String(outcome));
      return outcome === 1;
    });
  });
});

describe("Server", () => {
  test("that is killed amid calls ends them, and its successor serves the next ones", async () => {
    let server = await PythonServer.start();
    const relay = await Relay.start(() => server.port);
    const channel = new Channel(relay.url, { backoff });
    try {
      await channel.call("Now");
      // Fewer than the server has threads, and more that wait for one.
      const calls = Array.from({ length: 12 }, () => failureOf(channel.call("Sleep", 20)));
      assert.equal(await channel.call("Now"), "now");
      calls.push(...Array.from({ length: 100 }, () => failureOf(channel.call("Sleep", 20))));
      await new Promise((done) => setTimeout(done, 50));

      await server.kill();

      for (const call of calls) assert.equal((await call).code, StatusCode.unavailable);
      server = await PythonServer.start();
      assert.equal(await channel.call("Now", undefined, { waitForReady: true, idempotent: true }), "now");
    } finally {
      channel.close();
      await relay.close();
      await server.stop();
    }
  });

  test("that drains finishes its calls, and others go to its successor", async () => {
    const first = await PythonServer.start();
    const second = await PythonServer.start();
    let port = first.port;
    const relay = await Relay.start(() => port);
    const channel = new Channel(relay.url, { backoff });
    try {
      await channel.call("Now");
      const running = channel.call("Sleep", 1);
      await channel.call("Now");
      port = second.port;

      const drained = first.drain();

      const calls: Promise<unknown>[] = [];
      for (let at = 0; at < 100; ++at) {
        calls.push(channel.call("Echo", at));
        await new Promise((done) => setTimeout(done, 1));
      }
      assert.deepEqual(
        await Promise.all(calls),
        Array.from({ length: 100 }, (_, at) => at),
      );
      assert.equal(await running, false);
      await drained;
    } finally {
      channel.close();
      await relay.close();
      await first.stop();
      await second.stop();
    }
  });

  test("that takes few calls at a time gets the others one after the other", async () => {
    const server = await PythonServer.start({ max_concurrent_calls_per_connection: "4" });
    const relay = await Relay.start(() => server.port);
    const channel = new Channel(relay.url, { backoff });
    try {
      const calls = Array.from({ length: 40 }, (_, at) => channel.call("Echo", at));
      assert.deepEqual(
        await Promise.all(calls),
        Array.from({ length: 40 }, (_, at) => at),
      );
      const narrow = new Channel(relay.url, { maxPendingCalls: 1 });
      const outcomes = await Promise.allSettled([narrow.call("Now"), narrow.call("Now")]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected"],
      );
      narrow.close();
    } finally {
      channel.close();
      await relay.close();
      await server.stop();
    }
  });
});
