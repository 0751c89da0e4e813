// SPDX-License-Identifier: MIT
// NativeSession: the client's side of a connection of the native protocol (docs/wire.md), without any input or output.
import { ByteWriter } from "../byte_writer.js";
import { StatusCode } from "../status_code.js";
import { encodeFrame, Flag, FrameType, frameHeaderBytes, type Frame } from "./frame.js";
import { FrameDecoder } from "./frame_decoder.js";
import { encodeHeaderBlock, type HeaderBlock } from "./header_block.js";
import { earlyHello, maxCredit, type Hello, type HelloLimits } from "./hello.js";
import { MessageAssembly } from "./message_assembly.js";
import { NativeCall, type NativeCallRequest } from "./native_call.js";
import type { NativeEvent, NativeMessage, NativeStatus } from "./native_event.js";
import { ProtocolError, must } from "./protocol_error.js";
import { SendQueue } from "./send_queue.js";

export interface NativeSessionOptions {
  /** What this side accepts; the early values of the protocol where nothing is named. */
  readonly limits?: Partial<HelloLimits>;
  readonly codecs: readonly string[];
  /** Messages longer than this are sent in chunks of this size, at most 32 KiB. */
  readonly chunkBytes?: number;
  /** Unfinished long messages of the peer that get credit at a time, together; a longer one comes alone. */
  readonly maxUnreadBytes?: number;
}

export const preface = Uint8Array.of(0xf5, 0x54, 0x52, 0x4b, 0x4c, 0x0d, 0x0a, 1);
const maxPongs = 1000;
const none = new Uint8Array();

export class NativeSession {
  readonly #hello: Hello;
  readonly #options: NativeSessionOptions;
  readonly #decoder: FrameDecoder;
  /** Calls that have not ended. */
  readonly #open = new Set<NativeCall>();
  /** Those that have an id, because their first frame has been sent. */
  readonly #calls = new Map<number, NativeCall>();
  readonly #methods = new Map<string, number>();
  readonly #queue: SendQueue;
  /** Frames that cost no credit; they pass all others. */
  #control: Partial<Frame>[] = [];
  #pongs = 0;
  #events: NativeEvent[] = [];
  #peer: Hello = earlyHello();
  #hasPreface = false;
  #hasHello = false;
  #hasSentHello = false;
  #isBroken = false;
  #lastId = 0;
  #lastServed = Infinity;
  #sendCredit: number;
  #receiveCredit: number;
  #dueCredit = 0;
  /** Charged frames of both sides, and those of the peer that cost nothing. */
  #charged = 0;
  #uncharged = 0;
  #pings = 0;
  #roomTaken = 0;
  #waitingForRoom = new Set<NativeCall>();

  constructor(options: NativeSessionOptions) {
    this.#options = options;
    this.#hello = { ...earlyHello(), ...options.limits, codecs: [...options.codecs] };
    this.#decoder = new FrameDecoder(this.#hello);
    this.#sendCredit = this.#peer.connectionCredit;
    this.#receiveCredit = this.#hello.connectionCredit;
    this.#queue = new SendQueue(() => this.#peer.connectionCredit / 2);
  }

  /** Whether the server's hello has come. */
  get isReady(): boolean {
    return this.#hasHello;
  }

  /** Whether no further calls can be opened. */
  get isDraining(): boolean {
    return this.#isBroken || this.#lastServed !== Infinity || this.#lastId >= maxCredit;
  }

  /** What the server has said of itself; the early values until then. */
  get peer(): Readonly<Hello> {
    return this.#peer;
  }

  /** Calls that have not ended. */
  get openCalls(): number {
    return this.#open.size;
  }

  // Sending.

  /** Throws ProtocolError if the metadata and the name are longer than the server takes. */
  open(request: NativeCallRequest): NativeCall {
    const limit = this.#peer.maxHeaderBytes;
    if (request.metadata.length) {
      const size = encodeHeaderBlock({ ...request, timeout: 2 ** 63, messageBytes: 2 ** 63 }).length;
      must(
        size <= limit,
        `start call: ${size} bytes of metadata and name exceed max_header_bytes ${limit} of the server`,
        8,
      );
    }
    const call = new NativeCall(request, this.#hello.callCredit);
    call.sendCredit = this.#peer.callCredit;
    this.#open.add(call);
    return call;
  }

  /**
   * A message, the end of the messages, or both. `onSent` is called when all of it has been taken as output. Throws
   * ProtocolError if it is longer than the server takes.
   */
  write(
    call: NativeCall,
    bytes: Uint8Array | undefined,
    codec: string | undefined,
    end: boolean,
    onSent?: () => void,
  ): void {
    if (call.isClosed || call.hasEnded) return;
    const limit = this.#peer.maxMessageBytes;
    const size = bytes?.length ?? 0;
    must(size <= limit, `send message: ${size} bytes exceed max_message_bytes ${limit} of the server`, 8);
    call.hasEnded = end;
    call.outgoing.push({ bytes, codec: codec === undefined ? 0 : this.#hello.codecs.indexOf(codec) + 1, end, onSent });
    this.#queue.add(call);
  }

  /** Closes the call for this side; nothing more is reported of it. */
  cancel(call: NativeCall, code: 1 | 4): void {
    if (call.isClosed) return;
    this.#close(call);
    if (call.id) this.#send({ type: FrameType.cancel, call: call.id, number: code });
  }

  /** The application has taken a message, or drops it: its credit is granted again. */
  take(message: NativeMessage): void {
    this.#grantConnection(message.connectionCost);
    this.#grantCall(message.call, message.callCost);
  }

  /** 8 bytes, which come back in a pong. */
  ping(value: Uint8Array): void {
    ++this.#pings;
    this.#send({ type: FrameType.ping, value });
  }

  /** Announces that this side makes no further calls. */
  goAway(code: StatusCode, reason: string): void {
    this.#send({ type: FrameType.goaway, number: code, reason });
  }

  /** What is to be sent now: all frames that cost nothing, then others until there are `limit` bytes. */
  takeOutput(limit: number, now: number): Uint8Array<ArrayBuffer> {
    const out = new ByteWriter();
    if (!this.#hasSentHello) {
      this.#hasSentHello = true;
      out.bytes(preface);
      encodeFrame({ type: FrameType.hello, hello: this.#hello }, out);
    }
    for (const frame of this.#control) encodeFrame(frame, out);
    this.#control = [];
    this.#pongs = 0;
    while (out.size < limit && !this.#isBroken) {
      const call = this.#queue.next();
      if (!call || !this.#sendNext(call, out, now)) break;
    }
    return out.result();
  }

  #send(frame: Partial<Frame>): void {
    if (!this.#isBroken) this.#control.push(frame);
  }

  /** One frame of a call. False: the credit of the connection does not suffice. */
  #sendNext(call: NativeCall, out: ByteWriter, now: number): boolean {
    const { bytes, codec, end, onSent } = call.outgoing[0];
    const isFirstFrame = call.sentOfFirst === undefined;
    const at = call.sentOfFirst ?? 0;
    const size = bytes?.length ?? 0;
    const chunk = Math.min(size - at, this.#options.chunkBytes ?? 32768);
    if (chunk > call.sendCredit) {
      // Credit comes back at the latest when half of a window is due, and a chunk is at most that.
      this.#queue.block(call);
      return true;
    }
    const isLast = at + chunk === size;
    const headers: HeaderBlock = {};
    let number = 0;
    if (!call.id) {
      const { method, metadata, deadline } = call.request;
      number = this.#methods.get(method) ?? 0;
      if (!number) headers.method = method;
      if (metadata.length) headers.metadata = metadata;
      if (deadline !== undefined) headers.timeout = Math.max(0, Math.ceil((deadline - now) * 1000));
    }
    if (isFirstFrame && !isLast) headers.messageBytes = size;
    const hasHeaders = Object.keys(headers).length > 0;
    const block = hasHeaders ? encodeHeaderBlock(headers) : undefined;
    const cost = frameHeaderBytes + chunk + (block ? 4 + block.length : 0);
    if (cost > this.#sendCredit) return false;
    const flags =
      (hasHeaders ? Flag.headers : 0) |
      (bytes ? Flag.message : 0) |
      (isLast ? 0 : Flag.more) |
      (isLast && end ? Flag.end : 0);
    const type = call.id ? FrameType.message : FrameType.call;
    if (!call.id) {
      if (!number && this.#methods.size < this.#peer.maxMethods) {
        number = this.#methods.size + 1;
        this.#methods.set(call.request.method, number);
      }
      call.id = ++this.#lastId;
      this.#calls.set(call.id, call);
    }
    const message = bytes?.subarray(at, at + chunk);
    encodeFrame({ type, flags, codec: isFirstFrame ? codec : 0, call: call.id, number, block, message }, out);
    this.#sendCredit -= cost;
    call.sendCredit -= chunk;
    ++this.#charged;
    if (isLast) {
      call.outgoing.shift();
      call.sentOfFirst = undefined;
      ++call.sentMessages;
    } else {
      call.sentOfFirst = at + chunk;
    }
    this.#queue.turn(call);
    if (isLast) onSent?.();
    return true;
  }

  // Receiving.

  /** What the bytes of the server mean. */
  receive(bytes: Uint8Array): NativeEvent[] {
    if (this.#isBroken) return [];
    this.#decoder.feed(bytes);
    try {
      if (!this.#hasPreface) {
        // What differs is refused as soon as it is seen.
        const start = this.#decoder.peek(Math.min(this.#decoder.size, preface.length))!;
        must(
          start.every((byte, index) => byte === preface[index]),
          "the first bytes are not those of the protocol",
        );
        if (start.length < preface.length) return [];
        this.#decoder.skip(preface.length);
        this.#hasPreface = true;
      }
      for (let frame = this.#decoder.next(); frame; frame = this.#decoder.next()) this.#receiveFrame(frame);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.goAway(error.code, error.message);
      this.#isBroken = true;
      this.#events.push({ type: "broken", code: error.code, reason: error.message });
    }
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #receiveFrame(frame: Frame): void {
    const { type } = frame;
    must(this.#hasHello || type === FrameType.hello || type === FrameType.goaway, "the first frame is no hello");
    if (costOf(frame)) ++this.#charged;
    else if (type === FrameType.pong && this.#pings > 0) --this.#pings;
    else if (type !== FrameType.ping && type !== FrameType.hello) {
      must(++this.#uncharged <= 1024 + 4 * this.#charged, "too many frames that cost nothing", 8);
    }
    if (frame.hello) this.#receiveHello(frame.hello);
    else if (type === FrameType.message || type === FrameType.finish) this.#receiveOfCall(frame);
    else if (type === FrameType.credit) this.#receiveCreditFrame(frame.call, frame.number);
    else if (type === FrameType.ping) {
      must(++this.#pongs <= maxPongs, "pings whose pongs are not read", 8);
      this.#control.unshift({ type: FrameType.pong, value: frame.value });
    } else if (type === FrameType.pong) this.#events.push({ type: "pong", value: frame.value ?? none });
    else if (type === FrameType.goaway) this.#receiveGoAway(frame);
  }

  #receiveHello(hello: Hello): void {
    must(!this.#hasHello, "a second hello");
    this.#hasHello = true;
    this.#sendCredit += hello.connectionCredit - this.#peer.connectionCredit;
    for (const call of [...this.#open]) this.#addCredit(call, hello.callCredit - this.#peer.callCredit);
    this.#peer = hello;
    this.#events.push({ type: "hello", hello });
  }

  #addCredit(call: NativeCall, bytes: number): void {
    call.sendCredit += bytes;
    must(call.sendCredit <= maxCredit, "the credit of a call is above 2^31 - 1", 8);
    this.#queue.add(call);
  }

  #receiveCreditFrame(id: number, bytes: number): void {
    const call = this.#calls.get(id);
    if (call) this.#addCredit(call, bytes);
    if (id) return;
    this.#sendCredit += bytes;
    must(this.#sendCredit <= maxCredit, "the credit of the connection is above 2^31 - 1", 8);
  }

  #receiveGoAway({ call: last, number: code, reason = "" }: Frame): void {
    must(last <= this.#lastServed, "a goaway with a later call than before");
    this.#lastServed = last;
    const status = { code: StatusCode.unavailable, text: `the server is going away: ${reason || "it shuts down"}` };
    for (const call of [...this.#open]) {
      if (!call.id || call.id > last) this.#finish(call, { ...status, isUnprocessed: true, isFromPeer: true });
    }
    this.#events.push({ type: "goaway", code, reason });
  }

  /** A message or a finish. */
  #receiveOfCall(frame: Frame): void {
    const { codec, compressor, call: id, headers = {}, message } = frame;
    const isFinish = frame.type === FrameType.finish;
    const hasMore = (frame.flags & Flag.more) !== 0;
    const call = this.#calls.get(id);
    must(!!call || id <= this.#lastId, "a frame for a call that was never opened");
    must(codec <= this.#peer.codecs.length, "the number of a codec that was not announced");
    must(compressor <= this.#peer.compressors.length, "the number of a compressor that was not announced");
    const size = message?.length ?? 0;
    this.#receiveCredit -= costOf(frame);
    must(this.#receiveCredit >= 0, "more bytes than the credit of the connection", 8);
    if (!call) return this.#grantConnection(costOf(frame));
    call.receiveCredit -= size;
    must(call.receiveCredit >= 0, "more bytes than the credit of the call", 8);

    if (message) {
      const isFirst = !call.assembly;
      must(isFirst || !codec, "a codec within a message");
      must(!isFirst || codec > 0 || (!size && !hasMore), "a message without codec is not empty");
      must((isFirst && hasMore) === (headers.messageBytes !== undefined), "message_bytes is missing, or out of place");
    } else must(headers.messageBytes === undefined, "message_bytes without a message");
    if (!isFinish && headers.metadata) {
      must(!call.hasReceived, "metadata after the first frame of the server");
      this.#events.push({ type: "metadata", call, metadata: headers.metadata });
    }
    call.hasReceived = true;

    if (call.peerHasEnded && (message || !isFinish)) {
      return this.#fail(call, frame, StatusCode.internal, "a message after the end of the server");
    }
    const isEnd = (frame.flags & Flag.end) !== 0;
    call.peerHasEnded ||= isEnd;
    if (message) this.#receivePart(call, frame, message);
    else if (call.assembly && (isEnd || (isFinish && !frame.number))) {
      return this.#fail(call, frame, StatusCode.internal, "the message is shorter than it was announced");
    } else this.#grantConnection(costOf(frame));
    if (call.isClosed || !isFinish) return;
    this.#finish(call, {
      code: frame.number as StatusCode,
      text: headers.statusMessage ?? "",
      details: headers.details ?? [],
      metadata: headers.metadata ?? [],
      isUnprocessed: (frame.flags & Flag.unprocessed) !== 0,
      isFromPeer: true,
    });
  }

  #receivePart(call: NativeCall, frame: Frame, part: Uint8Array): void {
    const isLast = (frame.flags & Flag.more) === 0;
    if (!call.assembly) {
      const size = frame.headers?.messageBytes ?? part.length;
      const limit = this.#hello.maxMessageBytes;
      if (size > limit) {
        const text = `receive message: ${size} bytes exceed max_message_bytes ${limit}`;
        return this.#fail(call, frame, StatusCode.resource_exhausted, text);
      }
      if (isLast) return this.#complete(call, frame, frame, part, size);
      call.assembly = new MessageAssembly(frame.codec, frame.compressor, size);
      this.#waitingForRoom.add(call);
      this.#giveRoom();
    }
    const { assembly } = call;
    const size = assembly.size + part.length;
    if (size > assembly.total || (isLast && size < assembly.total)) {
      const text = `receive message: ${size} bytes have come, but ${assembly.total} were announced`;
      return this.#fail(call, frame, StatusCode.internal, text);
    }
    assembly.bytes(part);
    if (isLast) {
      this.#leaveRoom(call);
      return this.#complete(call, frame, assembly, assembly.result(), part.length);
    }
    this.#grantConnection(costOf(frame));
    if (assembly.hasRoom) this.#grantCall(call, part.length);
    else call.withheldCredit += part.length;
  }

  /** A message has come, in this frame or with it. `form`: what says in which form it is. */
  #complete(
    call: NativeCall,
    frame: Frame,
    form: { readonly codec: number; readonly compressor: number },
    bytes: Uint8Array,
    callCost: number,
  ): void {
    const codec: string | undefined = this.#peer.codecs[form.codec - 1];
    const isKnown = codec === undefined || this.#hello.codecs.includes(codec);
    // No compressor has been announced, so the server uses none that this side has.
    if (!isKnown || form.compressor) {
      const what = isKnown ? `compressor ${this.#peer.compressors[form.compressor - 1]}` : `codec ${codec}`;
      return this.#fail(call, frame, StatusCode.unimplemented, `receive message: unknown ${what}`);
    }
    const message = { call, codec, bytes, connectionCost: costOf(frame), callCost };
    this.#events.push({ type: "message", call, message });
  }

  /** Long messages get room in the order in which they began. */
  #giveRoom(): void {
    for (const call of this.#waitingForRoom) {
      const { assembly } = call;
      if (!assembly) continue;
      if (this.#roomTaken && this.#roomTaken + assembly.total > (this.#options.maxUnreadBytes ?? 2 ** 27)) return;
      this.#roomTaken += assembly.total;
      assembly.hasRoom = true;
      this.#waitingForRoom.delete(call);
      this.#grantCall(call, call.withheldCredit);
      call.withheldCredit = 0;
    }
  }

  #leaveRoom(call: NativeCall): void {
    const { assembly } = call;
    if (!assembly) return;
    call.assembly = undefined;
    this.#waitingForRoom.delete(call);
    if (!assembly.hasRoom) return this.#grantCall(call, call.withheldCredit);
    this.#roomTaken -= assembly.total;
    this.#giveRoom();
  }

  /** Credit is sent when half of what the hello announced is due. */
  #grantConnection(bytes: number): void {
    this.#dueCredit += bytes;
    if (2 * this.#dueCredit < this.#hello.connectionCredit) return;
    this.#send({ type: FrameType.credit, number: this.#dueCredit });
    this.#receiveCredit += this.#dueCredit;
    this.#dueCredit = 0;
  }

  #grantCall(call: NativeCall, bytes: number): void {
    call.dueCredit += bytes;
    if (call.isClosed || call.peerHasEnded || 2 * call.dueCredit < this.#hello.callCredit) return;
    this.#send({ type: FrameType.credit, call: call.id, number: call.dueCredit });
    call.receiveCredit += call.dueCredit;
    call.dueCredit = 0;
  }

  /** This side ends a call because of a frame of the server, of which nothing is used. */
  #fail(call: NativeCall, frame: Frame, code: StatusCode, text: string): void {
    this.#grantConnection(costOf(frame));
    if (frame.type !== FrameType.finish) this.#send({ type: FrameType.cancel, call: call.id, number: 1 });
    this.#finish(call, { code, text, isUnprocessed: false, isFromPeer: false });
  }

  #finish(call: NativeCall, status: Omit<NativeStatus, "details" | "metadata"> & Partial<NativeStatus>): void {
    this.#close(call);
    this.#events.push({ type: "finish", call, status: { details: [], metadata: [], ...status } });
  }

  #close(call: NativeCall): void {
    call.isClosed = true;
    this.#calls.delete(call.id);
    this.#open.delete(call);
    this.#leaveRoom(call);
    this.#queue.remove(call);
    for (const { onSent } of call.outgoing.splice(0)) onSent?.();
  }
}

/** What a frame of the server costs of the connection's credit. */
function costOf({ type, message, bodyBytes }: Frame): number {
  return type === FrameType.message || message ? frameHeaderBytes + bodyBytes : 0;
}
