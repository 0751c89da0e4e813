// SPDX-License-Identifier: MIT
// ResponseFacts: what the fields of a response say to a client, without metadata.
#pragma once

#include "session/compressor_set.h"
#include "session/web/client_protocol.h"
#include "session/web/content_type.h"
#include "session/web/format.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::session::web {

/// Says what the content-type of a response is.
enum class ResponseContent : std::uint8_t {
  none,
  /// The type is application/grpc: messages are in the codec of the call.
  of_call,
  /// The type is one of gRPC, or one of the protocols over HTTP at their clients, and names a codec.
  of_codec,
  /// The type is not one of the protocol's.
  other,
};

struct ResponseFacts {
  /// The status is 0 if there is none, as in trailers.
  std::uint32_t http_status = 0;
  ResponseContent content = ResponseContent::none;
  /// The family is known with of_codec, if the protocol is not gRPC.
  ContentType::Family family{};
  /// The codec is known with of_codec. It is null if this side does not know it.
  const Codec* codec = nullptr;
  /// The type is application/json, as that of Connect's errors, whether this side has the codec or not.
  bool is_json = false;
  /// grpc-encoding or connect-content-encoding names this. It is null for identity, and for an encoding not known here.
  const Compressor* compressor = nullptr;
  /// content-encoding names this, if the protocol is Connect. It is null in the same cases as `compressor`.
  const Compressor* body_compressor = nullptr;
  /// One of these encodings is neither identity nor known.
  bool has_unknown_encoding = false;
  /// The peer says that it accepts these. It is empty if the peer does not say.
  std::optional<CompressorSet> accepted;
  std::optional<std::uint64_t> content_length;
  /// This comes from grpc-retry-pushback-ms. If it is negative, the call must not be repeated.
  std::optional<std::chrono::milliseconds> pushback;
  bool has_status = false;

  /// Takes the content-type of a response over Connect or gRPC-Web.
  void take_content_type(std::string_view value, const CodecRegistry& codecs);
  /// Returns the error of a response that is none of the protocol: a proxy has answered, or a server of something else.
  /// `other_type` is the value of a content-type whose codec is not known, or that is not one of the protocol's.
  Status unlike(ClientProtocol protocol, std::string_view other_type) const;
  /// Returns ok if the response to a request of that format over Connect or gRPC-Web, in the codec `wanted`, is one of
  /// the protocol, and in the same codec.
  Status check(Format format, const Codec& wanted, std::string_view other_type) const;
};

/// Returns the code for a response without a status of its own (gRPC's http-grpc-status-mapping.md, and Connect's).
StatusCode code_of_http_status(std::uint32_t http_status) noexcept;

}  // namespace trunkline::session::web
