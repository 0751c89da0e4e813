// SPDX-License-Identifier: MIT
// Fields: the sequences of tag, size and value that hello and header blocks are made of (docs/wire.md, section 3).
import { ByteWriter } from "../byte_writer.js";
import { decodeText, encodeText } from "../text.js";
import { must } from "./protocol_error.js";

/** Throws ProtocolError, with the number of the field, unless a rule is kept. */
export type FieldRule = (isKept: boolean, text: string, code?: 8 | 13) => void;

/** Calls `read` for each field that is to be understood, in order. `what`: what the fields are of. */
export function readFields(
  bytes: Uint8Array,
  what: string,
  read: (tag: number, value: Uint8Array, rule: FieldRule) => void,
): void {
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at++];
    let size = 0;
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      must(at < bytes.length && shift < 28, `${what}: a field has no size of 1 to 4 bytes`);
      byte = bytes[at++];
      size |= (byte & 0x7f) << shift;
    }
    must(size <= bytes.length - at, `${what}: a field is cut off`);
    const rule: FieldRule = (isKept, text, code) => must(isKept, `${what}, field ${tag}: ${text}`, code);
    if (tag < 0x80) read(tag, bytes.subarray(at, at + size), rule);
    at += size;
  }
}

/** Little-endian; above 2^53 as near as a number comes. */
export function readInteger(value: Uint8Array, what: string): number {
  must(value.length >= 1 && value.length <= 8, `${what}: an integer has 1 to 8 bytes, not ${value.length}`);
  return value.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

export function readText(value: Uint8Array, what: string): string {
  try {
    return decodeText(value);
  } catch {
    must(false, `${what} is not UTF-8`);
  }
}

export class FieldWriter extends ByteWriter {
  field(tag: number, value: Uint8Array): this {
    this.u8(tag);
    let size = value.length;
    for (; size >= 0x80; size >>>= 7) this.u8((size & 0x7f) | 0x80);
    return this.u8(size).bytes(value);
  }

  text(tag: number, value: string): this {
    return this.field(tag, encodeText(value));
  }

  /** In its shortest form; above 2^64 - 1 it is that. */
  integer(tag: number, value: number): this {
    if (value >= 2 ** 64) return this.field(tag, new Uint8Array(8).fill(0xff));
    const bytes = [value % 256];
    while ((value = Math.floor(value / 256)) > 0) bytes.push(value % 256);
    return this.field(tag, Uint8Array.from(bytes));
  }
}
