// SPDX-License-Identifier: MIT
// Transport: how calls get to a server and back; and the two sides of a call that it connects.
import type { Metadata } from "../metadata.js";
import type { RpcError } from "../rpc_error.js";

export type CallKind = "unary" | "server_stream" | "client_stream" | "bidirectional";

export interface CallStart {
  readonly method: string;
  readonly kind: CallKind;
  readonly metadata: Metadata;
  /** The name of the codec of the messages; each message in its own, where the transport can do that. */
  readonly codec: string;
  /** On the clock of `performance.now()`; undefined: none. */
  readonly deadline: number | undefined;
  readonly waitForReady?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly noSideEffects?: boolean | undefined;
}

export interface IncomingMessage {
  /** Undefined: a message without encoding, which is empty. */
  readonly codec: string | undefined;
  readonly bytes: Uint8Array;
  /** To be called once, when the application takes the message or drops it. */
  readonly take: () => void;
}

/** What a transport calls back. Nothing is called after `onEnd`, or after `TransportCall.cancel`. */
export interface CallListener {
  /** At most once, before the first message. */
  onLeadingMetadata(metadata: Metadata): void;
  onMessage(message: IncomingMessage): void;
  /** Undefined: the call has ended well. */
  onEnd(error: RpcError | undefined, trailingMetadata: Metadata): void;
}

export interface TransportCall {
  /** Sends a message, the end of the messages, or both. Fulfilled when there is room for more or the call has ended. */
  write(bytes: Uint8Array | undefined, codec: string, end: boolean): Promise<void>;
  /** Code 1: cancelled. Code 4: deadline_exceeded. */
  cancel(code: 1 | 4): void;
}

export interface Transport {
  start(start: CallStart, listener: CallListener): TransportCall;
  /** Ends all calls with `cancelled`; none can be started any more. */
  close(): void;
}
