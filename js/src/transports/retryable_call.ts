// SPDX-License-Identifier: MIT
// RetryableCall: a call over WebSocket, from connection to connection until it has ended.
import { Metadata } from "../metadata.js";
import type { NativeCall } from "../native/native_call.js";
import type { NativeEvent, NativeStatus } from "../native/native_event.js";
import { ProtocolError } from "../native/protocol_error.js";
import { RpcError } from "../rpc_error.js";
import { StatusCode } from "../status_code.js";
import { encodeText } from "../text.js";
import type { NativeConnection } from "./native_connection.js";
import type { CallListener, CallStart, TransportCall } from "./transport.js";

/** A caller waits when so many bytes of its call wait to be sent. */
const maxUnsentBytes = 65536;
/** What a message costs beside its bytes. */
const messageOverhead = 16;

/** A stream can be opened again with what was written to it, up to so many bytes. */
const maxRetainedBytes = 65536;

interface RetainedMessage {
  readonly bytes: Uint8Array | undefined;
  readonly codec: string;
  readonly end: boolean;
  readonly onSent: () => void;
}

/** Who gives calls their connections. */
export interface CallQueue {
  /** The call waits for a connection. `isRetry`: it has been sent before. */
  enqueue(call: RetryableCall, isRetry: boolean): void;
  /** The call has ended, and waits no longer if it did. */
  dequeue(call: RetryableCall): void;
}

export class RetryableCall implements TransportCall {
  readonly start: CallStart;
  readonly #queue: CallQueue;
  readonly #listener: CallListener;
  readonly #encodedMetadata: [string, Uint8Array][];
  #messages: RetainedMessage[] = [];
  /** Whether `#messages` has all that was written, so that the call can be sent again. */
  #isRetaining = true;
  #retainedBytes = 0;
  #unsentBytes = 0;
  #connection: NativeConnection | undefined;
  #native: NativeCall | undefined;
  #hasReceived = false;
  #hasEnded = false;
  /** How often it has been sent again although a server that stays has refused it, or although it may have run. */
  retries = 0;
  /** How often it has been sent again because it had certainly not run. */
  moves = 0;

  constructor(start: CallStart, queue: CallQueue, listener: CallListener) {
    this.start = start;
    this.#queue = queue;
    this.#listener = listener;
    this.#encodedMetadata = Array.from(start.metadata, ([name, value]) => [
      name,
      typeof value === "string" ? encodeText(value) : value,
    ]);
  }

  /** The call on its connection; undefined while it waits for one. */
  get native(): NativeCall | undefined {
    return this.#native;
  }

  isOn(connection: NativeConnection): boolean {
    return this.#connection === connection;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether it is, or was, on a connection. */
  get hasBegun(): boolean {
    return this.#native !== undefined || this.#hasReceived || this.moves + this.retries > 0;
  }

  /** Sends the call, with all that has been written, over a connection that is ready. */
  begin(connection: NativeConnection): void {
    const { method, deadline } = this.start;
    try {
      this.#native = connection.session.open({ method, metadata: this.#encodedMetadata, deadline });
    } catch (error) {
      return this.#refuse(error);
    }
    this.#connection = connection;
    for (const message of this.#messages) this.#send(message);
    this.#forgetIfLong();
    connection.flush();
  }

  write(bytes: Uint8Array | undefined, codec: string, end: boolean): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    const size = messageOverhead + (bytes?.length ?? 0);
    this.#unsentBytes += size;
    return new Promise((resolve) => {
      let isUnsent = true;
      const onSent = () => {
        if (isUnsent) this.#unsentBytes -= size;
        isUnsent = false;
        resolve();
      };
      if (this.#unsentBytes <= maxUnsentBytes) resolve();
      const message = { bytes, codec, end, onSent };
      if (this.#isRetaining) {
        this.#messages.push(message);
        this.#retainedBytes += size;
      }
      if (!this.#native) return;
      this.#send(message);
      this.#forgetIfLong();
      this.#connection?.flush();
    });
  }

  /** For the server too, unless it has ended the call. */
  cancel(code: 1 | 4): void {
    if (this.#hasEnded) return;
    if (this.#native) this.#connection?.session.cancel(this.#native, code);
    this.#connection?.flush();
    this.#release();
  }

  /** The connection is gone. */
  onLost(reason: string): void {
    const isUnsent = !this.#native?.id;
    if (isUnsent && this.#move()) return;
    if (!isUnsent && this.start.idempotent && this.#retry()) return;
    const text = `call ${this.start.method}: ${reason}`;
    this.end(new RpcError(StatusCode.unavailable, text, { origin: "transport", mayHaveRun: !isUnsent }));
  }

  /** Something of this call from its connection. */
  onEvent(event: Extract<NativeEvent, { call: NativeCall }>): void {
    if (this.#hasEnded) return;
    if (event.type === "finish") return this.#finish(event.status);
    this.#hasReceived = true;
    this.#forget();
    if (event.type === "metadata") return this.#listener.onLeadingMetadata(new Metadata(event.metadata));
    const { codec, bytes } = event.message;
    const connection = this.#connection;
    const take = () => {
      connection?.session.take(event.message);
      connection?.flush();
    };
    this.#listener.onMessage({ codec, bytes, take });
  }

  /** Ends the call for its caller. */
  end(error: RpcError | undefined, trailingMetadata = new Metadata()): void {
    if (this.#hasEnded) return;
    this.cancel(1);
    this.#listener.onEnd(error, trailingMetadata);
  }

  #finish(status: NativeStatus): void {
    const { code, text, details, isUnprocessed, isFromPeer } = status;
    const isDraining = this.#connection?.session.isDraining;
    if (isUnprocessed && code === StatusCode.unavailable && (isDraining ? this.#move() : this.#retry())) return;
    const trailingMetadata = new Metadata(status.metadata);
    if (code === StatusCode.ok) return this.end(undefined, trailingMetadata);
    const origin = isFromPeer ? "peer" : "local";
    this.end(
      new RpcError(code, text, { details, trailingMetadata, origin, mayHaveRun: !isUnprocessed }),
      trailingMetadata,
    );
  }

  /** To another connection. It certainly has not run. */
  #move(): boolean {
    if (!this.#canRepeat() || (this.start.deadline === undefined && this.moves >= 10)) return false;
    ++this.moves;
    this.#enqueue(this.moves > 1);
    return true;
  }

  #retry(): boolean {
    if (!this.#canRepeat() || this.retries >= 3) return false;
    ++this.retries;
    this.#enqueue(true);
    return true;
  }

  #canRepeat(): boolean {
    return !this.#hasReceived && this.#isRetaining;
  }

  #enqueue(isRetry: boolean): void {
    this.#queue.dequeue(this);
    this.#native = undefined;
    this.#connection = undefined;
    this.#queue.enqueue(this, isRetry);
  }

  #send({ bytes, codec, end, onSent }: RetainedMessage): void {
    if (!this.#native) return;
    try {
      this.#connection?.session.write(this.#native, bytes, bytes && codec, end, onSent);
    } catch (error) {
      this.#connection?.session.cancel(this.#native, 1);
      this.#refuse(error);
    }
  }

  /** One message is kept in any case: it is the whole request of a unary call, and the caller holds it as well. */
  #forgetIfLong(): void {
    if (this.#messages.length > 1 && this.#retainedBytes > maxRetainedBytes) this.#forget();
  }

  #forget(): void {
    this.#isRetaining = false;
    this.#messages = [];
  }

  #refuse(error: unknown): void {
    if (!(error instanceof ProtocolError)) throw error;
    this.end(new RpcError(error.code, error.message, { mayHaveRun: false }));
  }

  #release(): void {
    this.#hasEnded = true;
    this.#queue.dequeue(this);
    for (const { onSent } of this.#messages.splice(0)) onSent();
  }
}
