// SPDX-License-Identifier: MIT
// NodeWebSocket: the client's side of a WebSocket (RFC 6455) for versions of Node that have none.
import { createHash, randomBytes } from "node:crypto";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import type { Socket } from "../socket.js";

const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const accept = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** How long the server may take to answer a close. */
const closeTimeout = 5000;
/** A server that pings must not leave so much unread. */
const maxUnreadBytes = 2 ** 22;

/**
 * Binary messages alone, without extensions. What arrives is handed on as it comes: one message may be several events,
 * because a stream of bytes does not need the bounds of messages.
 */
export class NodeWebSocket implements Socket {
  binaryType = "arraybuffer";
  protocol = "";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: Uint8Array }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly #request;
  #stream: Duplex | undefined;
  #input: Buffer = Buffer.alloc(0);
  /** Bytes of the payload of a data frame that are still to come. */
  #payloadLeft = 0;
  #isInMessage = false;
  #isClosing = false;
  #hasEnded = false;

  constructor(url: string, protocols: string[]) {
    const key = randomBytes(16).toString("base64");
    const target = new URL(url);
    const isSecure = target.protocol === "wss:";
    target.protocol = isSecure ? "https:" : "http:";
    target.hash = "";
    this.#request = (isSecure ? httpsRequest : httpRequest)(target, {
      // A connection of its own: the default agent would hand it to others, and speak HTTP/1.1 only without ALPN.
      agent: false,
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
        ...(protocols.length ? { "Sec-WebSocket-Protocol": protocols.join(", ") } : {}),
      },
      ...(isSecure ? { ALPNProtocols: ["http/1.1"] } : {}),
    });
    this.#request.on("error", (error) => this.#fail(error.message));
    this.#request.on("response", (response) => {
      this.#fail(`the server has answered the handshake with HTTP status ${response.statusCode}`);
    });
    this.#request.on("upgrade", (response, stream, head) => this.#open(response, stream, head, key, protocols));
    this.#request.end();
  }

  get bufferedAmount(): number {
    return this.#stream?.writableLength ?? 0;
  }

  send(data: Uint8Array): void {
    if (!this.#isClosing) this.#write(Opcode.binary, data);
  }

  close(code = 1000, reason = ""): void {
    if (this.#isClosing || this.#hasEnded) return;
    if (!this.#stream) return this.#end(1006, "closed before it was open");
    const text = Buffer.from(reason);
    this.#write(Opcode.close, Buffer.concat([Uint8Array.of(code >> 8, code & 0xff), text]));
    this.#isClosing = true;
    setTimeout(() => this.#end(code, reason), closeTimeout).unref();
  }

  #open(response: IncomingMessage, stream: Duplex, head: Buffer, key: string, protocols: string[]): void {
    this.#stream = stream;
    stream.on("error", (error) => this.#fail(error.message));
    if (this.#hasEnded) return void stream.destroy();
    const {
      upgrade = "",
      "sec-websocket-accept": answer,
      "sec-websocket-protocol": protocol = "",
      "sec-websocket-extensions": extensions,
    } = response.headers;
    const expected = createHash("sha1")
      .update(key + accept)
      .digest("base64");
    if (
      upgrade.toLowerCase() !== "websocket" ||
      answer !== expected ||
      extensions ||
      (protocol && !protocols.includes(protocol))
    ) {
      this.#fail("the server has answered the handshake with wrong fields");
      return;
    }
    this.protocol = protocol;
    stream.on("data", (data: Buffer) => this.#receive(data));
    stream.on("close", () => this.#end(1006, ""));
    stream.on("end", () => this.#end(1006, ""));
    this.onopen?.();
    if (head.length) this.#receive(head);
  }

  #write(opcode: number, payload: Uint8Array): void {
    const size = payload.length;
    const lengthBytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    const frame = Buffer.allocUnsafe(6 + lengthBytes + size);
    frame[0] = 0x80 | opcode;
    frame[1] = 0x80 | (lengthBytes === 0 ? size : lengthBytes === 2 ? 126 : 127);
    if (lengthBytes === 2) frame.writeUInt16BE(size, 2);
    if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(size), 2);
    const mask = randomBytes(4);
    const start = 6 + lengthBytes;
    frame.set(mask, start - 4);
    for (let index = 0; index < size; ++index) frame[start + index] = payload[index] ^ mask[index & 3];
    this.#stream?.write(frame);
  }

  #receive(data: Buffer): void {
    this.#input = this.#input.length ? Buffer.concat([this.#input, data]) : data;
    while (this.#input.length && !this.#hasEnded) {
      if (this.#payloadLeft) {
        const part = this.#input.subarray(0, this.#payloadLeft);
        this.#input = this.#input.subarray(part.length);
        this.#payloadLeft -= part.length;
        // A plain view: Buffer.slice makes no copies, as one would expect of a Uint8Array.
        this.onmessage?.({ data: new Uint8Array(part.buffer, part.byteOffset, part.length) });
      } else if (!this.#receiveFrame()) return;
    }
  }

  /** The header of a frame, and all of a control frame. False: more bytes are needed, or the connection has failed. */
  #receiveFrame(): boolean {
    const input = this.#input;
    if (input.length < 2) return false;
    const opcode = input[0] & 15;
    const short = input[1] & 0x7f;
    const isFinal = (input[0] & 0x80) !== 0;
    const isControl = opcode >= 8;
    if (input[0] & 0x70 || input[1] & 0x80) return this.#fail("a frame with reserved bits, or masked", 1002);
    if (isControl ? !isFinal || short > 125 || opcode > Opcode.pong : opcode > Opcode.binary)
      return this.#fail("a malformed frame", 1002);
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (input.length < start) return false;
    const size = short < 126 ? short : short === 126 ? input.readUInt16BE(2) : Number(input.readBigUInt64BE(2));
    if (!Number.isSafeInteger(size)) return this.#fail("a frame that is too long", 1009);
    if (isControl) {
      if (input.length < start + size) return false;
      this.#input = input.subarray(start + size);
      return this.#receiveControl(opcode, input.subarray(start, start + size));
    }
    if ((opcode === Opcode.continuation) !== this.#isInMessage) return this.#fail("a frame out of order", 1002);
    if (opcode === Opcode.text) return this.#fail("a message of text", 1003);
    this.#isInMessage = !isFinal;
    this.#payloadLeft = size;
    this.#input = input.subarray(start);
    return true;
  }

  #receiveControl(opcode: number, payload: Buffer): boolean {
    if (opcode === Opcode.ping && !this.#isClosing) {
      if (this.bufferedAmount > maxUnreadBytes) return this.#fail("pings whose pongs are not read", 1008);
      this.#write(Opcode.pong, payload);
    }
    if (opcode !== Opcode.close) return true;
    const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
    if (!this.#isClosing) this.#write(Opcode.close, payload.subarray(0, 2));
    this.#isClosing = true;
    this.#end(code, payload.subarray(2).toString());
    return false;
  }

  #fail(message: string, code?: number): false {
    if (this.#hasEnded) return false;
    if (code && !this.#isClosing) this.#write(Opcode.close, Uint8Array.of(code >> 8, code & 0xff));
    this.onerror?.({ message });
    this.#end(code ?? 1006, message);
    return false;
  }

  #end(code: number, reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isClosing = true;
    // What has been written is still sent.
    const stream = this.#stream;
    if (stream) {
      stream.end(() => stream.destroy());
      setTimeout(() => stream.destroy(), closeTimeout).unref();
    } else this.#request.destroy();
    this.onclose?.({ code, reason });
  }
}
