// SPDX-License-Identifier: MIT
// The clients for browsers, in a page.
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Calls } from "./calls.js";
import { ConnectCalls } from "./connect_calls.js";
import { GrpcWebCalls } from "./grpc_web_calls.js";

const baseUrl = globalThis.location.origin;

const clients = {
  "connect-web, Connect, JSON": () => new ConnectCalls(createConnectTransport({ baseUrl })),
  "connect-web, Connect, protobuf, GET": () =>
    new ConnectCalls(createConnectTransport({ baseUrl, useBinaryFormat: true, useHttpGet: true })),
  "connect-web, gRPC-Web, protobuf": () => new ConnectCalls(createGrpcWebTransport({ baseUrl, useBinaryFormat: true })),
  "connect-web, gRPC-Web, JSON": () => new ConnectCalls(createGrpcWebTransport({ baseUrl, useBinaryFormat: false })),
  "grpc-web, text": () => new GrpcWebCalls(baseUrl, "text"),
  "grpc-web, binary": () => new GrpcWebCalls(baseUrl, "binary"),
};

export type ClientName = keyof typeof clients;

export async function run(client: ClientName, name: keyof Calls, words: unknown[]): Promise<unknown> {
  const calls = clients[client]() as unknown as Record<string, (...words: unknown[]) => Promise<unknown>>;
  return calls[name](...words);
}
