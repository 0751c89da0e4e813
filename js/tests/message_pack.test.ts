// SPDX-License-Identifier: MIT
// MessagePack beside the package @msgpack/msgpack.
import * as reference from "@msgpack/msgpack";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { messagePackCodec as codec } from "../src/codecs/message_pack_codec.js";

const values: unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  0.5,
  NaN,
  Infinity,
  -Infinity,
  "",
  "é🚀",
  new Uint8Array(),
  [],
  {},
];
for (const edge of [5, 7, 8, 15, 16, 31, 32, 53]) {
  for (const off of [-1, 0, 1]) values.push(2 ** edge + off, -(2 ** edge) + off);
}
for (const size of [1, 15, 16, 31, 32, 255, 256, 65535, 65536]) {
  values.push("x".repeat(size), new Uint8Array(size).fill(7), Array(size).fill(1));
  values.push(Object.fromEntries(Array.from({ length: Math.min(size, 70000) }, (_, at) => [`key ${at}`, at])));
}
values.push({ nested: [{ deep: [[{}]] }, new Uint8Array([1]), null] });

describe("MessagePack", () => {
  test("writes what the other reads, and reads what it writes", () => {
    for (const value of values) {
      assert.deepEqual(codec.decode(codec.encode(value)), value);
      assert.deepEqual(reference.decode(codec.encode(value), { useBigInt64: false }), value);
      // The other one forgets the sign of zero.
      if (!Object.is(value, -0)) assert.deepEqual(codec.decode(reference.encode(value)), value);
    }
  });

  test("writes the shortest form, as the other does", () => {
    for (const value of values.filter((held) => typeof held !== "number" || Math.abs(held) < 2 ** 53)) {
      if (Object.is(value, -0)) continue;
      assert.deepEqual(Buffer.from(codec.encode(value)), Buffer.from(reference.encode(value)));
    }
  });

  test("carries integers of 64 bits", () => {
    for (const value of [2n ** 64n - 1n, 2n ** 63n, -(2n ** 63n), 2n ** 53n]) {
      assert.equal(codec.decode(codec.encode(value)), value);
      assert.equal(reference.decode(codec.encode(value), { useBigInt64: true }), value);
    }
    assert.equal(codec.decode(codec.encode(5n)), 5);
    for (const value of [2n ** 64n, -(2n ** 63n) - 1n]) assert.throws(() => codec.encode(value), RangeError);
  });

  test("carries dates", () => {
    for (const time of [0, 1, 999, 2 ** 32 * 1000 - 1, 2 ** 32 * 1000, 2 ** 34 * 1000, -1, -62135596800000]) {
      const date = new Date(time);
      assert.deepEqual(codec.decode(codec.encode(date)), date);
      assert.deepEqual(reference.decode(codec.encode(date)), date);
      assert.deepEqual(codec.decode(reference.encode(date)), date);
    }
    assert.throws(() => codec.encode(new Date(NaN)), RangeError);
  });

  test("reads floats of 32 bits", () => {
    assert.equal(codec.decode(reference.encode(1.5, { forceFloat32: true })), 1.5);
  });

  test("leaves out what is undefined in objects, and takes Maps with any keys", () => {
    assert.deepEqual(codec.decode(codec.encode({ a: undefined, b: [undefined] })), { b: [null] });
    const map = new Map<unknown, unknown>([
      [true, 1],
      [null, 2],
    ]);
    assert.deepEqual(codec.decode(codec.encode(map)), map);
    assert.deepEqual(codec.decode(codec.encode(new Map([[1, "one"]]))), { 1: "one" });
  });

  test("a key __proto__ is one like others", () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}}');
    const decoded = codec.decode(codec.encode(value)) as Record<string, unknown>;
    assert.ok(Object.hasOwn(decoded, "__proto__"));
    assert.equal(decoded.polluted, undefined);
  });

  test("refuses what has no form, and what is too deep", () => {
    for (const value of [() => 1, Symbol("s")]) assert.throws(() => codec.encode(value), TypeError);
    const cycle: unknown[] = [];
    cycle.push(cycle);
    assert.throws(() => codec.encode(cycle), RangeError);
    assert.throws(() => codec.decode(new Uint8Array(1000).fill(0x91)), RangeError);
  });

  test("refuses every message that is cut off, goes on, or is malformed", () => {
    for (const value of [
      1e9,
      -70000,
      2n ** 40n,
      0.5,
      "text",
      new Uint8Array(300),
      [1, [2]],
      { a: { b: 1 } },
      new Date(5e12),
    ]) {
      const bytes = codec.encode(value);
      for (let size = 0; size < bytes.length; ++size) assert.throws(() => codec.decode(bytes.subarray(0, size)));
      assert.throws(() => codec.decode(Buffer.concat([bytes, Uint8Array.of(0)])), RangeError);
    }
    for (const bad of [
      [0xc1],
      [0xd4, 5, 0],
      [0xd5, 0xff, 0, 0],
      [0xa1, 0xff],
      [0xdd, 0xff, 0xff, 0xff, 0xff],
      [0xc6, 0xff, 0xff, 0xff, 0xff],
    ]) {
      assert.throws(() => codec.decode(Uint8Array.from(bad)));
    }
  });

  test("random bytes are refused or read, and what is read is written again", () => {
    let state = 12345;
    const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
    for (let round = 0; round < 20000; ++round) {
      const bytes = Uint8Array.from({ length: random() % 24 }, () => random() & 0xff);
      let value: unknown;
      try {
        value = codec.decode(bytes);
      } catch {
        continue;
      }
      assert.deepEqual(codec.decode(codec.encode(value)), value);
    }
  });
});
