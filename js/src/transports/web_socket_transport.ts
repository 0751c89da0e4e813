// SPDX-License-Identifier: MIT
// WebSocketTransport: calls in the native protocol over a WebSocket, which is opened again when it is lost.
import type { NativeEvent } from "../native/native_event.js";
import type { NativeCall } from "../native/native_call.js";
import type { HelloLimits } from "../native/hello.js";
import { RpcError } from "../rpc_error.js";
import type { SocketConstructor } from "../socket.js";
import { StatusCode } from "../status_code.js";
import { delayAfter, type BackoffOptions } from "./backoff.js";
import { NativeConnection, subprotocol, type NativeConnectionOptions } from "./native_connection.js";
import { RetryableCall, type CallQueue } from "./retryable_call.js";
import type { CallListener, CallStart, Transport } from "./transport.js";

export interface WebSocketTransportOptions extends Omit<NativeConnectionOptions, "session"> {
  readonly socket: SocketConstructor | undefined;
  readonly codecs: readonly string[];
  readonly limits: Partial<HelloLimits>;
  readonly backoff: BackoffOptions | undefined;
  readonly maxPendingCalls: number;
}

const closed = "the channel is closed";

export class WebSocketTransport implements Transport, CallQueue {
  readonly #url: string;
  readonly #options: WebSocketTransportOptions;
  /** Calls that wait for a connection, or for room on one, in order. */
  readonly #pending = new Set<RetryableCall>();
  readonly #calls = new Map<NativeCall, RetryableCall>();
  /** All connections that are not lost: the current one, and older ones that still have calls. */
  readonly #connections = new Set<NativeConnection>();
  #current: NativeConnection | undefined;
  #isClosed = false;
  /** Connections in a row that were lost before a response came. */
  #failures = 0;
  /** Why the last attempt to connect has failed. */
  #failure: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Pays for retries: successful calls fill it, up to 10. */
  #budget = 10;
  /** Whether a connection has been ready at any time. */
  hasBeenReady = false;

  constructor(url: string, options: WebSocketTransportOptions) {
    this.#url = url;
    this.#options = options;
  }

  get isReady(): boolean {
    return !!this.#current?.session.isReady && !this.#current.session.isDraining;
  }

  /** Whether attempts to connect have failed since the last success. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Why there is no connection; undefined if there is one, or nobody has asked for it. */
  get whyNone(): string | undefined {
    if (this.#failure !== undefined || !this.#current || this.isReady) return this.#failure;
    return `connect ${this.#url}: no answer yet`;
  }

  start(start: CallStart, listener: CallListener): RetryableCall {
    const call = new RetryableCall(start, this, listener);
    if (this.#isClosed) this.#end(call, StatusCode.cancelled, closed);
    else if (this.#pending.size >= this.#options.maxPendingCalls) {
      this.#end(
        call,
        StatusCode.resource_exhausted,
        `more calls wait than maxPendingCalls ${this.#options.maxPendingCalls}`,
      );
    } else if (this.#failure !== undefined && this.#timer && !start.waitForReady) {
      this.#end(call, StatusCode.unavailable, this.#failure);
    } else {
      this.#pending.add(call);
      this.#pump();
    }
    return call;
  }

  /** Opens a connection unless there is one, or it is too early for the next attempt. */
  connect(): void {
    if (this.#current?.session.isDraining) this.#current = undefined;
    if (this.#current || this.#timer || this.#isClosed) return;
    const { socket: Constructor, codecs, limits } = this.#options;
    try {
      if (!Constructor) throw new Error("there is no WebSocket here; name one in the option webSocket");
      const socket = new Constructor(this.#url, [subprotocol]);
      this.#current = new NativeConnection(socket, { ...this.#options, session: { codecs, limits } }, this);
      this.#connections.add(this.#current);
    } catch (error) {
      this.#fail(RpcError.from(error).text);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const call of [...this.#pending, ...this.#calls.values()]) {
      this.#end(call, StatusCode.cancelled, closed, true);
    }
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
    this.#current = undefined;
  }

  enqueue(call: RetryableCall, isRetry: boolean): void {
    if (this.#isClosed) return this.#end(call, StatusCode.cancelled, closed, true);
    if (isRetry && this.#budget < 1) {
      return call.end(
        new RpcError(StatusCode.unavailable, `call ${call.start.method}: too many calls fail to retry this one`),
      );
    }
    if (isRetry) --this.#budget;
    const add = () => {
      if (call.hasEnded) return;
      this.#pending.add(call);
      this.#pump();
    };
    if (isRetry) setTimeout(add, delayAfter(Math.max(call.retries, call.moves - 1), this.#options.backoff));
    else add();
  }

  dequeue(call: RetryableCall): void {
    this.#pending.delete(call);
    if (call.native) this.#calls.delete(call.native);
    // Its place on the connection is free.
    if (this.#pending.size) queueMicrotask(() => this.#pump());
    this.#closeIdle();
  }

  onEvents(connection: NativeConnection, events: NativeEvent[]): void {
    for (const event of events) {
      if (event.type === "hello") {
        this.hasBeenReady = true;
        this.#failure = undefined;
      } else if ("call" in event) {
        const call = this.#calls.get(event.call);
        if (event.type === "finish") {
          this.#failures = 0;
          if (event.status.code === StatusCode.ok) this.#budget = Math.min(10, this.#budget + 0.1);
        }
        if (call) call.onEvent(event);
        else if (event.type === "message") connection.session.take(event.message);
      }
    }
    this.#pump();
    this.#closeIdle();
  }

  onLost(connection: NativeConnection, reason: string): void {
    const wasCurrent = this.#current === connection;
    this.#connections.delete(connection);
    if (wasCurrent) this.#current = undefined;
    if (!connection.session.isReady) this.#fail(reason);
    // The first loss of a connection that was ready is repaired at once.
    else if (wasCurrent && ++this.#failures > 1) this.#wait(this.#failures - 1);
    for (const call of [...this.#calls.values()]) if (call.isOn(connection)) call.onLost(reason);
    this.#pump();
  }

  #fail(reason: string): void {
    this.#failure = `connect ${this.#url}: ${reason}`;
    this.#wait(++this.#failures);
    for (const call of [...this.#pending]) {
      if (!call.start.waitForReady) this.#end(call, StatusCode.unavailable, this.#failure);
    }
  }

  #wait(failures: number): void {
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#pump();
      },
      delayAfter(failures, this.#options.backoff),
    );
  }

  /** Gives waiting calls their connection. */
  #pump(): void {
    if (!this.#pending.size) return;
    if (!this.isReady) {
      if (!this.#current || this.#current.session.isDraining) this.connect();
      return;
    }
    const connection = this.#current;
    for (const call of this.#pending) {
      if (!connection || connection.session.openCalls >= connection.session.peer.maxConcurrentCalls) return;
      this.#pending.delete(call);
      call.begin(connection);
      if (call.native && !call.hasEnded) this.#calls.set(call.native, call);
    }
  }

  /** A server that goes away has its connection closed when its last call has ended. */
  #closeIdle(): void {
    for (const connection of this.#connections) {
      if (!connection.session.isDraining || connection.session.openCalls) continue;
      connection.close();
      this.#connections.delete(connection);
      if (this.#current === connection) this.#current = undefined;
    }
  }

  #end(call: RetryableCall, code: StatusCode, text: string, mayHaveRun = false): void {
    const origin = code === StatusCode.unavailable ? "transport" : "local";
    call.end(new RpcError(code, `call ${call.start.method}: ${text}`, { origin, mayHaveRun }));
  }
}
