// SPDX-License-Identifier: MIT
// Channel: calls to one server.
import { platformWebSocket } from "#web_socket";
import { BidirectionalStream } from "./bidirectional_stream.js";
import type { CallOptions } from "./call_options.js";
import type { ChannelOptions } from "./channel_options.js";
import { ClientCall, type Codecs } from "./client_call.js";
import { bytesCodec } from "./codecs/bytes_codec.js";
import type { Codec } from "./codecs/codec.js";
import { jsonCodec } from "./codecs/json_codec.js";
import { ResponseStream } from "./response_stream.js";
import { RpcError } from "./rpc_error.js";
import { AutomaticTransport } from "./transports/automatic_transport.js";
import { FetchTransport } from "./transports/fetch_transport.js";
import type { CallKind, Transport } from "./transports/transport.js";
import { WebSocketTransport } from "./transports/web_socket_transport.js";

export class Channel implements Codecs {
  readonly #options: ChannelOptions;
  readonly #codecs = new Map<string, Codec>();
  /** What the server is told; names of codecs that a call may bring are among them. */
  readonly #announced: Set<string>;
  readonly #transport: Transport;

  /**
   * `url`: `https://` or `http://`, or `wss://` or `ws://` for WebSocket alone. Nothing is connected before the first
   * call. Throws TypeError for a URL or an option that makes no sense.
   */
  constructor(url: string | URL, options: ChannelOptions = {}) {
    this.#options = options;
    const { codec, codecs = [] } = options;
    const extra = typeof codec === "object" ? [codec, ...codecs] : codecs;
    for (const known of [jsonCodec, bytesCodec, ...extra]) this.#codecs.set(known.name, known);
    this.#announced = new Set([...this.#codecs.keys(), "msgpack", "protobuf"]);
    this.forRequest(undefined, codec);
    this.#transport = makeTransport(new URL(url), options, [...this.#announced]);
  }

  /** One request and one response. Without a request the call has no message. Throws RpcError. */
  async call<Response = unknown>(method: string, request?: unknown, options?: CallOptions): Promise<Response> {
    const call = this.#start(method, "unary", request, options);
    call.write(request, true).catch(ignore);
    return (await call.only()) as Response;
  }

  /** One request and many responses. */
  serverStream<Response = unknown>(method: string, request?: unknown, options?: CallOptions): ResponseStream<Response> {
    const call = this.#start(method, "server_stream", request, options);
    call.write(request, true).catch(ignore);
    return new ResponseStream(call);
  }

  /** Many requests and one response. Requests are taken from the iterable as they can be sent. Throws RpcError. */
  async clientStream<Response = unknown>(
    method: string,
    requests: Iterable<unknown> | AsyncIterable<unknown>,
    options?: CallOptions,
  ): Promise<Response> {
    const call = this.#start(method, "client_stream", undefined, options);
    void pump(call, requests);
    return (await call.only()) as Response;
  }

  /** Many of both. With `requests` these are sent, and then the end; otherwise by `write` and `closeWrites`. */
  bidirectional<Request = unknown, Response = unknown>(
    method: string,
    requests?: Iterable<Request> | AsyncIterable<Request>,
    options?: CallOptions,
  ): BidirectionalStream<Request, Response> {
    const call = this.#start(method, "bidirectional", undefined, options);
    if (requests) void pump(call, requests);
    return new BidirectionalStream(call);
  }

  /** Ends all calls with `cancelled` and closes the connection. */
  close(): void {
    this.#transport.close();
  }

  /** @internal */
  forRequest(request: unknown, chosen: Codec | string | undefined): Codec {
    const isBytes = request instanceof Uint8Array || request instanceof ArrayBuffer;
    const name = chosen ?? (isBytes ? "bytes" : (this.#options.codec ?? "json"));
    const isObject = typeof name === "object";
    if (isObject && this.#announced.has(name.name)) return name;
    const codec = isObject ? undefined : this.#codecs.get(name);
    if (!codec)
      throw new TypeError(`codec '${isObject ? name.name : name}' is none of ${[...this.#codecs.keys()].join(", ")}`);
    return codec;
  }

  /** @internal */
  async find(name: string): Promise<Codec | undefined> {
    const codec = this.#codecs.get(name);
    if (codec || name !== "msgpack") return codec;
    // A server may choose it for the response of a call without a request. Pages that have no such calls do not load it.
    return (await import("./codecs/message_pack_codec.js")).messagePackCodec;
  }

  #start(method: string, kind: CallKind, request: unknown, options?: CallOptions): ClientCall {
    const timeout = options?.timeout ?? this.#options.defaultTimeout;
    return new ClientCall({ ...options, timeout, method, kind, request, transport: this.#transport, codecs: this });
  }
}

/** The outcome of the call tells what has become of its request. */
function ignore(): void {}

/** Sends all requests. An error of theirs ends the call. */
async function pump(call: ClientCall, requests: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const request of requests) {
      if (call.hasEnded) return;
      await call.write(request, false);
    }
    if (!call.hasEnded) await call.write(undefined, true);
  } catch (error) {
    call.end(RpcError.from(error), 1);
  }
}

function makeTransport(url: URL, options: ChannelOptions, codecs: string[]): Transport {
  const isWebSocket = /^wss?:$/.test(url.protocol);
  if (!isWebSocket && !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`channel ${url}: the scheme is none of https, http, wss, ws`);
  }
  const { transport = isWebSocket ? "websocket" : "automatic" } = options;
  if (isWebSocket && transport !== "websocket")
    throw new TypeError(`channel ${url}: transport ${transport} needs https or http`);
  const maxMessageBytes = options.maxMessageBytes ?? 64 * 2 ** 20;
  const overFetch = (whyNoWebSocket?: () => string | undefined) =>
    new FetchTransport(url.href, {
      fetch: options.fetch ?? fetch,
      credentials: options.credentials,
      maxMessageBytes,
      whyNoWebSocket,
    });
  if (transport === "fetch") return overFetch();
  const socketUrl = url.href.replace(/^http/, "ws");
  const overWebSocket = new WebSocketTransport(socketUrl, {
    socket: options.webSocket ?? platformWebSocket(),
    codecs,
    limits: {
      maxFrameBytes: 2 ** 20,
      maxMessageBytes,
      maxHeaderBytes: 16384,
      connectionCredit: atLeast("connectionCreditBytes", options.connectionCreditBytes ?? 16 * 2 ** 20, 2 ** 20),
      callCredit: atLeast("callCreditBytes", options.callCreditBytes ?? 2 ** 20, 65536),
    },
    backoff: options.backoff,
    maxPendingCalls: options.maxPendingCalls ?? 100000,
    connectTimeout: options.connectTimeout ?? 20000,
    keepaliveInterval: options.keepaliveInterval ?? 30000,
    keepaliveTimeout: options.keepaliveTimeout ?? 20000,
  });
  if (transport === "websocket") return overWebSocket;
  if (transport === "automatic")
    return new AutomaticTransport(
      overWebSocket,
      overFetch(() => overWebSocket.whyNone),
    );
  throw new TypeError(`channel ${url}: transport '${transport}' is none of automatic, websocket, fetch`);
}

function atLeast(name: string, value: number, least: number): number {
  if (value >= least && value < 2 ** 31) return value;
  throw new TypeError(`channel: ${name} ${value} is not within ${least} and 2^31 - 1`);
}
