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

/// gRPC and Connect call the codec "protobuf" by this name.
inline constexpr std::string_view protobuf_subtype = "proto";

struct ContentType {
  enum class Family : std::uint8_t {
    /// The type is application/grpc or application/grpc+NAME.
    grpc,
    /// The type is application/grpc-web or application/grpc-web+NAME.
    grpc_web,
    /// The type is application/grpc-web-text or application/grpc-web-text+NAME.
    grpc_web_text,
    /// The type is application/connect+NAME.
    connect,
    /// The type is application/NAME.
    body,
    /// Pages of any site may send these types: application/x-www-form-urlencoded, which curl sends, and text/plain. The
    /// body is taken for JSON.
    form,
  };

  Family family = Family::body;
  /// The subtype is in the case in which it came. It is "proto" for gRPC's types without one.
  std::string_view subtype;
};

/// Reads a content-type. Parameters are ignored, but a charset must be UTF-8. Returns nothing if the type is of no
/// family: the answer to such a request is the HTTP status 415.
std::optional<ContentType> read_content_type(std::string_view text) noexcept;

/// This is gRPC's media type, without the name of a codec.
inline constexpr std::string_view media_type = "application/grpc";
/// Returns the subtype of a type of gRPC's own family, whatever its charset, and nothing for other types.
std::optional<std::string_view> subtype_of_content_type(std::string_view text) noexcept;

/// Returns the codec of a subtype of gRPC, gRPC-Web and Connect's streams, in any case, or null if there is none.
const Codec* find_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept;
/// Returns the codec of a body as find_codec() does, and by other names of media types for it, such as octet-stream.
const Codec* find_body_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept;

/// Returns true for the subtype of JSON, in any case.
bool is_json(std::string_view subtype) noexcept;
/// Returns the name by which content types call the codec.
std::string_view subtype_of(const Codec& codec) noexcept;
/// Appends the type of responses that are not errors, such as "application/grpc+proto".
void append_content_type(Format format, const Codec& codec, BufferWriter& out);

}  // namespace trunkline::session::web
