// SPDX-License-Identifier: MIT
// FetchCall: one call of the Connect protocol over fetch (connectrpc.com/docs/protocol).
import { encodeBase64Url } from "../connect/base64.js";
import { codeOfHttpStatus, connectError } from "../connect/connect_error.js";
import { EnvelopeReader, encodeEnvelope, malformed } from "../connect/envelope_reader.js";
import { appendMetadata, metadataOf } from "../connect/header_metadata.js";
import { Metadata } from "../metadata.js";
import { RpcError } from "../rpc_error.js";
import { StatusCode } from "../status_code.js";
import { decodeAnyText } from "../text.js";
import type { CallListener, CallStart, TransportCall } from "./transport.js";

export interface FetchOptions {
  readonly fetch: typeof fetch;
  readonly credentials: RequestCredentials | undefined;
  readonly maxMessageBytes: number;
  /** Why calls that could go over a WebSocket do not; it is told with errors of the connection. */
  readonly whyNoWebSocket: (() => string | undefined) | undefined;
}

/** A request with a longer URL is sent by POST: servers and proxies limit URLs. */
const maxUrlBytes = 4096;
const none = new Uint8Array();

export class FetchCall implements TransportCall {
  readonly #url: string;
  readonly #start: CallStart;
  readonly #options: FetchOptions;
  readonly #listener: CallListener;
  readonly #onEnded: () => void;
  readonly #abort = new AbortController();
  #hasEnded = false;

  constructor(url: string, start: CallStart, options: FetchOptions, listener: CallListener, onEnded: () => void) {
    this.#url = url;
    this.#start = start;
    this.#options = options;
    this.#listener = listener;
    this.#onEnded = onEnded;
  }

  /** The one request. */
  async write(bytes: Uint8Array | undefined, codec: string): Promise<void> {
    if (this.#hasEnded) return;
    this.#run(bytes ?? none, codec).catch((error) => {
      if (error instanceof RpcError) return this.fail(error);
      // In Node the error itself says no more than "fetch failed".
      const text = `call ${this.#start.method}: ${error?.cause?.message || (error?.message ?? error)}`;
      this.fail(new RpcError(StatusCode.unavailable, text, { origin: "transport", cause: error }));
    });
  }

  cancel(): void {
    if (this.#end()) this.#abort.abort();
  }

  fail(error: RpcError): void {
    if (!this.#end()) return;
    this.#abort.abort();
    const reason = error.origin === "transport" && this.#options.whyNoWebSocket?.();
    this.#listener.onEnd(reason ? error.with({ text: `${error.text}; ${reason}` }) : error, error.trailingMetadata);
  }

  /** False if it has ended already. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#onEnded();
    return (this.#hasEnded = true);
  }

  #succeed(trailingMetadata: Metadata): void {
    if (this.#end()) this.#listener.onEnd(undefined, trailingMetadata);
  }

  async #run(bytes: Uint8Array, codec: string): Promise<void> {
    const { kind, metadata, deadline, noSideEffects } = this.#start;
    const headers = new Headers();
    appendMetadata(headers, metadata);
    if (deadline !== undefined) headers.set("connect-timeout-ms", String(timeLeft(deadline)));
    const init: RequestInit = { headers, signal: this.#abort.signal };
    if (this.#options.credentials) init.credentials = this.#options.credentials;
    const subtype = codec === "protobuf" ? "proto" : codec;
    const query = kind === "unary" && noSideEffects ? queryOf(subtype, bytes) : "";
    let url = this.#url;
    if (query && url.length + query.length <= maxUrlBytes) {
      url += query;
    } else {
      init.method = "POST";
      init.body = (kind === "unary" ? bytes : encodeEnvelope(bytes)) as Uint8Array<ArrayBuffer>;
      headers.set("content-type", kind === "unary" ? `application/${subtype}` : `application/connect+${subtype}`);
      headers.set("connect-protocol-version", "1");
    }
    const response = await this.#options.fetch.call(globalThis, url, init);
    if (this.#hasEnded) return;
    const type = (response.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
    const body = new EnvelopeReader(response.body, this.#options.maxMessageBytes);
    const trailingMetadata = kind === "unary" ? metadataOf(response.headers, "trailer-") : new Metadata();
    if (response.status !== 200) await this.#failByStatus(response, type, body, trailingMetadata);
    else if (kind === "unary") await this.#receiveUnary(response, type, body, trailingMetadata);
    else await this.#receiveStream(response, type, body);
  }

  async #receiveUnary(
    response: Response,
    type: string,
    body: EnvelopeReader,
    trailingMetadata: Metadata,
  ): Promise<void> {
    const codec = codecOf(type, "application/");
    const bytes = await body.whole();
    if (this.#hasEnded) return;
    this.#listener.onLeadingMetadata(metadataOf(response.headers));
    this.#listener.onMessage({
      // JSON and MessagePack have no empty messages: there is none.
      codec: bytes.length || !/^(json|msgpack)$/.test(codec) ? codec : undefined,
      bytes,
      take: () => {},
    });
    this.#succeed(trailingMetadata);
  }

  async #receiveStream(response: Response, type: string, body: EnvelopeReader): Promise<void> {
    const codec = codecOf(type, "application/connect+");
    this.#listener.onLeadingMetadata(metadataOf(response.headers));
    for (let envelope = await body.next(); envelope && !this.#hasEnded; envelope = await body.next()) {
      const { isEnd, bytes } = envelope;
      if (isEnd) return this.#endStream(bytes);
      // The next message is not read before the application has taken this one, so that a slow reader slows the server.
      await new Promise<void>((take) => this.#listener.onMessage({ codec, bytes, take }));
    }
    if (!this.#hasEnded) throw malformed("the stream has no end").with({ origin: "transport" });
  }

  #endStream(bytes: Uint8Array): void {
    let end: { error?: unknown; metadata?: Record<string, string[]> };
    try {
      end = JSON.parse(decodeAnyText(bytes));
      const pairs = Object.entries(end.metadata ?? {}).flatMap(([name, values]) =>
        values.map((value) => [name, value] as const),
      );
      const trailingMetadata = metadataOf(pairs);
      if (end.error) return this.fail(connectError(Object(end.error), StatusCode.unknown, trailingMetadata));
      this.#succeed(trailingMetadata);
    } catch {
      throw malformed("the end of the stream is not JSON as Connect has it");
    }
  }

  async #failByStatus(
    response: Response,
    type: string,
    body: EnvelopeReader,
    trailingMetadata: Metadata,
  ): Promise<void> {
    this.#listener.onLeadingMetadata(metadataOf(response.headers));
    const fallback = codeOfHttpStatus(response.status);
    const text = decodeAnyText(await body.whole().catch(() => none));
    let json: object | null = null;
    try {
      if (type === "application/json") json = Object(JSON.parse(text));
    } catch {
      // The status says what there is to say.
    }
    if (json) return this.fail(connectError(json, fallback, trailingMetadata));
    const message = `call ${this.#start.method}: HTTP status ${response.status}`;
    this.fail(new RpcError(fallback, message, { trailingMetadata, origin: "transport" }));
  }
}

function timeLeft(deadline: number): number {
  return Math.min(9999999999, Math.max(0, Math.ceil(deadline - performance.now())));
}

/** The codec that a content type names. */
function codecOf(type: string, prefix: string): string {
  const isStream = type.startsWith("application/connect+");
  if (!type.startsWith(prefix) || isStream !== prefix.endsWith("+")) {
    throw new RpcError(StatusCode.unknown, `receive message: content type '${type}' is not one of Connect`, {
      origin: "transport",
    });
  }
  const subtype = type.slice(prefix.length);
  return subtype === "proto" ? "protobuf" : subtype;
}

function queryOf(subtype: string, bytes: Uint8Array): string {
  const isText = subtype === "json";
  const message = isText ? encodeURIComponent(decodeAnyText(bytes)) : encodeBase64Url(bytes);
  return `?connect=v1&encoding=${subtype}${isText ? "" : "&base64=1"}&message=${message}`;
}
