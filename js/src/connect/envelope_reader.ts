// SPDX-License-Identifier: MIT
// EnvelopeReader: what the body of a response of the Connect protocol holds: one message, or a stream of them.
import { ByteQueue } from "../byte_queue.js";
import { RpcError } from "../rpc_error.js";
import { StatusCode } from "../status_code.js";

const Flag = { compressed: 1, endStream: 2 } as const;

export interface Envelope {
  /** It is no message, but says how the stream has ended. */
  readonly isEnd: boolean;
  readonly bytes: Uint8Array;
}

const headerBytes = 5;

/** A message with its flags and its length before it. */
export function encodeEnvelope(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const envelope = new Uint8Array(headerBytes + bytes.length);
  new DataView(envelope.buffer).setUint32(1, bytes.length);
  envelope.set(bytes, headerBytes);
  return envelope;
}

/** The response is not as the protocol has it. */
export function malformed(what: string): RpcError {
  return new RpcError(StatusCode.internal, `receive message: ${what}`);
}

export class EnvelopeReader {
  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #maxMessageBytes: number;
  readonly #queue = new ByteQueue();

  constructor(body: ReadableStream<Uint8Array> | null, maxMessageBytes: number) {
    this.#body = body?.getReader();
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** All that is left. Throws RpcError if it is longer than the channel takes. */
  async whole(): Promise<Uint8Array> {
    while (await this.#feed()) this.#check(this.#queue.size);
    return this.#queue.peek(this.#queue.size)!;
  }

  /** The next message; undefined at the end of the body. Throws RpcError if it is longer than the channel takes. */
  async next(): Promise<Envelope | undefined> {
    const header = await this.#take(headerBytes);
    if (!header) return undefined;
    const [flags] = header;
    if (flags & Flag.compressed) throw malformed("compressed, without a compressor");
    const length = new DataView(header.buffer, header.byteOffset).getUint32(1);
    this.#check(length);
    const bytes = await this.#take(length);
    if (!bytes) throw malformed("the response is cut off");
    return { isEnd: (flags & Flag.endStream) !== 0, bytes };
  }

  /** So many bytes; undefined if the body ends before the first of them. */
  async #take(count: number): Promise<Uint8Array | undefined> {
    while (this.#queue.size < count) {
      if (await this.#feed()) continue;
      if (this.#queue.size) throw malformed("the response is cut off");
      return undefined;
    }
    const bytes = this.#queue.peek(count);
    this.#queue.skip(count);
    return bytes;
  }

  /** False if there are no more bytes. */
  async #feed(): Promise<boolean> {
    const { value } = (await this.#body?.read()) ?? {};
    if (value) this.#queue.feed(value);
    return value !== undefined;
  }

  #check(size: number): void {
    const limit = this.#maxMessageBytes;
    if (size <= limit) return;
    throw new RpcError(StatusCode.resource_exhausted, `receive message: ${size} bytes exceed maxMessageBytes ${limit}`);
  }
}
