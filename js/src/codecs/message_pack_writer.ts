// SPDX-License-Identifier: MIT
// MessagePackWriter: values to MessagePack (github.com/msgpack/msgpack/blob/master/spec.md).
import { BigEndianWriter } from "./big_endian_writer.js";

const maxDepth = 100;
// Not that of ../text.js: what this file shares with the rest, bundlers put into a file that every page has to load.
const encoder = new TextEncoder();

export class MessagePackWriter {
  readonly #out = new BigEndianWriter();
  #depth = 0;

  bytes(): Uint8Array {
    return this.#out.result();
  }

  write(value: unknown): this {
    if (value === null || value === undefined) this.#out.u8(0xc0);
    else if (typeof value === "boolean") this.#out.u8(value ? 0xc3 : 0xc2);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "bigint") this.#bigint(value);
    else if (typeof value === "string") this.#text(value);
    else if (typeof value === "object") this.#object(value);
    else throw new TypeError(`encode msgpack: ${typeof value} has no form in MessagePack`);
    return this;
  }

  #number(value: number): void {
    const out = this.#out;
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) out.u8(0xcb).f64(value);
    else if (value > 0xffffffff || value < -0x80000000) this.#bigint(BigInt(value));
    else if (value >= 0) {
      if (value < 0x80) out.u8(value);
      else if (value < 0x100) out.u8(0xcc).u8(value);
      else if (value < 0x10000) out.u8(0xcd).u16(value);
      else out.u8(0xce).u32(value);
    } else if (value >= -0x20) out.u8(value & 0xff);
    else if (value >= -0x80) out.u8(0xd0).u8(value & 0xff);
    else if (value >= -0x8000) out.u8(0xd1).u16(value & 0xffff);
    else out.u8(0xd2).u32(value >>> 0);
  }

  #bigint(value: bigint): void {
    if (value >= 1n << 64n || value < -(1n << 63n)) {
      throw new RangeError("encode msgpack: an integer of more than 64 bits");
    }
    this.#out.u8(value < 0n ? 0xd3 : 0xcf).i64(BigInt.asIntN(64, value));
  }

  /** A length after the first byte of its size; `least` is the first byte for 8 bits, 0 if there is none. */
  #length(length: number, least: number, of16: number): void {
    if (least && length < 0x100) this.#out.u8(least).u8(length);
    else if (length < 0x10000) this.#out.u8(of16).u16(length);
    else this.#out.u8(of16 + 1).u32(length);
  }

  #text(value: string): void {
    const bytes = encoder.encode(value);
    if (bytes.length < 32) this.#out.u8(0xa0 | bytes.length);
    else this.#length(bytes.length, 0xd9, 0xda);
    this.#out.bytes(bytes);
  }

  #binary(bytes: Uint8Array): void {
    this.#length(bytes.length, 0xc4, 0xc5);
    this.#out.bytes(bytes);
  }

  #object(value: object): void {
    if (value instanceof Uint8Array) return this.#binary(value);
    if (value instanceof ArrayBuffer) return this.#binary(new Uint8Array(value));
    if (value instanceof Date) return this.#date(value);
    if (++this.#depth > maxDepth) throw new RangeError(`encode msgpack: deeper than ${maxDepth} levels`);
    if (Array.isArray(value)) {
      if (value.length < 16) this.#out.u8(0x90 | value.length);
      else this.#length(value.length, 0, 0xdc);
      for (const item of value) this.write(item);
    } else {
      const entries =
        value instanceof Map ? [...value] : Object.entries(value).filter(([, held]) => held !== undefined);
      if (entries.length < 16) this.#out.u8(0x80 | entries.length);
      else this.#length(entries.length, 0, 0xde);
      for (const [key, held] of entries) this.write(key).write(held);
    }
    --this.#depth;
  }

  /** Extension type -1, in its form of 32, 64 or 96 bits. */
  #date(value: Date): void {
    const time = value.getTime();
    if (Number.isNaN(time)) throw new RangeError("encode msgpack: an invalid date");
    const seconds = Math.floor(time / 1000);
    const nanoseconds = (time - seconds * 1000) * 1e6;
    if (seconds < 0 || seconds >= 0x400000000) this.#out.u8(0xc7).u8(12).u8(0xff).u32(nanoseconds).i64(BigInt(seconds));
    else if (nanoseconds || seconds > 0xffffffff) {
      this.#out
        .u8(0xd7)
        .u8(0xff)
        .i64(BigInt.asIntN(64, (BigInt(nanoseconds) << 34n) | BigInt(seconds)));
    } else this.#out.u8(0xd6).u8(0xff).u32(seconds);
  }
}
