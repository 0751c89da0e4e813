// SPDX-License-Identifier: MIT
// A client of the conformance service over fetch, for connectconformance: each ClientCompatRequest on standard input,
// behind its length in four bytes, is a call to make, and is answered in the same form on standard output.
// tests/conformance/run compiles it, with what it generates of the definitions.
import { create, createRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { Channel, RpcError, type CallOptions, type Metadata, type MetadataValue } from "../../src/index.js";
import { createClient } from "../../src/protobuf/index.js";
import {
  ClientCompatRequestSchema,
  ClientCompatResponseSchema,
  ClientResponseResultSchema,
  type ClientCompatRequest,
  type ClientCompatResponse,
  type ClientResponseResult,
} from "../generated/connectrpc/conformance/v1/client_compat_pb.js";
import { Codec } from "../generated/connectrpc/conformance/v1/config_pb.js";
import {
  ConformancePayloadSchema,
  ConformanceService,
  ErrorSchema,
  file_connectrpc_conformance_v1_service,
  HeaderSchema,
  type ConformancePayload,
  type Header,
} from "../generated/connectrpc/conformance/v1/service_pb.js";

const registry = createRegistry(file_connectrpc_conformance_v1_service);

function metadataOf(headers: readonly Header[]): [string, MetadataValue][] {
  return headers.flatMap(({ name, value }) =>
    value.map((text): [string, MetadataValue] => [
      name,
      name.toLowerCase().endsWith("-bin") ? Buffer.from(text, "base64") : text,
    ]),
  );
}

/** A header for each name. */
function headersOf(metadata: Metadata): Header[] {
  return [...new Set([...metadata].map(([name]) => name))].map((name) => {
    const value = metadata
      .getAll(name)
      .map((each) => (typeof each === "string" ? each : Buffer.from(each).toString("base64").replace(/=+$/, "")));
    return create(HeaderSchema, { name, value });
  });
}

/** What has come of a call. */
async function call(request: ClientCompatRequest): Promise<ClientResponseResult> {
  const channel = new Channel(`http://${request.host}:${request.port}`, {
    transport: "fetch",
    maxMessageBytes: request.messageReceiveLimit || undefined,
  });
  const encoding = request.codec === Codec.JSON ? "json" : "protobuf";
  const client = createClient(ConformanceService, channel, { encoding, registry });
  const result = create(ClientResponseResultSchema);
  const controller = new AbortController();
  const options: CallOptions = {
    metadata: metadataOf(request.requestHeaders),
    timeout: request.timeoutMs,
    signal: controller.signal,
    noSideEffects: request.useGetHttpMethod,
    onLeadingMetadata: (metadata) => (result.responseHeaders = headersOf(metadata)),
    onTrailingMetadata: (metadata) => (result.responseTrailers = headersOf(metadata)),
  };
  const { cancel } = request;
  const take = (payload: ConformancePayload | undefined) => {
    result.payloads.push(payload ?? create(ConformancePayloadSchema));
    const isEnough = cancel?.cancelTiming.case === "afterNumResponses";
    if (isEnough && cancel.cancelTiming.value === result.payloads.length) controller.abort();
  };
  const messageOf = <Shape>(kind: { kind: "message" }, at = 0) =>
    anyUnpack(request.requestMessages[at], kind as typeof ClientCompatRequestSchema) as unknown as Shape;

  await new Promise((done) => setTimeout(done, request.requestDelayMs));
  if (cancel && cancel.cancelTiming.case !== "afterNumResponses") {
    setTimeout(
      () => controller.abort(),
      cancel.cancelTiming.case === "afterCloseSendMs" ? cancel.cancelTiming.value : 0,
    );
  }
  try {
    const { unary, idempotentUnary, serverStream, unimplemented } = ConformanceService.method;
    switch (request.method) {
      case unary.name:
        take((await client.unary(messageOf(unary.input), options)).payload);
        break;
      case idempotentUnary.name:
        take((await client.idempotentUnary(messageOf(idempotentUnary.input), options)).payload);
        break;
      case unimplemented.name:
        await client.unimplemented(messageOf(unimplemented.input), options);
        break;
      case serverStream.name:
        for await (const { payload } of client.serverStream(messageOf(serverStream.input), options)) take(payload);
        break;
      default:
        throw new Error(`fetch cannot call ${request.method}`);
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const details = error.details.map((detail) => create(AnySchema, detail));
    result.error = create(ErrorSchema, { code: error.code, message: error.text, details });
  } finally {
    channel.close();
  }
  return result;
}

async function answer(request: ClientCompatRequest): Promise<ClientCompatResponse> {
  const { testName } = request;
  try {
    return create(ClientCompatResponseSchema, { testName, result: { case: "response", value: await call(request) } });
  } catch (error) {
    return create(ClientCompatResponseSchema, {
      testName,
      result: { case: "error", value: { message: String(error) } },
    });
  }
}

function write(response: ClientCompatResponse): void {
  const bytes = toBinary(ClientCompatResponseSchema, response);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  process.stdout.write(Buffer.concat([length, bytes]));
}

let input = Buffer.alloc(0);
for await (const part of process.stdin) {
  input = Buffer.concat([input, part as Buffer]);
  while (input.length >= 4 && input.length - 4 >= input.readUInt32BE()) {
    const end = 4 + input.readUInt32BE();
    void answer(fromBinary(ClientCompatRequestSchema, input.subarray(4, end))).then(write);
    input = input.subarray(end);
  }
}
