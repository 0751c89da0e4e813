// SPDX-License-Identifier: MIT
// AutomaticTransport: calls over a WebSocket if it can be opened, and over fetch otherwise.
import type { FetchTransport } from "./fetch_transport.js";
import type { CallListener, CallStart, Transport, TransportCall } from "./transport.js";
import { UndecidedCall } from "./undecided_call.js";
import type { WebSocketTransport } from "./web_socket_transport.js";

/**
 * Calls without side effects go by fetch, so that caches can answer them. Before a WebSocket has been open, unary calls
 * and server streams go over fetch when it cannot be opened, or not soon; it is tried again in the background. Those
 * that wait for a connection wait for whichever transport gets through first.
 */
export class AutomaticTransport implements Transport {
  readonly #webSocket: WebSocketTransport;
  readonly #fetch: FetchTransport;

  constructor(webSocket: WebSocketTransport, fetch: FetchTransport) {
    this.#webSocket = webSocket;
    this.#fetch = fetch;
  }

  start(start: CallStart, listener: CallListener): TransportCall {
    if (start.kind === "unary" && start.noSideEffects) return this.#fetch.start(start, listener);
    const canFetch = start.kind === "unary" || start.kind === "server_stream";
    if (!canFetch || this.#webSocket.hasBeenReady) return this.#webSocket.start(start, listener);
    if (this.#webSocket.hasFailed && !start.waitForReady) {
      this.#webSocket.connect();
      return this.#fetch.start(start, listener);
    }
    return new UndecidedCall(start, listener, this.#webSocket, this.#fetch);
  }

  close(): void {
    this.#webSocket.close();
    this.#fetch.close();
  }
}
