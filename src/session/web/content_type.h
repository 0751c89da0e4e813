// SPDX-License-Identifier: MIT
// The header content-type of calls over HTTP: which family of protocols it belongs to, and which codec it names.
#pragma once

#include "session/web/format.h"

#include <trunkline/codec.h>
#include <trunkline/slice.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::session::web {

/// What gRPC and Connect call the codec "protobuf".
inline constexpr std::string_view protobuf_subtype = "proto";

struct ContentType {
  enum class Family : std::uint8_t {
    /// application/grpc, application/grpc+NAME
    grpc,
    /// application/grpc-web, application/grpc-web+NAME
    grpc_web,
    /// application/grpc-web-text, application/grpc-web-text+NAME
    grpc_web_text,
    /// application/connect+NAME
    connect,
    /// application/NAME
    body,
    /// What pages of any site may send: application/x-www-form-urlencoded, which curl sends, and text/plain. The body
    /// is taken for JSON.
    form,
  };

  Family family = Family::body;
  /// In the case in which it came. "proto" for gRPC's types without one.
  std::string_view subtype;
};

/// Parameters are ignored, but a charset must be UTF-8. Empty if the type is of no family: the answer to such a request
/// is the HTTP status 415.
std::optional<ContentType> read_content_type(std::string_view text) noexcept;

/// gRPC's media type, without the name of a codec.
inline constexpr std::string_view media_type = "application/grpc";
/// The subtype of a type of gRPC's own family, whatever its charset. Empty: it is another one.
std::optional<std::string_view> subtype_of_content_type(std::string_view text) noexcept;

/// The codec of a subtype of gRPC, gRPC-Web and Connect's streams, in any case. Null if the registry has none.
const Codec* find_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept;
/// The codec of a body: as find_codec(), and by the other names that media types have for it, such as octet-stream.
const Codec* find_body_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept;

/// The subtype of JSON, in any case.
bool is_json(std::string_view subtype) noexcept;
/// What content types call the codec.
std::string_view subtype_of(const Codec& codec) noexcept;
/// Appends the type of responses that are not errors, such as "application/grpc+proto".
void append_content_type(Format format, const Codec& codec, BufferWriter& out);

}  // namespace trunkline::session::web
