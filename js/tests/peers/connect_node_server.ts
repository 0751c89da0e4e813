// SPDX-License-Identifier: MIT
// ConnectNodeServer: a server of @connectrpc/connect-node, over HTTP/1.1 or over HTTP/2 without TLS.
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Service } from "../generated/connect_service_pb.js";

function repeatMetadata({ requestHeader, responseHeader, responseTrailer }: HandlerContext): void {
  for (const [name, value] of requestHeader) {
    if (!name.startsWith("x-")) continue;
    responseHeader.set(name, value);
    responseTrailer.set(name, value);
  }
}

function routes(router: ConnectRouter): void {
  router.service(Service, {
    echo(request, context) {
      repeatMetadata(context);
      return request;
    },
    look: (request, context) => ({ value: `${context.requestMethod} ${request.value}` }),
    fail(request, context) {
      repeatMetadata(context);
      throw new ConnectError(request.value, Code.Aborted);
    },
    async wait(request) {
      await setTimeout(Number(request.value));
      return request;
    },
    async *count(request) {
      for (let number = 0n; number < request.value; ++number) yield { value: number };
      throw new ConnectError("café", Code.OutOfRange);
    },
    async total(requests) {
      let value = 0n;
      for await (const request of requests) value += request.value;
      return { value };
    },
    async *double(requests) {
      const all = [];
      for await (const request of requests) all.push(request.value);
      for (const value of all) yield { value: 2n * value };
    },
  });
}

export class ConnectNodeServer {
  readonly #server: http.Server | http2.Http2Server;
  readonly #sessions = new Set<http2.ServerHttp2Session>();

  private constructor(server: http.Server | http2.Http2Server) {
    this.#server = server;
    server.on("session", (session: http2.ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
    });
  }

  static async start(version: "HTTP/1.1" | "HTTP/2"): Promise<ConnectNodeServer> {
    const handler = connectNodeAdapter({ routes });
    const server =
      version === "HTTP/2" ? http2.createServer(handler) : http.createServer({ keepAliveTimeout: 1000 }, handler);
    const started = new ConnectNodeServer(server);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return started;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    if (this.#server instanceof http.Server) this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
