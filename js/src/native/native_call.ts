// SPDX-License-Identifier: MIT
// NativeCall: what a session knows of one call in both directions.
import type { MessageAssembly } from "./message_assembly.js";

/** A message that waits to be sent. */
export interface OutgoingMessage {
  /** Undefined: there is no message, only the end. */
  readonly bytes: Uint8Array | undefined;
  readonly codec: number;
  readonly end: boolean;
  readonly onSent: (() => void) | undefined;
}

export interface NativeCallRequest {
  readonly method: string;
  readonly metadata: [string, Uint8Array][];
  /** On the clock of the session; undefined: none. */
  readonly deadline: number | undefined;
}

export class NativeCall {
  readonly request: NativeCallRequest;
  /** 0 until its first frame has been sent: only then does a call take an id, so that ids rise. */
  id = 0;
  isClosed = false;

  readonly outgoing: OutgoingMessage[] = [];
  /** How much of the first of them has been sent; undefined: it has not begun. */
  sentOfFirst: number | undefined;
  sentMessages = 0;
  sendCredit = 0;
  hasEnded = false;

  receiveCredit: number;
  dueCredit = 0;
  /** Credit that is not granted because its message has no room. */
  withheldCredit = 0;
  assembly: MessageAssembly | undefined;
  hasReceived = false;
  peerHasEnded = false;

  constructor(request: NativeCallRequest, receiveCredit: number) {
    this.request = request;
    this.receiveCredit = receiveCredit;
  }
}
