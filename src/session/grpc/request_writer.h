// SPDX-License-Identifier: MIT
// RequestWriter: the header blocks of requests.
#pragma once

#include "base/clock.h"
#include "base/output_queue.h"
#include "http/hpack/encoder.h"
#include "http/http2/settings.h"
#include "session/session.h"
#include "session/session_options.h"
#include "session/web/format.h"
#include "session/web/message_encodings.h"

#include <trunkline/codec.h>
#include <trunkline/metadata.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::grpc {

/// Holds what the headers of a call say.
struct RequestHeaders {
  web::Format format = web::Format::grpc;
  /// The query of a GET stands behind the path, from the '?' on. It is empty for a POST.
  std::string_view query{};
  MethodRef method;
  const Codec* codec = nullptr;
  /// Messages, or the body, may be compressed with this; it is null if none is compressed.
  const Compressor* compressor = nullptr;
  std::optional<base::Duration> timeout;
  std::uint32_t previous_attempts = 0;
  /// The metadata is what check_sendable() allows, and may be null.
  const Metadata* metadata = nullptr;
};

/// Owns the encoder of a connection. The fields that all calls of a method share are encoded once, and sent again as
/// they are while the encoder's table does not change. Nothing is evicted from the table, so it soon stops changing.
class RequestWriter {
 public:
  /// All references outlive the object.
  RequestWriter(const SessionOptions& options, const web::MessageEncodings& encodings, bool is_encrypted,
                const http::http2::Settings& peer, base::OutputQueue& output);

  void set_peer_max_table_bytes(std::uint32_t bytes) noexcept { encoder_.set_peer_max_table_bytes(bytes); }
  void write_headers(std::uint32_t stream, const RequestHeaders& headers);
  /// Headers of the method have been written, so its name is valid. Returns false as well if they are not kept.
  bool knows(const MethodRef& method) const noexcept {
    return method.key > 0 && method.key < blocks_.size() && blocks_[method.key].codec != nullptr;
  }

 private:
  /// Holds the fields that all calls of one method share. The position is the key of the method.
  struct Block {
    web::Format format = web::Format::grpc;
    const Codec* codec = nullptr;
    const Compressor* compressor = nullptr;
    std::uint64_t revision = 0;
    std::uint8_t size = 0;
    std::array<std::byte, 46> bytes;
  };
  static constexpr std::size_t max_blocks = 1024;

  void common_fields(const RequestHeaders& headers);
  void web_fields(const RequestHeaders& headers);
  void repeated(std::string_view name, std::string_view value);
  void write(std::uint32_t stream, ByteSpan block, bool is_end = false);

  const SessionOptions& options_;
  const std::string_view scheme_;
  const http::http2::Settings& peer_;
  base::OutputQueue& output_;
  http::hpack::Encoder encoder_;
  const web::MessageEncodings& encodings_;
  bool has_timeout_name_ = false;
  std::vector<Block> blocks_;
  /// Holds a value that is encoded for its field.
  BufferWriter value_;
  BufferWriter scratch_;
  BufferWriter frames_;
};

}  // namespace trunkline::session::grpc
