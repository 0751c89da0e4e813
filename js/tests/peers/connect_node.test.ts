// SPDX-License-Identifier: MIT
// @connectrpc/connect-node against our servers: Connect, gRPC-Web and gRPC.
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import type { Transport } from "@connectrpc/connect";
import { ConnectCalls } from "./connect_calls.js";
import { definePeerTests, type Abilities } from "./peer_tests.js";

interface Variant {
  readonly useBinaryFormat?: boolean;
  readonly sendCompression?: typeof compressionGzip;
}

const variants: Record<string, Variant> = {
  protobuf: {},
  JSON: { useBinaryFormat: false },
  gzip: { sendCompression: compressionGzip },
};

function define(
  name: string,
  requestStreams: Abilities["requestStreams"],
  make: (options: Options) => Transport,
): void {
  for (const [variant, options] of Object.entries(variants)) {
    definePeerTests(`connect-node, ${name}, ${variant}`, { requestStreams }, async (baseUrl) => {
      const sessionManager = new Http2SessionManager(baseUrl);
      const calls = new ConnectCalls(make({ ...options, baseUrl, sessionManager }));
      return {
        run: (method, ...words) => (calls[method] as (...words: unknown[]) => Promise<unknown>)(...words),
        close: async () => sessionManager.abort(),
      };
    });
  }
}

interface Options extends Variant {
  readonly baseUrl: string;
  readonly sessionManager: Http2SessionManager;
}

define("Connect over HTTP/1.1", "half duplex", ({ sessionManager: _, ...options }) =>
  createConnectTransport({ ...options, httpVersion: "1.1" }),
);
define("Connect over HTTP/2", "full duplex", (options) => createConnectTransport({ ...options, httpVersion: "2" }));
define("gRPC-Web over HTTP/1.1", "half duplex", ({ sessionManager: _, ...options }) =>
  createGrpcWebTransport({ ...options, httpVersion: "1.1" }),
);
define("gRPC-Web over HTTP/2", "full duplex", (options) => createGrpcWebTransport({ ...options, httpVersion: "2" }));
define("gRPC", "full duplex", createGrpcTransport);
