// SPDX-License-Identifier: MIT
// NativeConnection: one WebSocket, with the session that speaks over it, and its timers.
import type { NativeEvent } from "../native/native_event.js";
import { NativeSession, type NativeSessionOptions } from "../native/native_session.js";
import { onNextTurn } from "../next_turn.js";
import type { Socket } from "../socket.js";

export const subprotocol = "trunkline.v1";
/** What may wait in the socket; the rest waits in the session, where short messages pass long ones. */
const maxBufferedBytes = 256 * 1024;
const outputBytes = 64 * 1024;
const maxFlushes = 8;

export interface NativeConnectionOptions {
  readonly session: NativeSessionOptions;
  /** Milliseconds until the server's hello must have come. */
  readonly connectTimeout: number;
  /** Milliseconds of silence after which the server is pinged while calls are open; 0: never. */
  readonly keepaliveInterval: number;
  /** Milliseconds of silence after a ping that end the connection. */
  readonly keepaliveTimeout: number;
}

export interface NativeConnectionListener {
  /** What has happened, in order. */
  onEvents(connection: NativeConnection, events: NativeEvent[]): void;
  /** The connection is lost; called once, unless this side has closed it. */
  onLost(connection: NativeConnection, reason: string): void;
}

export class NativeConnection {
  readonly session: NativeSession;
  readonly #socket: Socket;
  readonly #options: NativeConnectionOptions;
  readonly #listener: NativeConnectionListener;
  #isOpen = false;
  #isClosed = false;
  #isFlushing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastInput = 0;
  #pingedAt: number | undefined;
  #drainDelay = 1;
  /** How often it was flushed without a turn of the event loop that is known of. */
  #flushes = 0;

  constructor(socket: Socket, options: NativeConnectionOptions, listener: NativeConnectionListener) {
    this.session = new NativeSession(options.session);
    this.#socket = socket;
    this.#options = options;
    this.#listener = listener;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      if (socket.protocol !== subprotocol) return this.#lose(`the server has not agreed on ${subprotocol}`, 1002);
      this.#isOpen = true;
      this.flush();
    };
    socket.onmessage = (event: { data: unknown }) => this.#receive(event.data);
    socket.onclose = (event: { code?: number; reason?: string }) => {
      this.#lose(`the WebSocket was closed (${event.code})${event.reason ? `: ${event.reason}` : ""}`);
    };
    socket.onerror = (event: { message?: string }) => this.#lose(event.message || "the WebSocket has failed");
    this.#timer = setTimeout(
      () => this.#lose(`no hello within connectTimeout ${options.connectTimeout}`),
      options.connectTimeout,
    );
  }

  /** Sends what the session has to send, soon: what is written in one turn of the event loop goes together. */
  flush(): void {
    if (this.#isFlushing || !this.#isOpen) return;
    this.#isFlushing = true;
    if (++this.#flushes <= maxFlushes) queueMicrotask(() => this.#flush());
    else {
      // A writer that is woken by each flush would keep the event loop from everything else, input included.
      onNextTurn(() => {
        this.#flushes = 0;
        this.#flush();
      });
    }
  }

  /** Says goodbye and closes; the listener is not called any more. */
  close(): void {
    if (this.#isClosed) return;
    this.session.goAway(0, "");
    if (this.#isOpen) this.#socket.send(this.session.takeOutput(0, performance.now()));
    this.#end(1000);
  }

  #flush(): void {
    this.#isFlushing = false;
    while (!this.#isClosed) {
      if (this.#socket.bufferedAmount > maxBufferedBytes) {
        // There is no event that tells when the socket has room.
        this.#isFlushing = true;
        setTimeout(() => this.#flush(), this.#drainDelay);
        this.#drainDelay = Math.min(2 * this.#drainDelay, 50);
        return;
      }
      const output = this.session.takeOutput(outputBytes, performance.now());
      if (!output.length) break;
      this.#socket.send(output);
    }
    this.#drainDelay = 1;
    this.#watch();
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
    if (!(bytes instanceof Uint8Array)) return this.#lose("the server has sent text", 1003);
    this.#lastInput = performance.now();
    this.#pingedAt = undefined;
    this.#flushes = 0;
    const wasReady = this.session.isReady;
    const events = this.session.receive(bytes);
    if (this.session.isReady && !wasReady) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#listener.onEvents(this, events);
    if (this.#isClosed) return;
    const broken = events.find((event) => event.type === "broken");
    if (broken) {
      this.#socket.send(this.session.takeOutput(0, performance.now()));
      return this.#lose(`the server broke the protocol: ${broken.reason}`, 1002);
    }
    this.flush();
  }

  /** Pings the server when it has been silent, as long as calls are open. */
  #watch(): void {
    const { keepaliveInterval, keepaliveTimeout } = this.#options;
    if (this.#timer || this.#isClosed || !keepaliveInterval || !this.session.openCalls) return;
    const due = this.#pingedAt === undefined ? this.#lastInput + keepaliveInterval : this.#pingedAt + keepaliveTimeout;
    this.#timer = setTimeout(() => this.#onSilence(due), Math.max(1, due - performance.now()));
  }

  #onSilence(due: number): void {
    this.#timer = undefined;
    const { keepaliveInterval, keepaliveTimeout } = this.#options;
    const now = performance.now();
    if (!this.session.openCalls) {
      this.#pingedAt = undefined;
    } else if (this.#pingedAt !== undefined) {
      if (now >= due) return this.#lose(`no answer to a ping within keepaliveTimeout ${keepaliveTimeout}`);
    } else if (now >= this.#lastInput + keepaliveInterval) {
      this.#pingedAt = now;
      this.session.ping(new Uint8Array(8));
      this.flush();
    }
    this.#watch();
  }

  #lose(reason: string, code?: number): void {
    if (this.#isClosed) return;
    this.#end(code);
    this.#listener.onLost(this, reason);
  }

  #end(code?: number): void {
    this.#isClosed = true;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    // Browsers let a page name only 1000 and codes from 3000 on.
    this.#socket.close(code === undefined || code === 1000 ? code : 3000 + code);
  }
}
