// SPDX-License-Identifier: MIT
// SentFrames: the frames that a client sends, as its server reads them. What the package has reads those of servers alone.
import { ByteQueue } from "../../src/byte_queue.js";
import { readFields, readInteger, readText } from "../../src/native/fields.js";
import { Flag, FrameType, frameHeaderBytes, type Frame } from "../../src/native/frame.js";
import type { HeaderBlock } from "../../src/native/header_block.js";
import { decodeHello } from "../../src/native/hello.js";

export class SentFrames extends ByteQueue {
  /** The next complete frame. */
  next(): Frame | undefined {
    const header = this.peek(frameHeaderBytes);
    if (!header) return undefined;
    const view = new DataView(header.buffer, header.byteOffset, header.length);
    const bodyBytes = view.getUint32(0, true);
    const whole = this.peek(frameHeaderBytes + bodyBytes);
    if (!whole) return undefined;
    this.skip(whole.length);
    const [, , , , type, flags, codec, compressor] = whole;
    const call = view.getUint32(8, true);
    const number = view.getUint32(12, true);
    const frame: Frame = { type, flags: flags & 0x7f, codec, compressor, call, number, bodyBytes };
    readBody(frame, whole.subarray(frameHeaderBytes));
    return frame;
  }

  /** All that are complete. */
  *[Symbol.iterator](): Generator<Frame> {
    for (let frame = this.next(); frame; frame = this.next()) yield frame;
  }
}

function readBody(frame: Frame, body: Uint8Array): void {
  const { type, flags } = frame;
  if (type === FrameType.hello) frame.hello = decodeHello(body);
  if (type === FrameType.ping || type === FrameType.pong) frame.value = body;
  if (type === FrameType.goaway) frame.reason = readText(body, "the reason");
  if (type !== FrameType.call && type !== FrameType.message) return;
  if (flags & Flag.headers) {
    const size = new DataView(body.buffer, body.byteOffset, 4).getUint32(0, true);
    frame.headers = blockOf(body.subarray(4, 4 + size));
    body = body.subarray(4 + size);
  }
  if (flags & Flag.message) frame.message = body;
}

function blockOf(bytes: Uint8Array): HeaderBlock {
  const block: HeaderBlock = {};
  readFields(bytes, "header block", (tag, value) => {
    if (tag === 1) block.method = readText(value, "the method");
    if (tag === 2) block.timeout = readInteger(value, "the timeout");
    if (tag === 3) {
      const end = 1 + value[0];
      const name = String.fromCharCode(...value.subarray(1, end));
      (block.metadata ??= []).push([name, value.subarray(end)]);
    }
    if (tag === 4) block.messageBytes = readInteger(value, "the size of the message");
  });
  return block;
}
