// SPDX-License-Identifier: MIT
// Messages and services of @bufbuild/protobuf, which this part of the package needs.
export { createClient, type Client } from "./client.js";
export { findDetails } from "./find_details.js";
export { protobufCodec, type ProtobufCodecOptions } from "./protobuf_codec.js";
