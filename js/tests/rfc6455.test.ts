// SPDX-License-Identifier: MIT
// The server's side of RFC 6455, case by case: what the package `ws` sends, and frames that no library would send.
import assert from "node:assert/strict";
import { connect, type Socket as Stream } from "node:net";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { WebSocket, type RawData } from "ws";
import { ByteWriter } from "../src/byte_writer.js";
import { encodeFrame, Flag, FrameType, type Frame } from "../src/native/frame.js";
import { FrameDecoder } from "../src/native/frame_decoder.js";
import { earlyHello } from "../src/native/hello.js";
import { preface } from "../src/native/native_session.js";
import { PythonServer } from "./kit/python_server.js";
import { until } from "./kit/until.js";

const subprotocol = "trunkline.v1";
let server: PythonServer;
before(async () => {
  server = await PythonServer.start();
});
after(() => server.stop());

function native(frame: Partial<Frame>): Uint8Array {
  const out = new ByteWriter();
  encodeFrame(frame, out);
  return out.result();
}

/** What opens a session of the native protocol, and calls EchoBytes with each of these. */
function session(...messages: Uint8Array[]): Buffer {
  const limits = { connectionCredit: 2 ** 24, callCredit: 2 ** 24 };
  const hello = native({ type: FrameType.hello, hello: { ...earlyHello(), ...limits, codecs: ["bytes"] } });
  const flags = Flag.headers | Flag.message | Flag.end;
  const headers = { method: "EchoBytes", metadata: [] };
  const calls = messages.map((message, at) =>
    native({ type: FrameType.call, flags, codec: 1, call: at + 1, headers, message }),
  );
  return Buffer.concat([preface, hello, ...calls]);
}

/** The responses to the calls of `session`, once all of them have come. */
class Response {
  readonly #calls: number;
  readonly #decoder = new FrameDecoder({ maxFrameBytes: 2 ** 20, maxHeaderBytes: 2 ** 16 });
  readonly #parts: [number, Uint8Array][] = [];
  #left = preface.length;
  #finished = 0;

  constructor(calls = 1) {
    this.#calls = calls;
  }

  feed(data: Uint8Array): void {
    const start = Math.min(this.#left, data.length);
    this.#left -= start;
    this.#decoder.feed(data.subarray(start));
    for (let frame = this.#decoder.next(); frame; frame = this.#decoder.next()) {
      if (frame.message) this.#parts.push([frame.call, frame.message]);
      if (frame.type === FrameType.finish) ++this.#finished;
    }
  }

  get hasCome(): boolean {
    return this.#finished === this.#calls;
  }

  /** Those of all calls, in the order of the calls. */
  get message(): Buffer {
    const inOrder = [...this.#parts].sort(([left], [right]) => left - right);
    return Buffer.concat(inOrder.map(([, part]) => part));
  }
}

describe("RFC 6455, the package ws", () => {
  async function open(calls = 1): Promise<{ socket: WebSocket; response: Response }> {
    const socket = new WebSocket(server.url, [subprotocol]);
    const response = new Response(calls);
    socket.on("message", (data: RawData, isBinary) => {
      assert.ok(isBinary);
      response.feed(data as Buffer);
    });
    await new Promise((done, fail) => socket.once("open", done).once("error", fail));
    return { socket, response };
  }
  const closeOf = (socket: WebSocket) =>
    new Promise<[number, string]>((done) => socket.once("close", (code, reason) => done([code, reason.toString()])));

  test("agrees on the subprotocol, and on no extension", async () => {
    const { socket } = await open();
    assert.deepEqual([socket.protocol, socket.extensions], [subprotocol, ""]);
    socket.close();
    await closeOf(socket);
  });

  // Lengths of 7, 16 and 64 bits.
  for (const [calls, size] of [
    [1, 0],
    [1, 1],
    [1, 1000],
    [1, 60_000],
    [5, 60_000],
  ]) {
    test(`a frame with ${calls} requests of ${size} bytes`, async () => {
      const { socket, response } = await open(calls);
      const messages = Array.from({ length: calls }, () => randomBytes(size));
      socket.send(session(...messages));
      await until(() => response.hasCome);
      assert.deepEqual(response.message, Buffer.concat(messages));
      socket.terminate();
    });
  }

  test("a frame of less than 126 bytes", async () => {
    const { socket, response } = await open();
    for (const part of [0, 100, 200].map((at) => session(Buffer.from("short")).subarray(at, at + 100)))
      socket.send(part);
    await until(() => response.hasCome);
    assert.equal(response.message.toString(), "short");
    socket.terminate();
  });

  for (const size of [1, 7, 125, 126, 5000]) {
    test(`fragments of ${size} bytes, with pings, pongs and empty fragments between them`, async () => {
      const { socket, response } = await open();
      const pongs: string[] = [];
      socket.on("pong", (data) => pongs.push(data.toString()));
      const message = randomBytes(10_000);
      const bytes = session(message);
      let pings = 0;
      for (let at = 0; at < bytes.length; at += size) {
        socket.send(bytes.subarray(at, at + size), { fin: false, binary: true });
        if (at % (97 * size) === 0) {
          socket.ping(String(++pings));
          socket.pong("unasked");
          socket.send(new Uint8Array(), { fin: false, binary: true });
          await new Promise((done) => setImmediate(done));
        }
      }
      socket.send(new Uint8Array(), { fin: true, binary: true });

      await until(() => response.hasCome && pongs.at(-1) === String(pings));

      assert.deepEqual(response.message, message);
      // Of pings that come together the last is answered, as section 5.5.3 allows; their order stays.
      assert.deepEqual(
        pongs,
        [...pongs].sort((left, right) => Number(left) - Number(right)),
      );
      socket.terminate();
    });
  }

  test("a ping is answered while a fragmented message is not over", async () => {
    const { socket, response } = await open();
    const bytes = session(Buffer.from("whole"));
    socket.send(bytes.subarray(0, 20), { fin: false, binary: true });
    const pong = new Promise<Buffer>((done) => socket.once("pong", done));
    socket.ping(Buffer.alloc(125, 7));
    assert.deepEqual(await pong, Buffer.alloc(125, 7));
    assert.ok(!response.hasCome);
    socket.send(bytes.subarray(20), { fin: true, binary: true });
    await until(() => response.hasCome);
    assert.equal(response.message.toString(), "whole");
    socket.terminate();
  });

  test("empty messages, and a call in several messages", async () => {
    const { socket, response } = await open();
    const bytes = session(Buffer.from("parts"));
    for (let at = 0; at < bytes.length; at += 11) {
      socket.send(new Uint8Array());
      socket.send(bytes.subarray(at, at + 11));
    }
    await until(() => response.hasCome);
    assert.equal(response.message.toString(), "parts");
    socket.terminate();
  });

  for (const code of [1000, 1001, 1003, 1007, 1011, 3000, 4999]) {
    test(`a close with ${code} is answered with it`, async () => {
      const { socket } = await open();
      const closed = closeOf(socket);
      socket.close(code, "grüße 🚀");
      assert.equal((await closed)[0], code);
    });
  }

  test("a close without a code is answered", async () => {
    const { socket } = await open();
    const closed = closeOf(socket);
    socket.close();
    assert.ok([1000, 1005].includes((await closed)[0]));
  });

  test("text is refused with 1003", async () => {
    const { socket } = await open();
    const closed = closeOf(socket);
    socket.send("text");
    assert.equal((await closed)[0], 1003);
  });
});

/** A connection on which anything can be sent. */
class RawClient {
  readonly stream: Stream;
  #input: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  constructor() {
    this.stream = connect(server.port, "127.0.0.1");
    this.stream.on("data", (data) => (this.#input = Buffer.concat([this.#input, data])));
    this.stream.on("close", () => (this.#hasEnded = true));
    this.stream.on("error", () => {});
  }

  /** Sends a handshake with other fields, or without those that are undefined, and returns the head of the answer. */
  async shakeHands(changes: Record<string, string | undefined> = {}, start = "GET / HTTP/1.1"): Promise<string> {
    const fields = {
      Host: `127.0.0.1:${server.port}`,
      Upgrade: "websocket",
      Connection: "Upgrade",
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Protocol": subprotocol,
      ...changes,
    };
    const lines = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
    this.stream.write([start, ...lines, "\r\n"].join("\r\n"));
    await until(() => this.#hasEnded || this.#input.includes("\r\n\r\n"));
    const end = this.#input.indexOf("\r\n\r\n") + 4;
    const head = this.#input.subarray(0, end).toString("latin1");
    this.#input = this.#input.subarray(end);
    return head;
  }

  /** The frames that have come, each as its first byte and its payload. */
  frames(): [number, Buffer][] {
    const found: [number, Buffer][] = [];
    for (let at = 0; at + 2 <= this.#input.length;) {
      const short = this.#input[at + 1];
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (this.#input.length < at + start) break;
      const size =
        short < 126
          ? short
          : short === 126
            ? this.#input.readUInt16BE(at + 2)
            : Number(this.#input.readBigUInt64BE(at + 2));
      if (this.#input.length < at + start + size) break;
      found.push([this.#input[at], this.#input.subarray(at + start, at + start + size)]);
      at += start + size;
    }
    return found;
  }

  /** The payload of the server's close frame, once the connection is over. */
  async close(): Promise<Buffer | undefined> {
    await until(() => this.#hasEnded);
    return this.frames().find(([first]) => first === 0x88)?.[1];
  }

  async response(): Promise<Buffer> {
    const response = () => {
      const found = new Response();
      for (const [first, payload] of this.frames()) if (first === 0x82) found.feed(payload);
      return found;
    };
    await until(() => response().hasCome);
    return response().message;
  }
}

interface RawFrame {
  /** FIN, the reserved bits and the opcode. */
  first: number;
  payload?: Uint8Array;
  mask?: Uint8Array | null;
  /** In place of the shortest form of the length. */
  length?: number[];
}

function raw({ first, payload = new Uint8Array(), mask = randomBytes(4), length }: RawFrame): Buffer {
  const size = payload.length;
  length ??= size < 126 ? [size] : [126, size >> 8, size & 255];
  const [short, ...long] = length;
  const masked = mask ? payload.map((byte, at) => byte ^ mask[at & 3]) : payload;
  return Buffer.concat([Uint8Array.of(first, short | (mask ? 128 : 0), ...long), mask ?? new Uint8Array(), masked]);
}

const closing = (code: number, reason: Uint8Array = new Uint8Array()) => ({
  first: 0x88,
  payload: Buffer.concat([Uint8Array.of(code >> 8, code & 255), reason]),
});
const some = Uint8Array.of(1, 2, 3);

describe("RFC 6455, frames by hand", () => {
  const refused: [string, RawFrame[], number][] = [
    ["a frame without a mask (5.1)", [{ first: 0x82, payload: some, mask: null }], 1002],
    ["RSV1 (5.2)", [{ first: 0xc2, payload: some }], 1002],
    ["RSV2", [{ first: 0xa2, payload: some }], 1002],
    ["RSV3", [{ first: 0x92, payload: some }], 1002],
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, RawFrame[], number] => {
      return [`the reserved opcode ${opcode}`, [{ first: 0x80 | opcode, payload: some }], 1002];
    }),
    ["a length of 16 bits that needs 7", [{ first: 0x82, payload: some, length: [126, 0, 3] }], 1002],
    ["a length of 64 bits that needs 7", [{ first: 0x82, payload: some, length: [127, 0, 0, 0, 0, 0, 0, 0, 3] }], 1002],
    ["a length of 64 bits whose highest is set", [{ first: 0x82, length: [127, 128, 0, 0, 0, 0, 0, 0, 0] }], 1002],
    ["a ping in fragments (5.5)", [{ first: 0x09, payload: some }], 1002],
    ["a ping of 126 bytes", [{ first: 0x89, payload: new Uint8Array(126) }], 1002],
    ["a pong of 126 bytes", [{ first: 0x8a, payload: new Uint8Array(126) }], 1002],
    ["a close in fragments", [{ first: 0x08 }], 1002],
    ["a close of 126 bytes", [closing(1000, new Uint8Array(124).fill(97))], 1002],
    ["a continuation of nothing (5.4)", [{ first: 0x80, payload: some }], 1002],
    ["a continuation of nothing that is not the last", [{ first: 0x00, payload: some }], 1002],
    [
      "a message within a message",
      [
        { first: 0x02, payload: preface.subarray(0, 2) },
        { first: 0x82, payload: some },
      ],
      1002,
    ],
    ["text", [{ first: 0x81, payload: Buffer.from("text") }], 1003],
    ["text that is not UTF-8", [{ first: 0x81, payload: Uint8Array.of(0xff) }], 1003],
    ["text in fragments", [{ first: 0x01, payload: Buffer.from("te") }], 1003],
    ["a close with one byte (5.5.1)", [{ first: 0x88, payload: Uint8Array.of(3) }], 1002],
    ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535].map((code): [string, RawFrame[], number] => {
      return [`a close with ${code} (7.4)`, [closing(code)], 1002];
    }),
    ["a close whose reason is not UTF-8 (8.1)", [closing(1000, Uint8Array.of(0xce, 0xba, 0xe1))], 1007],
    ["a close whose reason has a surrogate", [closing(1000, Uint8Array.of(0xed, 0xa0, 0x80))], 1007],
  ];
  for (const [name, frames, code] of refused) {
    test(`${name}: ${code}`, async () => {
      const client = new RawClient();
      assert.match(await client.shakeHands(), /^HTTP\/1\.1 101 /);

      for (const frame of frames) client.stream.write(raw(frame));

      assert.equal((await client.close())?.readUInt16BE(0), code);
    });
  }

  const answered: [string, RawFrame, number[]][] = [
    ["a close without a code", { first: 0x88 }, []],
    ["a close with 1000 and no reason", closing(1000), [3, 232]],
    ["a close with a reason in UTF-8", closing(1001, Buffer.from("κόσμε 🚀")), [3, 233]],
    ["a close with the longest reason", closing(4000, new Uint8Array(123).fill(97)), [15, 160]],
  ];
  for (const [name, frame, start] of answered) {
    test(`${name} is answered with its code, and the connection ends`, async () => {
      const client = new RawClient();
      await client.shakeHands();

      client.stream.write(Buffer.concat([raw(frame), raw({ first: 0x89, payload: some })]));

      const payload = await client.close();
      assert.deepEqual([...(payload ?? [])].slice(0, 2), start);
      assert.ok(!client.frames().some(([first]) => first === 0x8a), "a ping after the close was answered");
    });
  }

  for (const [name, mask] of [
    ["of zeros", new Uint8Array(4)],
    ["of ones", new Uint8Array(4).fill(255)],
    ["of every kind", Uint8Array.of(0, 255, 1, 128)],
  ] as const) {
    test(`a mask ${name}, byte by byte (5.3)`, async () => {
      const client = new RawClient();
      await client.shakeHands();
      client.stream.setNoDelay();
      const bytes = session(Buffer.from("masked"));
      const half = raw({ first: 0x02, payload: bytes.subarray(0, 21), mask });
      const rest = raw({ first: 0x80, payload: bytes.subarray(21) });

      for (const byte of Buffer.concat([half, raw({ first: 0x89, payload: some }), rest])) {
        client.stream.write(Uint8Array.of(byte));
        await new Promise((done) => setImmediate(done));
      }

      assert.equal((await client.response()).toString(), "masked");
      assert.deepEqual(
        client.frames().filter(([first]) => first === 0x8a),
        [[0x8a, Buffer.from(some)]],
      );
      client.stream.destroy();
    });
  }

  test("the server's frames have no mask, and are binary and whole", async () => {
    const client = new RawClient();
    await client.shakeHands();
    client.stream.write(raw({ first: 0x82, payload: session(randomBytes(500)) }));

    assert.equal((await client.response()).length, 500);

    // Had they masks, nothing of the response could have been read.
    assert.deepEqual(new Set(client.frames().map(([first]) => first)), new Set([0x82]));
    client.stream.destroy();
  });
});

describe("RFC 6455, handshakes by hand", () => {
  const key = (size: number) => randomBytes(size).toString("base64");
  const cases: [string, number, Record<string, string | undefined>, string?][] = [
    ["a plain one", 101, {}],
    ["names in capitals, and lists", 101, { Connection: "keep-alive, UPGRADE", Upgrade: "WebSocket" }],
    ["several subprotocols", 101, { "Sec-WebSocket-Protocol": "chat, trunkline.v1" }],
    ["an extension that is not taken", 101, { "Sec-WebSocket-Extensions": "permessage-deflate" }],
    ["a path and a query", 101, {}, "GET /a/b?c=d HTTP/1.1"],
    ["version 8 (4.2.2)", 426, { "Sec-WebSocket-Version": "8" }],
    ["no version", 426, { "Sec-WebSocket-Version": undefined }],
    ["no key", 400, { "Sec-WebSocket-Key": undefined }],
    ["a key of 15 bytes", 400, { "Sec-WebSocket-Key": key(15) }],
    ["a key that is no base64", 400, { "Sec-WebSocket-Key": "????????????????????????" }],
    ["no subprotocol", 400, { "Sec-WebSocket-Protocol": undefined }],
    ["another subprotocol", 400, { "Sec-WebSocket-Protocol": "chat" }],
    ["no host", 400, { Host: undefined }],
  ];
  for (const [name, status, changes, start] of cases) {
    test(`${name}: ${status}`, async () => {
      const client = new RawClient();

      const head = await client.shakeHands(changes, start);

      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      if (status === 101) {
        assert.match(head, /\r\nsec-websocket-protocol: trunkline\.v1\r\n/i);
        assert.doesNotMatch(head, /sec-websocket-extensions/i);
      }
      if (status === 426) assert.match(head, /\r\nsec-websocket-version: 13\r\n/i);
      client.stream.destroy();
    });
  }
});
