// SPDX-License-Identifier: MIT
// FrameDecoder: bytes of a server to frames, with every rule that needs no context checked.
import { ByteQueue } from "../byte_queue.js";
import { readText } from "./fields.js";
import { Flag, FrameType, frameHeaderBytes, type Frame } from "./frame.js";
import { decodeHeaderBlock } from "./header_block.js";
import { decodeHello, maxCredit, maxHelloBytes } from "./hello.js";
import { must } from "./protocol_error.js";

export interface FrameLimits {
  maxFrameBytes: number;
  maxHeaderBytes: number;
}

/** What servers send, by type: the flags of a frame, whether it is of a call, and the least and the most of its number and of its body. */
const forms: Record<
  number,
  [flags: number, isOfCall: boolean | undefined, least: number, most: number, leastBytes: number, mostBytes: number]
> = {
  [FrameType.hello]: [0, false, 0, 0, 0, maxHelloBytes],
  [FrameType.message]: [Flag.headers | Flag.message | Flag.more | Flag.end, true, 0, 0, 0, Infinity],
  [FrameType.finish]: [Flag.headers | Flag.message | Flag.unprocessed, true, 0, 16, 0, Infinity],
  [FrameType.credit]: [0, undefined, 1, maxCredit, 0, 0],
  [FrameType.ping]: [0, false, 0, 0, 8, 8],
  [FrameType.pong]: [0, false, 0, 0, 8, 8],
  [FrameType.goaway]: [0, undefined, 0, 16, 0, 1024],
};

export class FrameDecoder extends ByteQueue {
  readonly #limits: FrameLimits;

  constructor(limits: FrameLimits) {
    super();
    this.#limits = limits;
  }

  /** The next complete frame. Its parts are views of what was fed. Throws ProtocolError. */
  next(): Frame | undefined {
    const header = this.peek(frameHeaderBytes);
    if (!header) return undefined;
    const view = new DataView(header.buffer, header.byteOffset, header.length);
    const length = view.getUint32(0, true);
    const frame: Frame = {
      type: header[4],
      flags: header[5],
      codec: header[6],
      compressor: header[7],
      call: view.getUint32(8, true),
      number: view.getUint32(12, true),
      bodyBytes: length,
    };
    this.#checkHeader(frame, length);
    const whole = this.peek(frameHeaderBytes + length);
    if (!whole) return undefined;
    this.skip(whole.length);
    if (frame.type < 0x80) this.#readBody(frame, whole.subarray(frameHeaderBytes));
    return frame;
  }

  #checkHeader(frame: Frame, length: number): void {
    const { type, number } = frame;
    // Texts are put together only when a rule is broken: this runs for every frame.
    const rule = (isKept: boolean, text: string, code: 8 | 13 = 13): void => {
      if (!isKept)
        must(false, `frame of type ${type}, flags ${frame.flags}, ${length} bytes, number ${number}: ${text}`, code);
    };
    rule(length <= this.#limits.maxFrameBytes, "exceeds max_frame_bytes", 8);
    if (type >= 0x80) return;
    const form = forms[type];
    must(!!form, `a frame of type ${type}, which servers do not send`);
    const [allowed, isOfCall, least, most, leastBytes, mostBytes] = form;
    const flags = (frame.flags &= 0x7f);
    const has = (flag: number) => (flags & flag) !== 0;
    rule(!has(~allowed), "unknown flag");
    rule(isOfCall === undefined || isOfCall === frame.call > 0, `call ${frame.call}`);
    rule(number >= least && number <= most, `not of ${least} to ${most}`, type === FrameType.credit && number ? 8 : 13);
    rule(
      length >= leastBytes && length <= mostBytes,
      `not of ${leastBytes} to ${mostBytes} bytes`,
      type === FrameType.hello || type === FrameType.goaway ? 8 : 13,
    );
    rule(has(Flag.message) || (!frame.codec && !frame.compressor), "no message");
    rule(frame.codec > 0 || !frame.compressor, "no codec");
    rule(!has(Flag.more) || (has(Flag.message) && !has(Flag.end)), "more");
    rule(!has(Flag.unprocessed) || number > 0, "unprocessed");
    rule(type !== FrameType.finish || !has(Flag.message) || !number, "message with an error");
  }

  #readBody(frame: Frame, body: Uint8Array): void {
    const { type, flags } = frame;
    if (type === FrameType.hello) frame.hello = decodeHello(body);
    if (type === FrameType.ping || type === FrameType.pong) frame.value = body;
    if (type === FrameType.goaway) frame.reason = readText(body, "the reason");
    if (!forms[type][0]) return;
    if (flags & Flag.headers) {
      must(body.length >= 4, "the header block is cut off");
      const size = new DataView(body.buffer, body.byteOffset, 4).getUint32(0, true);
      must(size <= this.#limits.maxHeaderBytes, "the header block exceeds max_header_bytes", 8);
      must(size <= body.length - 4, "the header block is cut off");
      frame.headers = decodeHeaderBlock(body.subarray(4, 4 + size), type);
      body = body.subarray(4 + size);
    }
    if (flags & Flag.message) frame.message = body;
    else must(!body.length, "no message");
  }
}
