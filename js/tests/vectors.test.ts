// SPDX-License-Identifier: MIT
// The vectors of the native protocol, replayed frame by frame and through whole sessions.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ByteWriter } from "../src/byte_writer.js";
import { encodeFrame, FrameType, frameHeaderBytes, type Frame } from "../src/native/frame.js";
import { FrameDecoder } from "../src/native/frame_decoder.js";
import type { NativeCall } from "../src/native/native_call.js";
import type { NativeEvent } from "../src/native/native_event.js";
import { NativeSession, preface } from "../src/native/native_session.js";
import { ProtocolError } from "../src/native/protocol_error.js";
import { StatusCode } from "../src/status_code.js";
import { SentFrames } from "./kit/sent_frames.js";
import { bytesOf, frameOf, hexOf, plain, uncompressedSizeOf, vectors, type ContextVector } from "./kit/vectors.js";

const early = { maxFrameBytes: 65536, maxHeaderBytes: 8192 };

function encoded(frame: Frame): Uint8Array {
  const out = new ByteWriter();
  encodeFrame(frame, out);
  return out.result();
}

/** Frames that a client has sent. */
function sentBy(bytes: Uint8Array): Frame[] {
  const sent = new SentFrames();
  sent.feed(bytes);
  const frames = [...sent];
  assert.equal(sent.size, 0);
  return frames;
}

function helloOf(codecs: string[], compressors: string[]): Uint8Array {
  const hello = { ...frameOf(vectors.valid[0].meaning).hello!, codecs, compressors };
  return encoded({ ...frameOf(vectors.valid[0].meaning), hello });
}

test("Preface is the first thing that a client sends", () => {
  const session = new NativeSession({ codecs: ["json"] });

  const output = session.takeOutput(1e6, 0);

  assert.equal(hexOf(output.subarray(0, 8)), vectors.preface.replaceAll(" ", ""));
});

describe("Preface", () => {
  for (const vector of vectors.wrong_prefaces) {
    for (const step of [1, 8]) {
      test(`refuses ${vector.name}, ${step} bytes at a time`, () => {
        const session = new NativeSession({ codecs: ["json"] });
        session.takeOutput(1e6, 0);
        const bytes = bytesOf(vector.bytes);

        const events: NativeEvent[] = [];
        for (let at = 0; at < bytes.length; at += step) events.push(...session.receive(bytes.subarray(at, at + step)));

        assert.deepEqual(
          events.map((event) => event.type),
          ["broken"],
        );
        const sent = sentBy(session.takeOutput(1e6, 0));
        assert.deepEqual(
          sent.map(({ type, number }) => [type, number]),
          [[FrameType.goaway, 13]],
        );
      });
    }
  }
});

describe("Valid frame", () => {
  for (const vector of vectors.valid) {
    const { meaning } = vector;
    test(`${vector.name} is decoded`, () => {
      const bytes = bytesOf(vector.bytes);
      for (const step of [bytes.length, 1]) {
        const decoder = vector.from === "server" ? new FrameDecoder(early) : new SentFrames();
        let frame: Frame | undefined;
        for (let at = 0; at < bytes.length; at += step) {
          assert.equal(decoder.next(), undefined);
          decoder.feed(bytes.subarray(at, at + step));
        }
        frame = decoder.next();

        assert.ok(frame);
        assert.equal(decoder.size, 0);
        if (typeof meaning.type === "number") {
          assert.deepEqual([frame.type, frame.bodyBytes], [meaning.type, meaning.skipped_bytes]);
        } else assert.deepEqual(plain(frame), plain(frameOf(meaning)));
        if (meaning.uncompressed_bytes !== undefined) {
          assert.equal(uncompressedSizeOf(frame.message!), meaning.uncompressed_bytes);
        }
      }
    });
    if (!vector.decode_only && vector.from === "client") {
      test(`${vector.name} is encoded`, () => {
        assert.equal(hexOf(encoded(frameOf(meaning))), vector.bytes.replaceAll(" ", ""));
      });
    }
  }
});

describe("Invalid frame", () => {
  for (const vector of vectors.invalid.filter(({ from }) => from === "server")) {
    test(vector.name, () => {
      const decoder = new FrameDecoder(early);
      decoder.feed(bytesOf(vector.bytes));

      assert.throws(
        () => decoder.next(),
        (error) => error instanceof ProtocolError && error.code === vector.code,
      );
    });
    test(`${vector.name} ends a session`, () => {
      const session = new NativeSession({ codecs: ["json"] });
      session.takeOutput(1e6, 0);
      session.receive(preface);
      session.receive(helloOf(["json"], []));

      session.receive(bytesOf(vector.bytes));

      const sent = sentBy(session.takeOutput(1e6, 0));
      assert.deepEqual(
        sent.map(({ type, call, number }) => [type, call, number]),
        [[FrameType.goaway, 0, vector.code]],
      );
    });
  }
});

/** The frames of a vector, put together. */
function* bytesOfContext(vector: ContextVector): Generator<Uint8Array> {
  for (const { bytes, fill, times = 1 } of vector.frames) {
    const filled = fill ? new Uint8Array(fill.times).fill(parseInt(fill.byte, 16)) : new Uint8Array();
    for (let time = 0; time < times; ++time) yield Buffer.concat([bytesOf(bytes), filled]);
  }
}

describe("Context", () => {
  for (const vector of vectors.context.filter(({ receiver }) => receiver === "client")) {
    test(vector.name, () => {
      const session = new NativeSession({ codecs: ["json", "protobuf", "bytes"] });
      session.takeOutput(1e6, 0);
      session.receive(preface);
      if (vector.hello !== false) session.receive(helloOf(["protobuf", "unknown"], ["snappy"]));
      for (let count = 0; count < (vector.calls ?? 0); ++count) {
        session.write(session.open({ method: "a/b", metadata: [], deadline: undefined }), undefined, undefined, true);
      }
      session.takeOutput(1e6, 0);

      for (const bytes of bytesOfContext(vector)) session.receive(bytes);

      const names = Object.fromEntries(Object.entries(FrameType).map(([name, type]) => [type, name]));
      const sent = sentBy(session.takeOutput(1e6, 0))
        .filter(({ type }) => type !== FrameType.credit)
        .map(({ type, call, number }) => ({ type: names[type], call, number }));
      assert.deepEqual(
        sent,
        vector.sends.flatMap(({ times = 1, ...frame }) => Array(times).fill(frame)),
      );
    });
  }
});

describe("Conversation", () => {
  for (const vector of vectors.conversations) {
    test(vector.name, () => {
      const hello = vector.frames.find(({ from, meaning }) => from === "client" && meaning.type === "hello")!.meaning
        .hello!;
      const session = new NativeSession({ codecs: hello.codecs as string[], chunkBytes: 4 });
      const calls = new Map<number, NativeCall>();
      const ended: number[] = [];
      session.takeOutput(1e6, 0);
      for (const { from, bytes, meaning } of vector.frames) {
        if (from === "client") {
          sendAs(session, calls, meaning);
          continue;
        }
        for (const event of session.receive(bytesOf(bytes))) {
          assert.notEqual(event.type, "broken");
          if (event.type === "finish") ended.push(event.call.id);
          if (event.type === "message") session.take(event.message);
        }
      }

      const cancelled = vector.frames
        .filter(({ meaning }) => meaning.type === "cancel")
        .map(({ meaning }) => meaning.call);
      const finishes = vector.frames.filter(
        ({ from, meaning }) => from === "server" && meaning.type === "finish" && !cancelled.includes(meaning.call),
      );
      assert.deepEqual(
        ended,
        finishes.map(({ meaning }) => meaning.call),
      );
    });
  }
});

/** Lets a session send what a frame of the vector means. Chunks after the first one are its own affair. */
function sendAs(session: NativeSession, calls: Map<number, NativeCall>, meaning: ReturnType<typeof Object>): void {
  const { type, flags = [], call: id, message, headers } = meaning;
  if (type === "cancel") return session.cancel(calls.get(id)!, meaning.number);
  if (type !== "call" && type !== "message") return;
  if (type === "call")
    calls.set(id, session.open({ method: headers?.method ?? "example.Echo/Say", metadata: [], deadline: undefined }));
  if (type === "message" && meaning.codec === 0 && message) return;
  const bytes = flags.includes("more")
    ? new Uint8Array(headers.message_bytes)
    : message === undefined
      ? undefined
      : bytesOf(message);
  session.write(calls.get(id)!, bytes, bytes && "protobuf", flags.includes("end") || flags.includes("more"));
  session.takeOutput(1e6, 0);
}

test("A unary call is sent as the vectors have it", () => {
  const vector = vectors.conversations.find(({ name }) => name === "unary_call")!;
  const calls = vector.frames.filter(({ from, meaning }) => from === "client" && meaning.type === "call");
  const session = new NativeSession({ codecs: ["protobuf"] });
  session.takeOutput(1e6, 0);

  for (const { meaning, bytes } of calls) {
    const deadline = meaning.headers?.timeout_us === undefined ? undefined : meaning.headers.timeout_us / 1000;
    const metadata = (meaning.headers?.metadata ?? []).map(
      ([name, value]) => [name, bytesOf(value)] as [string, Uint8Array],
    );
    const call = session.open({ method: "example.Echo/Say", metadata, deadline });
    session.write(call, bytesOf(meaning.message!), "protobuf", true);

    assert.equal(hexOf(session.takeOutput(1e6, 0)), bytes.replaceAll(" ", ""));
  }
});

describe("Served", () => {
  for (const vector of vectors.served) {
    test(`${vector.name} has requests as this side encodes them`, () => {
      const frames = sentBy(Buffer.concat(vector.frames.map(({ bytes }) => bytesOf(bytes))));

      assert.equal(frames.length, vector.frames.length);
      frames.forEach((frame, index) => {
        assert.equal(hexOf(encoded(frame)), vector.frames[index].bytes.replaceAll(" ", ""));
      });
    });
  }
});

test("A compressed response ends its call, because no compressor was announced", () => {
  const session = new NativeSession({ codecs: ["bytes"] });
  session.takeOutput(1e6, 0);
  session.receive(preface);
  session.receive(helloOf(["bytes"], ["snappy"]));
  session.write(session.open({ method: "m", metadata: [], deadline: undefined }), undefined, undefined, true);
  session.takeOutput(1e6, 0);
  const message = bytesOf(vectors.compressed[0].bytes);

  const events = session.receive(
    encoded({ type: FrameType.finish, flags: 2, codec: 1, compressor: 1, call: 1, number: 0, bodyBytes: 0, message }),
  );

  assert.deepEqual(
    events.map((event) => event.type === "finish" && event.status.code),
    [StatusCode.unimplemented],
  );
});

test("A frame header has 16 bytes", () => {
  assert.equal(
    encoded(frameOf({ type: "credit", flags: [], codec: 0, compressor: 0, call: 0, number: 1 })).length,
    frameHeaderBytes,
  );
});
