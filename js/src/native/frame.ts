// SPDX-License-Identifier: MIT
// Frame: what a frame of the protocol means, and its encoding (docs/wire.md, section 2).
import type { ByteWriter } from "../byte_writer.js";
import { encodeText } from "../text.js";
import { encodeHeaderBlock, type HeaderBlock } from "./header_block.js";
import { encodeHello, type Hello } from "./hello.js";

export const FrameType = {
  hello: 1,
  call: 2,
  message: 3,
  finish: 4,
  cancel: 5,
  credit: 6,
  ping: 7,
  pong: 8,
  goaway: 9,
} as const;

export const Flag = { headers: 1, message: 2, more: 4, end: 8, oneWay: 16, unprocessed: 32 } as const;

export const frameHeaderBytes = 16;

export interface Frame {
  /** 0x80 and above: unknown, to be skipped. */
  type: number;
  flags: number;
  codec: number;
  compressor: number;
  call: number;
  number: number;
  /** The length of the body, of a frame that was received. */
  bodyBytes: number;
  hello?: Hello;
  headers?: HeaderBlock | undefined;
  /** The header block in encoded form, of a frame that is sent. */
  block?: Uint8Array | undefined;
  /** Bytes of a message, if the flag `message` is there. */
  message?: Uint8Array | undefined;
  /** Of ping and pong. */
  value?: Uint8Array | undefined;
  /** Of goaway. */
  reason?: string;
}

const none = new Uint8Array();

/** Appends the bytes of a frame. What is not named is 0. The flags say what of its body is there. */
export function encodeFrame(frame: Partial<Frame>, out: ByteWriter): void {
  const { type = 0, flags = 0, codec = 0, compressor = 0, call = 0, number = 0, hello, headers = {}, reason } = frame;
  const block = flags & Flag.headers ? (frame.block ?? encodeHeaderBlock(headers)) : undefined;
  let body = frame.message ?? frame.value ?? none;
  if (hello) body = encodeHello(hello);
  if (reason) body = encodeText(reason);
  out.u32((block ? 4 + block.length : 0) + body.length);
  out.u8(type).u8(flags).u8(codec).u8(compressor).u32(call).u32(number);
  if (block) out.u32(block.length).bytes(block);
  out.bytes(body);
}
