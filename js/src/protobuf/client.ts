// SPDX-License-Identifier: MIT
// Client: the methods of a service from a definition, with the types of their messages.
import type {
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
} from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { GenService } from "@bufbuild/protobuf/codegenv2";
import type { BidirectionalStream } from "../bidirectional_stream.js";
import type { CallOptions } from "../call_options.js";
import type { Channel } from "../channel.js";
import type { ResponseStream } from "../response_stream.js";
import { protobufCodec, type ProtobufCodecOptions } from "./protobuf_codec.js";

type Requests<Input extends DescMessage> = Iterable<MessageInitShape<Input>> | AsyncIterable<MessageInitShape<Input>>;

export type ClientMethod<Method> =
  Method extends DescMethodUnary<infer Input, infer Output>
    ? (request: MessageInitShape<Input>, options?: CallOptions) => Promise<MessageShape<Output>>
    : Method extends DescMethodServerStreaming<infer Input, infer Output>
      ? (request: MessageInitShape<Input>, options?: CallOptions) => ResponseStream<MessageShape<Output>>
      : Method extends DescMethodClientStreaming<infer Input, infer Output>
        ? (requests: Requests<Input>, options?: CallOptions) => Promise<MessageShape<Output>>
        : Method extends DescMethodBiDiStreaming<infer Input, infer Output>
          ? (
              requests?: Requests<Input>,
              options?: CallOptions,
            ) => BidirectionalStream<MessageInitShape<Input>, MessageShape<Output>>
          : never;

/** One function for each method, by its name with a small first letter. */
export type Client<Service extends DescService> =
  Service extends GenService<infer _Methods>
    ? { [Name in keyof Service["method"]]: ClientMethod<Service["method"][Name]> }
    : never;

/** Of NO_SIDE_EFFECTS and IDEMPOTENT in google.protobuf.MethodOptions. */
const noSideEffects = 1;
const idempotent = 2;

/** A client of a service that protoc-gen-es has generated. Its calls are as idempotent as the definition says. */
export function createClient<Service extends DescService>(
  service: Service,
  channel: Channel,
  options?: ProtobufCodecOptions,
): Client<Service> {
  const methods = service.methods.map((method) => [method.localName, clientMethod(method, channel, options)]);
  return Object.fromEntries(methods) as Client<Service>;
}

function clientMethod(method: DescMethod, channel: Channel, codecOptions?: ProtobufCodecOptions): unknown {
  const name = `${method.parent.typeName}/${method.name}`;
  const defaults: CallOptions = {
    codec: protobufCodec(method.input, method.output, codecOptions),
    noSideEffects: method.idempotency === noSideEffects,
    idempotent: method.idempotency === idempotent || method.idempotency === noSideEffects,
  };
  switch (method.methodKind) {
    case "unary":
      return (request: unknown, options?: CallOptions) =>
        channel.call(name, request ?? {}, { ...defaults, ...options });
    case "server_streaming":
      return (request: unknown, options?: CallOptions) =>
        channel.serverStream(name, request ?? {}, { ...defaults, ...options });
    case "client_streaming":
      return (requests: Iterable<unknown>, options?: CallOptions) =>
        channel.clientStream(name, requests, { ...defaults, ...options });
    case "bidi_streaming":
      return (requests?: Iterable<unknown>, options?: CallOptions) =>
        channel.bidirectional(name, requests, { ...defaults, ...options });
  }
}
