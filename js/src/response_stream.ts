// SPDX-License-Identifier: MIT
// ResponseStream: the responses of a call, in order, as they are read.
import type { ClientCall } from "./client_call.js";
import type { Metadata } from "./metadata.js";

/**
 * To be read with `for await`, once. Leaving the loop early cancels the call. What is not read is bounded by flow
 * control. Throws RpcError after the responses if the call has not ended well.
 */
export class ResponseStream<Response> implements AsyncIterableIterator<Response> {
  protected readonly call: ClientCall;

  constructor(call: ClientCall) {
    this.call = call;
  }

  async next(): Promise<IteratorResult<Response, undefined>> {
    const next = await this.call.next();
    return next ? { value: next.value as Response, done: false } : { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Response, undefined>> {
    this.call.cancel();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  cancel(): void {
    this.call.cancel();
  }

  /** What the server sent before its first response. */
  get leadingMetadata(): Promise<Metadata> {
    return this.call.leadingMetadata;
  }

  /** What the server sent with the status; empty until the call has ended. */
  get trailingMetadata(): Metadata {
    return this.call.trailingMetadata;
  }
}
