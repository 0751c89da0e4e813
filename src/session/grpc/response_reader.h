// SPDX-License-Identifier: MIT
// ResponseReader: header blocks to what they say of a response.
#pragma once

#include "http/hpack/decoder.h"
#include "http/http2/header_rules.h"
#include "session/compressor_set.h"
#include "session/grpc/block_cache.h"
#include "session/grpc/message_encodings.h"
#include "session/grpc/metadata_reader.h"
#include "session/session_options.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::session::grpc {

/// What content-type says.
enum class ResponseContent : std::uint8_t {
  none,
  /// application/grpc: messages are in the codec of the call.
  of_call,
  /// application/grpc and a codec.
  of_codec,
  /// Not gRPC's.
  other,
};

/// What a block says, without metadata.
struct ResponseHead {
  /// 0: the block has none, as trailers.
  std::uint32_t http_status = 0;
  ResponseContent content = ResponseContent::none;
  /// With of_codec. Null: this side does not know it.
  const Codec* codec = nullptr;
  /// What grpc-encoding names; null: identity, or an encoding that this side does not know.
  const Compressor* compressor = nullptr;
  /// What grpc-accept-encoding names; empty: the block has none.
  std::optional<CompressorSet> accepted;
  std::optional<std::uint64_t> content_length;
  /// From grpc-retry-pushback-ms. Negative: the call must not be repeated.
  std::optional<std::chrono::milliseconds> pushback;
  bool has_status = false;
};

/// One block, headers or trailers. Reused for every block.
struct Response : ResponseHead {
  Metadata metadata;
};

/// Owns the decoder of a connection.
class ResponseReader {
 public:
  using Section = http::http2::HeaderRules::Section;
  enum class Outcome : std::uint8_t {
    response,
    /// Not a response at all: a stream error of the type PROTOCOL_ERROR.
    malformed,
    /// The call ends with status(), because the block exceeds a limit or has a field that is wrong.
    refused,
    /// error() ends the connection with COMPRESSION_ERROR.
    failed,
  };

  /// Both outlive the object.
  ResponseReader(const SessionOptions& options, const MessageEncodings& encodings);

  Outcome read(ByteSpan block, Section section);
  /// A block that nobody wants.
  Outcome skip(ByteSpan block);

  Response& response() noexcept { return response_; }
  /// After `refused`: why. Otherwise, if the block has grpc-status: that, with its message and details.
  const Status& status() const noexcept { return status_; }
  /// Of content that is not gRPC's, or whose codec is not known, for errors.
  const std::string& other_content_type() const noexcept { return content_type_; }
  std::string_view error() const noexcept { return to_string(decoder_.error()); }

 private:
  /// What a block means that has neither metadata nor an error.
  struct Meaning {
    Section section{};
    ResponseHead head;
  };

  Outcome decode(ByteSpan block, Section section);
  bool take(const http::hpack::Field& field);
  bool take_content_length(std::string_view value);
  void take_content_type(const http::hpack::Field& field);
  void take_pushback(std::string_view value);
  void make_status();

  const SessionOptions& options_;
  const MessageEncodings& encodings_;
  http::hpack::Decoder decoder_;
  BlockCache<Meaning> cache_;
  Response response_;
  MetadataReader metadata_;
  Status status_;
  Status refusal_;
  std::string content_type_;
  std::string code_;
  BufferWriter message_;
  BufferWriter details_;
};

}  // namespace trunkline::session::grpc
