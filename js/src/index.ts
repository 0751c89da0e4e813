// SPDX-License-Identifier: MIT
// What the package offers.
export { BidirectionalStream } from "./bidirectional_stream.js";
export type { CallOptions } from "./call_options.js";
export { Channel } from "./channel.js";
export type { ChannelOptions } from "./channel_options.js";
export { bytesCodec } from "./codecs/bytes_codec.js";
export type { Codec } from "./codecs/codec.js";
export { jsonCodec } from "./codecs/json_codec.js";
export type { Detail } from "./detail.js";
export { Metadata, type MetadataLike, type MetadataValue } from "./metadata.js";
export { ResponseStream } from "./response_stream.js";
export { RpcError, type Origin, type RpcErrorOptions } from "./rpc_error.js";
export type { Socket, SocketConstructor } from "./socket.js";
export { StatusCode } from "./status_code.js";
export type { BackoffOptions } from "./transports/backoff.js";
