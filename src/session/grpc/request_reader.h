// SPDX-License-Identifier: MIT
// RequestReader: header blocks to what they say of a call.
#pragma once

#include "base/clock.h"
#include "http/hpack/decoder.h"
#include "session/compressor_set.h"
#include "session/grpc/block_cache.h"
#include "session/grpc/message_encodings.h"
#include "session/grpc/metadata_reader.h"
#include "session/session_options.h"

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::grpc {

/// What the headers of a call say, without names and metadata.
struct RequestHead {
  /// The client's number for the method; 0 if it has none.
  std::uint32_t method_number = 0;
  const Codec* codec = nullptr;
  /// What grpc-encoding names; null: identity.
  const Compressor* compressor = nullptr;
  CompressorSet accepted;
  std::optional<base::Duration> timeout;
  std::optional<std::uint64_t> content_length;
};

/// The headers of a call. Reused for every call; the views are valid until the next block is read.
struct Request : RequestHead {
  std::string_view method;
  Metadata metadata;
};

/// Owns the decoder of a connection.
class RequestReader {
 public:
  enum class Outcome : std::uint8_t {
    request,
    /// A request that is refused: http_status() and status() say how.
    refused,
    /// Not a request at all: a stream error of the type PROTOCOL_ERROR.
    malformed,
    /// error() ends the connection with COMPRESSION_ERROR.
    failed,
  };

  /// Both outlive the object.
  RequestReader(const SessionOptions& options, const MessageEncodings& encodings);

  Outcome read(ByteSpan block);
  /// Reads a block that nobody wants, or trailers. `malformed` only if they are trailers and not valid as such.
  Outcome read_trailers(ByteSpan block);
  /// As read_trailers(), but whatever the block has is right.
  Outcome skip(ByteSpan block);

  Request& request() noexcept { return request_; }
  std::uint32_t http_status() const noexcept { return http_status_; }
  const Status& status() const noexcept { return status_; }
  /// The method of a number that a request has had.
  std::string_view method_of(std::uint32_t number) const noexcept { return methods_[number - 1]; }
  std::size_t held_bytes() const noexcept { return method_bytes_; }
  /// What was refused is a request of gRPC. Otherwise its sender expects an answer of plain HTTP.
  bool is_grpc() const noexcept { return is_post_ && has_grpc_type_; }
  /// What was refused asks for the headers of an answer alone.
  bool is_head() const noexcept { return is_head_; }
  std::string_view error() const noexcept { return to_string(decoder_.error()); }

 private:
  Outcome decode(ByteSpan block);
  bool take(const http::hpack::Field& field);
  void take_path(const http::hpack::Field& field);
  bool take_content_length(std::string_view value);
  void take_content_type(const http::hpack::Field& field);
  void take_metadata(const http::hpack::Field& field);
  void refuse(std::uint32_t http_status, StatusCode code, std::string_view text);

  const SessionOptions& options_;
  const MessageEncodings& encodings_;
  http::hpack::Decoder decoder_;
  BlockCache<RequestHead> cache_;
  Request request_;
  MetadataReader metadata_;
  std::string path_;
  /// The method of a path that is percent-encoded.
  BufferWriter decoded_method_;
  /// By number, from 1: those of paths that are in a table, are right, short, and not percent-encoded.
  std::vector<std::string> methods_;
  std::size_t method_bytes_ = 0;
  bool has_content_type_ = false;
  bool has_grpc_type_ = false;
  bool is_post_ = false;
  bool is_head_ = false;
  std::uint32_t http_status_ = 200;
  Status status_;
};

}  // namespace trunkline::session::grpc
