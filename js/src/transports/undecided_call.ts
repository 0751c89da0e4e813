// SPDX-License-Identifier: MIT
// UndecidedCall: a call with one request, which goes over fetch if the first WebSocket cannot be opened, or not soon.
import type { Metadata } from "../metadata.js";
import type { RpcError } from "../rpc_error.js";
import { StatusCode } from "../status_code.js";
import type { FetchTransport } from "./fetch_transport.js";
import type { RetryableCall } from "./retryable_call.js";
import type { CallListener, CallStart, IncomingMessage, TransportCall } from "./transport.js";
import type { WebSocketTransport } from "./web_socket_transport.js";

/** How long a call waits for the first WebSocket, in milliseconds. */
const patience = 2000;

export class UndecidedCall implements TransportCall, CallListener {
  readonly #start: CallStart;
  readonly #listener: CallListener;
  readonly #webSocket: WebSocketTransport;
  readonly #fetch: FetchTransport;
  /** Undefined while it is started. */
  #webSocketCall: RetryableCall | undefined;
  /** Once the call has gone over to fetch. */
  #fetchCall: TransportCall | undefined;
  #request: [Uint8Array | undefined, string] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;

  constructor(start: CallStart, listener: CallListener, webSocket: WebSocketTransport, fetch: FetchTransport) {
    this.#start = start;
    this.#listener = listener;
    this.#webSocket = webSocket;
    this.#fetch = fetch;
    this.#wait();
    // It waits for the attempt that is under way, and no longer.
    this.#webSocketCall = webSocket.start({ ...start, waitForReady: false }, this);
  }

  async write(bytes: Uint8Array | undefined, codec: string, end: boolean): Promise<void> {
    this.#request = [bytes, codec];
    return (this.#fetchCall ?? this.#webSocketCall)?.write(bytes, codec, end);
  }

  cancel(code: 1 | 4): void {
    this.#end();
    (this.#fetchCall ?? this.#webSocketCall)?.cancel(code);
  }

  onLeadingMetadata(metadata: Metadata): void {
    this.#listener.onLeadingMetadata(metadata);
  }

  onMessage(message: IncomingMessage): void {
    this.#listener.onMessage(message);
  }

  onEnd(error: RpcError | undefined, trailingMetadata: Metadata): void {
    if (this.#hasEnded) return;
    const hasNotBegun = error?.code === StatusCode.unavailable && error.origin === "transport" && !error.mayHaveRun;
    if (hasNotBegun && !this.#webSocketCall?.hasBegun) return queueMicrotask(() => void this.#decide());
    this.#end();
    this.#listener.onEnd(error, trailingMetadata);
  }

  /** The WebSocket cannot be opened, or not soon. */
  async #decide(): Promise<void> {
    if (this.#isDecided) return;
    if (this.#start.waitForReady) {
      // From now on it waits for the WebSocket, and leaves it if fetch gets through before.
      if (this.#webSocketCall?.hasEnded) this.#startAgain();
      if (!(await this.#fetch.isReachable())) return this.#wait();
      if (this.#isDecided) return;
    }
    this.#end();
    this.#webSocketCall?.cancel(1);
    this.#fetchCall = this.#fetch.start(this.#start, this.#listener);
    if (this.#request) void this.#fetchCall.write(...this.#request, true);
  }

  get #isDecided(): boolean {
    return this.#hasEnded || !!this.#webSocketCall?.hasBegun;
  }

  #startAgain(): void {
    this.#webSocketCall = this.#webSocket.start(this.#start, this);
    if (this.#request) void this.#webSocketCall.write(...this.#request, true);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (!this.#isDecided) this.#timer = setTimeout(() => void this.#decide(), patience);
  }

  #end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }
}
