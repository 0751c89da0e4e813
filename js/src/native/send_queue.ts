// SPDX-License-Identifier: MIT
// SendQueue: which call sends the next frame. Calls take turns; only a few send a long message at a time.
import type { NativeCall } from "./native_call.js";

/** A message of at least so many bytes is long. */
const longBytes = 32768;

export class SendQueue {
  /** Calls that have something to send, in the order of their turns. */
  readonly #ready = new Set<NativeCall>();
  /** Calls whose long message waits for others. */
  readonly #waiting = new Set<NativeCall>();
  /** Calls that send a long message, with what their initial credit was. */
  readonly #long = new Map<NativeCall, number>();
  #longCredit = 0;
  readonly #maxLongCredit: () => number;

  /** `maxLongCredit`: what the initial credits of calls that send long messages may amount to. */
  constructor(maxLongCredit: () => number) {
    this.#maxLongCredit = maxLongCredit;
  }

  /** A call has got something to send, or credit. */
  add(call: NativeCall): void {
    if (call.outgoing.length && !this.#waiting.has(call)) this.#ready.add(call);
  }

  /** The call whose turn it is. */
  next(): NativeCall | undefined {
    for (const call of this.#ready) {
      const size = call.outgoing[0].bytes?.length ?? 0;
      if (call.sentOfFirst !== undefined || size < longBytes || this.#long.has(call)) return call;
      if (this.#long.size && this.#longCredit + call.sendCredit > this.#maxLongCredit()) {
        this.#ready.delete(call);
        this.#waiting.add(call);
        continue;
      }
      this.#long.set(call, call.sendCredit);
      this.#longCredit += call.sendCredit;
      return call;
    }
    return undefined;
  }

  /** The call has sent a frame. */
  turn(call: NativeCall): void {
    if (call.sentOfFirst === undefined) this.#leave(call);
    this.#ready.delete(call);
    this.add(call);
  }

  /** The call has no credit until `add` is called for it. */
  block(call: NativeCall): void {
    this.#ready.delete(call);
    // The server's application takes its time with earlier messages of this call: others do not wait for that.
    if (call.sentMessages) this.#leave(call);
  }

  remove(call: NativeCall): void {
    this.#ready.delete(call);
    this.#waiting.delete(call);
    this.#leave(call);
  }

  #leave(call: NativeCall): void {
    const credit = this.#long.get(call);
    if (credit === undefined) return;
    this.#long.delete(call);
    this.#longCredit -= credit;
    for (const other of this.#waiting) this.#ready.add(other);
    this.#waiting.clear();
  }
}
