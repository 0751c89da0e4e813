// SPDX-License-Identifier: MIT
// ChannelOptions: how a channel reaches its server, and its limits.
import type { Codec } from "./codecs/codec.js";
import type { SocketConstructor } from "./socket.js";
import type { BackoffOptions } from "./transports/backoff.js";

export interface ChannelOptions {
  /**
   * `websocket`: the native protocol over one WebSocket. `fetch`: the Connect protocol, for unary calls and server
   * streams. `automatic`, the default for http and https: a WebSocket if it can be opened, and fetch otherwise.
   */
  transport?: "automatic" | "websocket" | "fetch" | undefined;
  /** For messages whose call names no codec: `json` (the default), `bytes`, or one of `codecs`, or a codec itself. */
  codec?: Codec | string | undefined;
  /** Codecs beside `json`, `bytes` and those of protobuf, or in place of them. The server learns their names. */
  codecs?: readonly Codec[] | undefined;
  /** Milliseconds, for calls that set no timeout; none by default. */
  defaultTimeout?: number | undefined;
  /** The longest message that is received; 64 MiB by default. */
  maxMessageBytes?: number | undefined;
  /** Bytes that the server may send for a call before the application reads them; at least 64 KiB, 1 MiB by default. */
  callCreditBytes?: number | undefined;
  /** The same for all calls of the WebSocket; at least 1 MiB, 16 MiB by default. */
  connectionCreditBytes?: number | undefined;
  /** Calls that may wait for a connection, or for room on it; 100000 by default. */
  maxPendingCalls?: number | undefined;
  /** Milliseconds for one attempt to open a WebSocket and to receive the server's hello; 20000 by default. */
  connectTimeout?: number | undefined;
  /** Milliseconds of silence after which the server is pinged while calls are open; 30000 by default, 0: never. */
  keepaliveInterval?: number | undefined;
  /** Milliseconds of silence after a ping that end the connection; 20000 by default. */
  keepaliveTimeout?: number | undefined;
  backoff?: BackoffOptions | undefined;
  /** In place of the platform's WebSocket, for example the one of the package `ws`. */
  webSocket?: SocketConstructor | undefined;
  /** In place of the platform's fetch. */
  fetch?: typeof fetch | undefined;
  /** Whether fetch sends cookies to other origins. */
  credentials?: RequestCredentials | undefined;
}
