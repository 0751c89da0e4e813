// SPDX-License-Identifier: MIT
// protobufCodec: messages of two schemas, in protobuf's binary encoding or in its JSON.
import { create, fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import type { DescMessage, MessageInitShape, Registry } from "@bufbuild/protobuf";
import type { Codec } from "../codecs/codec.js";

export interface ProtobufCodecOptions {
  /** `protobuf` by default. */
  encoding?: "protobuf" | "json" | undefined;
  /** JSON: the messages that google.protobuf.Any may hold, and extensions. */
  registry?: Registry | undefined;
}

/** Encodes messages of `input`, or what they are made of; decodes messages of `output`. */
export function protobufCodec(input: DescMessage, output: DescMessage, options: ProtobufCodecOptions = {}): Codec {
  const { encoding = "protobuf", registry } = options;
  const made = (message: unknown) => create(input, message as MessageInitShape<DescMessage>);
  if (encoding === "protobuf") {
    return {
      name: encoding,
      encode: (message) => toBinary(input, made(message)),
      decode: (bytes) => fromBinary(output, bytes),
    };
  }
  const json = registry ? { registry } : {};
  return {
    name: encoding,
    encode: (message) => new TextEncoder().encode(toJsonString(input, made(message), json)),
    decode: (bytes) => fromJsonString(output, new TextDecoder().decode(bytes), { ...json, ignoreUnknownFields: true }),
  };
}
