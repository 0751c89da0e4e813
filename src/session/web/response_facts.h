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

/// What content-type says.
enum class ResponseContent : std::uint8_t {
  none,
  /// application/grpc: messages are in the codec of the call.
  of_call,
  /// A type of gRPC, or of the protocols over HTTP at their clients, and a codec.
  of_codec,
  /// Not one of the protocol's.
  other,
};

struct ResponseFacts {
  /// 0: there is none, as in trailers.
  std::uint32_t http_status = 0;
  ResponseContent content = ResponseContent::none;
  /// With of_codec, if the protocol is not gRPC.
  ContentType::Family family{};
  /// With of_codec. Null: this side does not know it.
  const Codec* codec = nullptr;
  /// The type is application/json, as that of Connect's errors, whether this side has the codec or not.
  bool is_json = false;
  /// What grpc-encoding or connect-content-encoding names; null: identity, or an encoding that this side does not know.
  const Compressor* compressor = nullptr;
  /// The same for content-encoding, if the protocol is Connect.
  const Compressor* body_compressor = nullptr;
  /// An encoding of those is neither identity nor known.
  bool has_unknown_encoding = false;
  /// What the peer says it accepts; empty: it does not say.
  std::optional<CompressorSet> accepted;
  std::optional<std::uint64_t> content_length;
  /// From grpc-retry-pushback-ms. Negative: the call must not be repeated.
  std::optional<std::chrono::milliseconds> pushback;
  bool has_status = false;

  /// The content-type of a response over Connect or gRPC-Web.
  void take_content_type(std::string_view value, const CodecRegistry& codecs);
  /// The error of a response that is none of the protocol: a proxy has answered, or a server of something else.
  /// `other_type`: the value of a content-type whose codec is not known, or that is not one of the protocol's.
  Status unlike(ClientProtocol protocol, std::string_view other_type) const;
  /// Ok if the response to a request of that format over Connect or gRPC-Web, in `wanted`, is one of the protocol, and
  /// in the same codec.
  Status check(Format format, const Codec& wanted, std::string_view other_type) const;
};

/// The code for a response without a status of its own (gRPC's http-grpc-status-mapping.md, and Connect's).
StatusCode code_of_http_status(std::uint32_t http_status) noexcept;

}  // namespace trunkline::session::web
