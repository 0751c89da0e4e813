// SPDX-License-Identifier: MIT
// BidirectionalStream: requests and responses of one call, each in order.
import { ResponseStream } from "./response_stream.js";

export class BidirectionalStream<Request, Response> extends ResponseStream<Response> {
  /** Fulfilled when there is room for more: it waits while the server does not read. Throws if the call has ended. */
  write(request: Request): Promise<void> {
    return this.call.write(request, false);
  }

  /** There are no more requests. */
  async closeWrites(): Promise<void> {
    if (!this.call.hasEnded) await this.call.write(undefined, true);
  }
}
