// SPDX-License-Identifier: MIT
// NativeEvent: what a session has learned from its peer.
import type { Detail } from "../detail.js";
import type { StatusCode } from "../status_code.js";
import type { Hello } from "./hello.js";
import type { NativeCall } from "./native_call.js";

export interface NativeMessage {
  readonly call: NativeCall;
  /** Undefined: a message without encoding, which is empty. */
  readonly codec: string | undefined;
  readonly bytes: Uint8Array;
  /** Bytes of the connection's and of the call's credit that come back when it is taken. */
  readonly connectionCost: number;
  readonly callCost: number;
}

export interface NativeStatus {
  readonly code: StatusCode;
  readonly text: string;
  readonly details: readonly Detail[];
  readonly metadata: [string, Uint8Array][];
  /** No handler has seen the call. */
  readonly isUnprocessed: boolean;
  /** The peer has said so; false: this side has found it. */
  readonly isFromPeer: boolean;
}

export type NativeEvent =
  | { readonly type: "hello"; readonly hello: Hello }
  /** Leading metadata. */
  | { readonly type: "metadata"; readonly call: NativeCall; readonly metadata: [string, Uint8Array][] }
  /** Its credit comes back when it is handed to `NativeSession.take`. */
  | { readonly type: "message"; readonly call: NativeCall; readonly message: NativeMessage }
  /** The call is closed. */
  | { readonly type: "finish"; readonly call: NativeCall; readonly status: NativeStatus }
  | { readonly type: "pong"; readonly value: Uint8Array }
  /** The peer takes no further calls; those that it has not processed have been finished by events before this one. */
  | { readonly type: "goaway"; readonly code: number; readonly reason: string }
  /** The peer broke the protocol. What is left to send ends with a goaway; nothing more is received. */
  | { readonly type: "broken"; readonly code: number; readonly reason: string };
