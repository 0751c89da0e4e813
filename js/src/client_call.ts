// SPDX-License-Identifier: MIT
// ClientCall: a call as its caller has it: messages, deadline, cancellation and status.
import type { CallOptions } from "./call_options.js";
import type { Codec } from "./codecs/codec.js";
import { Metadata } from "./metadata.js";
import { RpcError, textOf } from "./rpc_error.js";
import { StatusCode } from "./status_code.js";
import { encodeText } from "./text.js";
import type { CallKind, CallListener, IncomingMessage, Transport, TransportCall } from "./transports/transport.js";

/** The codecs of a channel. */
export interface Codecs {
  /** Throws TypeError if there is no such codec. */
  forRequest(request: unknown, chosen: Codec | string | undefined): Codec;
  find(name: string): Promise<Codec | undefined>;
}

export interface ClientCallOptions extends CallOptions {
  readonly method: string;
  readonly kind: CallKind;
  readonly transport: Transport;
  readonly codecs: Codecs;
  /** The first request, if it is known; it tells the codec. */
  readonly request?: unknown;
}

/** What a timer can wait for. */
const maxTimeout = 2 ** 31 - 1;

export class ClientCall implements CallListener {
  readonly #options: ClientCallOptions;
  readonly #call: TransportCall;
  readonly #messages: IncomingMessage[] = [];
  readonly #onAbort = () => this.#cancel();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: { error: RpcError | undefined } | undefined;
  /** Called when a message has come, or the end. */
  #wake: (() => void) | undefined;
  /** Fulfilled with what came before the first message, or with nothing when the call has ended. */
  readonly leadingMetadata: Promise<Metadata>;
  #setLeadingMetadata!: (metadata: Metadata) => void;
  #leadingMetadata: Metadata | undefined;
  /** Empty until the call has ended. */
  trailingMetadata = new Metadata();

  /** Starts the call. */
  constructor(options: ClientCallOptions) {
    this.#options = options;
    this.leadingMetadata = new Promise((set) => (this.#setLeadingMetadata = set));
    const { method, timeout, signal } = options;
    const size = encodeText(method).length;
    if (size < 1 || size > 1024) throw new TypeError(`call: a method of ${size} bytes is not of 1 to 1024`);
    if (timeout !== undefined && !(timeout >= 0))
      throw new RangeError(`call ${method}: timeout ${timeout} is not positive`);
    const start = {
      ...options,
      metadata: new Metadata(options.metadata),
      codec: options.codecs.forRequest(options.request, options.codec).name,
      deadline: timeout === undefined ? undefined : performance.now() + timeout,
      idempotent: options.idempotent ?? options.noSideEffects,
    };
    this.#call = options.transport.start(start, this);
    if (this.#end) return;
    if (timeout !== undefined) this.#timer = setTimeout(() => this.#expire(), Math.min(timeout, maxTimeout));
    signal?.addEventListener("abort", this.#onAbort);
    if (signal?.aborted) this.#cancel();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Sends a request, the end of the requests, or both. Throws if the call has ended or the request has no encoding. */
  async write(request: unknown, end: boolean): Promise<void> {
    if (this.#end) throw this.#end.error ?? this.#error(StatusCode.cancelled, "the server has ended the call");
    const { codecs, codec: chosen, method } = this.#options;
    const codec = codecs.forRequest(request, chosen);
    let bytes: Uint8Array | undefined;
    try {
      if (request !== undefined) bytes = codec.encode(request);
    } catch (error) {
      const text = `call ${method}: ${textOf(error)}`;
      const failure = new RpcError(StatusCode.invalid_argument, text, { mayHaveRun: false, cause: error });
      this.end(failure, 1);
      throw failure;
    }
    await this.#call.write(bytes, codec.name, end);
  }

  /** The next response; undefined when there are no more. Throws RpcError if the call has not ended well. */
  async next(): Promise<{ value: unknown } | undefined> {
    while (!this.#messages.length) {
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return undefined;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
    const { codec, bytes, take } = this.#messages.shift()!;
    try {
      return { value: await this.#decode(codec, bytes) };
    } finally {
      take();
    }
  }

  /** The response of a call that has only one; undefined if it has none. */
  async only(): Promise<unknown> {
    const first = await this.next();
    if (first && (await this.next())) {
      const error = this.#error(StatusCode.unimplemented, "the server has sent several responses; call it as a stream");
      this.end(error, 1);
      throw error;
    }
    return first?.value;
  }

  /** Ends the call for this side. */
  end(error: RpcError, code: 1 | 4): void {
    if (this.#end) return;
    this.onEnd(error, new Metadata());
    this.#call.cancel(code);
    for (const { take } of this.#messages.splice(0)) take();
  }

  cancel(): void {
    this.#cancel();
  }

  onLeadingMetadata(metadata: Metadata): void {
    if (this.#leadingMetadata) return;
    this.#leadingMetadata = metadata;
    this.#setLeadingMetadata(metadata);
    this.#options.onLeadingMetadata?.(metadata);
  }

  onMessage(message: IncomingMessage): void {
    if (this.#end) return message.take();
    this.#messages.push(message);
    this.#wake?.();
  }

  onEnd(error: RpcError | undefined, trailingMetadata: Metadata): void {
    if (this.#end) return;
    const options = this.#options;
    const leadingMetadata = this.#leadingMetadata ?? new Metadata();
    this.#end = { error: leadingMetadata.size ? error?.with({ leadingMetadata }) : error };
    clearTimeout(this.#timer);
    options.signal?.removeEventListener("abort", this.#onAbort);
    this.trailingMetadata = trailingMetadata;
    this.#setLeadingMetadata(leadingMetadata);
    this.#wake?.();
    options.onTrailingMetadata?.(trailingMetadata);
  }

  async #decode(name: string | undefined, bytes: Uint8Array): Promise<unknown> {
    if (name === undefined) return undefined;
    const { codec: chosen, codecs, method, kind, request } = this.#options;
    // The server chooses the codec of its response.
    const hasNoRequest = request === undefined && (kind === "unary" || kind === "server_stream");
    try {
      if (typeof chosen === "object" && (chosen.name === name || !hasNoRequest)) {
        if (chosen.name === name) return chosen.decode(bytes);
        // Another codec would make something else of the message than the caller expects.
        throw new Error(`it is in codec '${name}', not in the call's, '${chosen.name}'`);
      }
      const codec = await codecs.find(name);
      if (!codec) throw this.#error(StatusCode.unimplemented, `the response is in an unknown codec '${name}'`);
      return codec.decode(bytes);
    } catch (error) {
      const text = `call ${method}: decode the response: ${textOf(error)}`;
      const failure = error instanceof RpcError ? error : new RpcError(StatusCode.internal, text, { cause: error });
      this.end(failure, 1);
      throw failure;
    }
  }

  #expire(): void {
    this.end(this.#error(StatusCode.deadline_exceeded, `no response within timeout ${this.#options.timeout}`), 4);
  }

  #cancel(): void {
    const { signal } = this.#options;
    const cause = signal?.aborted ? signal.reason : undefined;
    this.end(
      new RpcError(StatusCode.cancelled, `call ${this.#options.method}: the caller has cancelled it`, { cause }),
      1,
    );
  }

  #error(code: StatusCode, text: string): RpcError {
    return new RpcError(code, `call ${this.#options.method}: ${text}`);
  }
}
