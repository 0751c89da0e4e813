// SPDX-License-Identifier: MIT
// A client whose server breaks the rules: its calls end, and its memory is bounded.
import assert from "node:assert/strict";
import { createServer, type Server, type Socket as Stream } from "node:net";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { WebSocketServer, type WebSocket } from "ws";
import { Channel, StatusCode } from "../src/index.js";
import { ByteWriter } from "../src/byte_writer.js";
import { encodeFrame, Flag, FrameType, type Frame } from "../src/native/frame.js";
import { earlyHello } from "../src/native/hello.js";
import { preface } from "../src/native/native_session.js";
import { failureOf } from "./kit/failure_of.js";
import { SentFrames } from "./kit/sent_frames.js";
import { until } from "./kit/until.js";
import { bytesOf, vectors } from "./kit/vectors.js";

function bytes(frame: Partial<Frame>): Uint8Array {
  const out = new ByteWriter();
  encodeFrame(frame, out);
  return out.result();
}

/** How many whole frames of a client there are, of those whose length is of 16 bits or fewer. */
function shortFramesIn(input: Buffer): number {
  let count = 0;
  for (let at = 0; at + 8 <= input.length; ++count) {
    const short = input[at + 1] & 0x7f;
    at += short < 126 ? 6 + short : 8 + input.readUInt16BE(at + 2);
    if (at > input.length) break;
  }
  return count;
}

const hello = bytes({ type: FrameType.hello, hello: { ...earlyHello(), codecs: ["json"] } });

describe("Hostile server", () => {
  let server: WebSocketServer;
  let url: string;
  let onCall: (socket: WebSocket) => void = () => {};
  before(async () => {
    server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    server.on("connection", (socket) => {
      socket.on("error", () => {});
      socket.send(Buffer.concat([preface, hello]));
      const sent = new SentFrames();
      let hasCalled = false;
      let skipped = 0;
      socket.on("message", (data: Buffer) => {
        const start = Math.min(data.length, preface.length - skipped);
        skipped += start;
        sent.feed(data.subarray(start));
        for (const frame of sent) {
          if (frame.type !== FrameType.call || hasCalled) continue;
          hasCalled = true;
          onCall(socket);
        }
      });
    });
    await new Promise((done) => server.once("listening", done));
    url = `ws://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  after(() => new Promise((done) => server.close(done)));

  for (const vector of vectors.invalid.filter(({ from }) => from === "server")) {
    test(`sends ${vector.name}`, async () => {
      onCall = (socket) => socket.send(bytesOf(vector.bytes));
      const channel = new Channel(url);

      const error = await failureOf(channel.call("m", 1));

      assert.equal(error.code, StatusCode.unavailable);
      assert.match(error.text, /broke the protocol/);
      channel.close();
    });
  }

  test("sends a response without end in small pieces, within its credit", async () => {
    onCall = (socket) => {
      socket.send(
        bytes({
          type: FrameType.message,
          flags: Flag.message | Flag.more | Flag.headers,
          codec: 1,
          call: 1,
          headers: { messageBytes: 2 ** 26 + 1 },
          message: new Uint8Array(1),
        }),
      );
    };
    const channel = new Channel(url);

    assert.equal((await failureOf(channel.call("m", 1))).code, StatusCode.resource_exhausted);
    channel.close();
  });

  test("announces a long message and sends little: memory follows what has come", async () => {
    onCall = (socket) => {
      for (let call = 1; call <= 200; ++call) {
        socket.send(
          bytes({
            type: FrameType.message,
            flags: Flag.message | Flag.more | Flag.headers,
            codec: 1,
            call,
            headers: { messageBytes: 2 ** 26 },
            message: new Uint8Array(10),
          }),
        );
      }
    };
    const channel = new Channel(url);
    const before = process.memoryUsage().arrayBuffers;

    const calls = Array.from({ length: 120 }, () => failureOf(channel.call("m", 1, { timeout: 300 })));

    await new Promise((done) => setTimeout(done, 150));
    assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 26);
    for (const call of calls) await call;
    channel.close();
  });

  test("sends more than its credit", async () => {
    onCall = (socket) => {
      const message = bytes({
        type: FrameType.message,
        flags: Flag.message,
        codec: 1,
        call: 1,
        message: Buffer.from(`"${"x".repeat(60000)}"`),
      });
      for (let count = 0; count < 40; ++count) socket.send(message);
    };
    const channel = new Channel(url, { callCreditBytes: 65536 });
    let hasEnded = false;
    const stream = channel.serverStream("m", 1, { onTrailingMetadata: () => (hasEnded = true) });

    await until(() => hasEnded);

    const reading = (async () => {
      for (;;) if ((await stream.next()).done) return;
    })();
    assert.match((await failureOf(reading)).text, /broke the protocol: more bytes than the credit/);
    channel.close();
  });

  test("sends frames that cost nothing, or pings, without end", async () => {
    for (const frame of [bytes({ type: 0x90 }), bytes({ type: FrameType.credit, call: 77, number: 1 })]) {
      onCall = (socket) => socket.send(Buffer.concat(Array(5000).fill(frame)));
      const channel = new Channel(url);
      assert.match((await failureOf(channel.call("m", 1))).text, /too many frames that cost nothing/);
      channel.close();
    }
    onCall = (socket) =>
      socket.send(Buffer.concat(Array(2000).fill(bytes({ type: FrameType.ping, value: new Uint8Array(8) }))));
    const channel = new Channel(url);
    assert.match((await failureOf(channel.call("m", 1))).text, /pings whose pongs are not read/);
    channel.close();
  });

  test("sends text, or a response that does not parse", async () => {
    onCall = (socket) => socket.send("text");
    let channel = new Channel(url);
    assert.equal((await failureOf(channel.call("m", 1))).code, StatusCode.unavailable);
    channel.close();
    onCall = (socket) =>
      socket.send(bytes({ type: FrameType.finish, flags: Flag.message, codec: 1, call: 1, message: Buffer.from("{") }));
    channel = new Channel(url);
    assert.equal((await failureOf(channel.call("m", 1))).code, StatusCode.internal);
    channel.close();
  });

  test("says nothing: the attempt ends after connectTimeout", async () => {
    const silent = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await new Promise((done) => silent.once("listening", done));
    const channel = new Channel(`ws://127.0.0.1:${(silent.address() as { port: number }).port}`, {
      connectTimeout: 100,
    });

    const error = await failureOf(channel.call("m", 1));

    assert.deepEqual([error.code, error.mayHaveRun], [StatusCode.unavailable, false]);
    assert.match(error.text, /connectTimeout 100/);
    channel.close();
    await new Promise((done) => silent.close(done));
  });
});

describe("Own WebSocket", () => {
  let server: Server;
  let url: string;
  let answer: (key: string) => string = accepted;
  let frames: Uint8Array = new Uint8Array();
  /** Sent in response to whatever comes, such as a call. */
  let afterCall: Uint8Array = new Uint8Array();

  function accepted(key: string): string {
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    const fields = ["Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`];
    return ["HTTP/1.1 101 Switching Protocols", ...fields, "Sec-WebSocket-Protocol: trunkline.v1", "\r\n"].join("\r\n");
  }

  before(async () => {
    server = createServer((stream: Stream) => {
      stream.on("error", () => {});
      stream.once("data", (head) => {
        const key = /sec-websocket-key: (\S+)/i.exec(head.toString())![1];
        stream.write(answer(key));
        stream.write(frames);
        stream.on("data", () => stream.write(afterCall));
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `ws://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  after(() => server.close());

  const payload = Buffer.concat([preface, hello]);
  const length = Uint8Array.of(payload.length);
  const cases: [string, number[], RegExp][] = [
    ["a masked frame", [0x82, 0x80, 0, 0, 0, 0], /reserved bits, or masked/],
    ["reserved bits", [0xc2, 0], /reserved bits, or masked/],
    ["a long ping", [0x89, 126, 0, 200], /malformed frame/],
    ["a ping in pieces", [0x09, 0], /malformed frame/],
    ["an unknown opcode", [0x83, 0], /malformed frame/],
    ["an unknown control opcode", [0x8b, 0], /malformed frame/],
    ["text", [0x81, 1, 65], /message of text/],
    ["a continuation of nothing", [0x80, 0], /out of order/],
    ["a message within a message", [0x02, 0, 0x82, 0], /out of order/],
    ["a length beyond 2^53", [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], /too long/],
  ];
  for (const [name, bad, reason] of cases) {
    test(`refuses ${name}`, async () => {
      answer = accepted;
      frames = Buffer.concat([Uint8Array.of(0x82), length, payload]);
      afterCall = Uint8Array.from(bad);
      const channel = new Channel(url);

      const error = await failureOf(channel.call("m", 1));

      assert.equal(error.code, StatusCode.unavailable);
      assert.match(error.text, reason);
      channel.close();
    });
  }

  test("refuses handshakes that are not of this protocol", async () => {
    frames = new Uint8Array();
    for (const bad of [
      () => accepted("another key"),
      (key: string) => accepted(key).replace("trunkline.v1", "other"),
      (key: string) => accepted(key).replace(/Sec-WebSocket-Protocol.*\r\n/, ""),
      (key: string) => accepted(key).replace("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
      () => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      () => "garbage\r\n\r\n",
    ]) {
      answer = bad;
      const channel = new Channel(url);
      const error = await failureOf(channel.call("m", 1));
      assert.deepEqual([error.code, error.mayHaveRun], [StatusCode.unavailable, false]);
      channel.close();
    }
  });

  test("reads messages in pieces with pings between them, byte by byte", async () => {
    answer = accepted;
    const finish = bytes({
      type: FrameType.finish,
      flags: Flag.message,
      codec: 1,
      call: 1,
      message: Buffer.from('"ok"'),
    });
    const half = payload.length >> 1;
    const pieces = [
      0x02,
      half,
      ...payload.subarray(0, half),
      0x89,
      2,
      7,
      7,
      0x80,
      payload.length - half,
      ...payload.subarray(half),
    ];
    frames = new Uint8Array();
    const slow = createServer((stream) => {
      stream.on("error", () => {});
      stream.setNoDelay();
      let seen: Buffer = Buffer.alloc(0);
      stream.once("data", async (head) => {
        stream.on("data", (data) => (seen = Buffer.concat([seen, data])));
        stream.write(accepted(/sec-websocket-key: (\S+)/i.exec(head.toString())![1]));
        for (const byte of pieces) {
          stream.write(Uint8Array.of(byte));
          await new Promise((done) => setImmediate(done));
        }
        // The client's hello, the pong and the call.
        await until(() => shortFramesIn(seen) === 3);
        stream.write(Buffer.concat([Uint8Array.of(0x82, finish.length), finish]));
      });
    });
    await new Promise<void>((done) => slow.listen(0, "127.0.0.1", done));
    const channel = new Channel(`ws://127.0.0.1:${(slow.address() as { port: number }).port}`);

    assert.equal(await channel.call("m", 1), "ok");

    channel.close();
    slow.close();
  });
});
