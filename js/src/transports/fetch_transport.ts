// SPDX-License-Identifier: MIT
// FetchTransport: calls in the Connect protocol over fetch: unary ones and server streams.
import { RpcError } from "../rpc_error.js";
import { StatusCode } from "../status_code.js";
import { FetchCall, type FetchOptions } from "./fetch_call.js";
import type { CallListener, CallStart, Transport, TransportCall } from "./transport.js";

export class FetchTransport implements Transport {
  readonly #baseUrl: string;
  readonly #options: FetchOptions;
  readonly #calls = new Set<FetchCall>();
  #isClosed = false;

  constructor(baseUrl: string, options: FetchOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#options = options;
  }

  start(start: CallStart, listener: CallListener): TransportCall {
    const url = `${this.#baseUrl}/${start.method.split("/").map(encodeURIComponent).join("/")}`;
    const call = new FetchCall(url, start, this.#options, listener, () => this.#calls.delete(call));
    this.#calls.add(call);
    if (this.#isClosed) call.fail(new RpcError(StatusCode.cancelled, "the channel is closed", { mayHaveRun: false }));
    else if (start.kind === "client_stream" || start.kind === "bidirectional") {
      const text = `call ${start.method}: a stream of requests needs a WebSocket, which fetch cannot replace`;
      call.fail(new RpcError(StatusCode.unimplemented, text, { mayHaveRun: false }));
    }
    return call;
  }

  /** Whether the server answers over HTTP, or a proxy for it that does not say that the server is away. */
  async isReachable(): Promise<boolean> {
    try {
      const { status } = await this.#options.fetch.call(globalThis, this.#baseUrl, { method: "HEAD" });
      return status < 500;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#calls) call.fail(new RpcError(StatusCode.cancelled, "the channel is closed"));
  }
}
