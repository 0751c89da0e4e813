// SPDX-License-Identifier: MIT
// The header content-type of gRPC: application/grpc, with the name of a codec behind '+'.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/slice.h>

#include <optional>
#include <string_view>

namespace trunkline::session::grpc {

inline constexpr std::string_view media_type = "application/grpc";
/// What gRPC calls the codec "protobuf".
inline constexpr std::string_view protobuf_subtype = "proto";

/// The subtype in a content type: "proto" for "application/grpc" alone, else what stands behind '+', in the case in
/// which it came. Parameters are ignored. Empty if the type is not gRPC's: the answer to such a request is the HTTP
/// status 415. application/grpc-web is another protocol.
std::optional<std::string_view> subtype_of_content_type(std::string_view content_type) noexcept;

/// The codec of a subtype, in any case. Null if the registry has none.
const Codec* find_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept;

/// Appends "application/grpc+proto", or "application/grpc+" and the name of another codec.
void append_content_type(const Codec& codec, BufferWriter& out);

}  // namespace trunkline::session::grpc
