// SPDX-License-Identifier: MIT
// LiveCall: one call of the page, of any kind, from its first request to its status.
import type { Channel } from "../../../src/channel.js";
import type { Detail } from "../../../src/detail.js";
import { Metadata } from "../../../src/metadata.js";
import { RpcError, type Origin } from "../../../src/rpc_error.js";
import { toJson } from "../forms/json_text.js";
import type { MethodDescriptor } from "../schema/descriptors.js";
import { RequestQueue } from "./request_queue.js";
import { textCodec } from "./text_codec.js";

export interface Outcome {
  /** `ok`, or the name of an error's code. */
  code: string;
  text: string;
  details: readonly Detail[];
  leadingMetadata: Metadata;
  trailingMetadata: Metadata;
  origin: Origin | undefined;
  mayHaveRun: boolean;
  /** Milliseconds from the start of the call. */
  duration: number;
}

export interface LiveCallListener {
  /** `json` is its text; `after` are the milliseconds from the start of the call. */
  onMessage(direction: "sent" | "received", json: string, after: number): void;
  onLeadingMetadata(metadata: Metadata): void;
  onEnd(outcome: Outcome): void;
}

export interface LiveCallOptions {
  metadata: [string, string][];
  /** Milliseconds. */
  timeout: number | undefined;
}

export class LiveCall {
  readonly #method: MethodDescriptor;
  readonly #listener: LiveCallListener;
  readonly #started = performance.now();
  readonly #controller = new AbortController();
  readonly #queue = new RequestQueue();
  #leading = new Metadata();
  #trailing = new Metadata();
  #hasEnded = false;
  #hasEndedWrites = false;

  /** Starts the call. `request`: its JSON, for methods with one request; undefined: none. */
  constructor(
    channel: Channel,
    method: MethodDescriptor,
    request: string | undefined,
    options: LiveCallOptions,
    listener: LiveCallListener,
  ) {
    this.#method = method;
    this.#listener = listener;
    void this.#run(channel, request, options);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get takesRequests(): boolean {
    return !this.#hasEnded && !this.#hasEndedWrites;
  }

  /** A further request of a stream. */
  send(json: string): void {
    this.#queue.add(this.#encoded(json));
    this.#listener.onMessage("sent", json, this.#after());
  }

  closeWrites(): void {
    this.#hasEndedWrites = true;
    this.#queue.end();
  }

  cancel(): void {
    this.#controller.abort();
    this.#queue.end();
  }

  async #run(channel: Channel, request: string | undefined, options: LiveCallOptions): Promise<void> {
    const { kind, path } = this.#method;
    try {
      const callOptions = {
        codec: this.#method.codec === "bytes" ? "bytes" : textCodec,
        metadata: options.metadata,
        timeout: options.timeout,
        signal: this.#controller.signal,
        onLeadingMetadata: (metadata: Metadata) => {
          this.#leading = metadata;
          this.#listener.onLeadingMetadata(metadata);
        },
        onTrailingMetadata: (metadata: Metadata) => (this.#trailing = metadata),
      };
      if (kind === "unary" || kind === "server_stream") {
        const encoded = request === undefined ? undefined : this.#encoded(request);
        if (request !== undefined) this.#listener.onMessage("sent", request, this.#after());
        if (kind === "unary") this.#receive(await channel.call(path, encoded, callOptions));
        else for await (const each of channel.serverStream(path, encoded, callOptions)) this.#receive(each);
      } else if (kind === "client_stream") this.#receive(await channel.clientStream(path, this.#queue, callOptions));
      else for await (const each of channel.bidirectional(path, this.#queue, callOptions)) this.#receive(each);
      this.#end(undefined);
    } catch (error) {
      this.#end(RpcError.from(error));
    }
  }

  #receive(message: unknown): void {
    if (message === undefined) return;
    const json =
      message instanceof Uint8Array ? bytesAsJson(message) : typeof message === "string" ? message : toJson(message);
    this.#listener.onMessage("received", json, this.#after());
  }

  #encoded(json: string): unknown {
    if (this.#method.codec !== "bytes") return json;
    return Uint8Array.from(atob(String(JSON.parse(json)).replace(/-/g, "+").replace(/_/g, "/")), (each) =>
      each.charCodeAt(0),
    );
  }

  #end(error: RpcError | undefined): void {
    this.#hasEnded = true;
    this.#queue.end();
    this.#listener.onEnd({
      code: error?.codeName ?? "ok",
      text: error?.text ?? "",
      details: error?.details ?? [],
      leadingMetadata: this.#leading,
      trailingMetadata: error?.trailingMetadata.size ? error.trailingMetadata : this.#trailing,
      origin: error?.origin,
      mayHaveRun: error?.mayHaveRun ?? true,
      duration: this.#after(),
    });
  }

  #after(): number {
    return performance.now() - this.#started;
  }
}

/** Bytes as text if they are text, or else in base64. */
function bytesAsJson(bytes: Uint8Array): string {
  try {
    return JSON.stringify(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return JSON.stringify(btoa(String.fromCharCode(...bytes)));
  }
}
