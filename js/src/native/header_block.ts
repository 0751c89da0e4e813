// SPDX-License-Identifier: MIT
// HeaderBlock: what a call, a message or a finish says beside its message (docs/wire.md, section 4).
import type { Detail } from "../detail.js";
import { ByteWriter } from "../byte_writer.js";
import { isMetadataName } from "../metadata.js";
import { encodeText } from "../text.js";
import { FieldWriter, readFields, readInteger, readText } from "./fields.js";

export interface HeaderBlock {
  method?: string | undefined;
  /** Microseconds. */
  timeout?: number | undefined;
  metadata?: [string, Uint8Array][] | undefined;
  messageBytes?: number | undefined;
  statusMessage?: string | undefined;
  details?: Detail[] | undefined;
}

/** On which types of frames of a server (message 3, finish 4) the fields with tags 1 to 6 may be. */
const allowedOn = ["", "", "34", "3", "4", "4"];

/** That of a frame of a server. */
export function decodeHeaderBlock(bytes: Uint8Array, frameType: number): HeaderBlock {
  const block: HeaderBlock = {};
  const seen = new Set<number>();
  const what = "header block";
  readFields(bytes, what, (tag, value, rule) => {
    rule(!!allowedOn[tag - 1]?.includes(String(frameType)), `not on type ${frameType}`);
    rule(tag === 3 || tag === 6 || !seen.has(tag), "repeated");
    seen.add(tag);
    if (tag === 3) {
      const size = value[0];
      const name = String.fromCharCode(...value.subarray(1, 1 + size));
      rule(size < value.length && isMetadataName(name), "no name");
      (block.metadata ??= []).push([name, value.subarray(1 + size)]);
    } else if (tag === 4) {
      block.messageBytes = readInteger(value, what);
    } else if (tag === 5) {
      block.statusMessage = readText(value, what);
    } else {
      const size = value.length < 2 ? Infinity : value[0] + value[1] * 256;
      rule(size + 2 <= value.length, "cut off");
      (block.details ??= []).push({
        typeUrl: readText(value.subarray(2, 2 + size), what),
        value: value.subarray(2 + size),
      });
    }
  });
  return block;
}

/** The fields of a frame of a client, without the size that goes before them. */
export function encodeHeaderBlock(block: HeaderBlock): Uint8Array {
  const out = new FieldWriter();
  if (block.method !== undefined) out.text(1, block.method);
  if (block.timeout !== undefined) out.integer(2, block.timeout);
  for (const [name, value] of block.metadata ?? []) {
    out.field(3, new ByteWriter().u8(name.length).bytes(encodeText(name)).bytes(value).result());
  }
  if (block.messageBytes !== undefined) out.integer(4, block.messageBytes);
  return out.result();
}
