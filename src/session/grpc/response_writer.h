// SPDX-License-Identifier: MIT
// ResponseWriter: the header blocks of responses.
#pragma once

#include "base/output_queue.h"
#include "http/hpack/encoder.h"
#include "http/http2/settings.h"
#include "session/session_options.h"
#include "session/web/message_encodings.h"
#include "session/web/response_head.h"
#include "session/web/status_fields.h"

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <array>
#include <cstdint>

namespace trunkline::session::grpc {

/// Owns the encoder of a connection. The two blocks that nearly every response has are encoded once, and sent again as
/// they are while the encoder's table does not change.
class ResponseWriter {
 public:
  /// All references outlive the object.
  ResponseWriter(const web::MessageEncodings& encodings, const http::http2::Settings& peer, base::OutputQueue& output);

  void set_peer_max_table_bytes(std::uint32_t bytes) noexcept { encoder_.set_peer_max_table_bytes(bytes); }

  /// Metadata is what check_sendable() allows. `leading` may be null. Messages may be compressed with `compressor`,
  /// which is null if none will be.
  void write_headers(std::uint32_t stream, const Codec& codec, const Compressor* compressor, const Metadata* leading);
  /// Ends a stream whose headers have been sent. `trailing` may be null. A status is cut to what the peer's
  /// SETTINGS_MAX_HEADER_LIST_SIZE leaves.
  void write_trailers(std::uint32_t stream, const Status& status, const Metadata* trailing);
  /// Writes headers and trailers in one block, for a call without messages. `codec` may be null.
  void write_trailers_only(std::uint32_t stream, std::uint32_t http_status, const Codec* codec, const Status& status,
                           const Metadata* trailing);
  /// Writes the headers of an answer to what is no request of gRPC. `content_bytes` of text follow, unless the stream
  /// ends here. With 405, `allowed` names the methods of HTTP that the path takes.
  void write_refusal(std::uint32_t stream, std::uint32_t http_status, const Status& status, std::string_view allowed,
                     const std::string* cors_origin, std::size_t content_bytes, bool is_end);
  /// Lets a client that waits send its content.
  void write_continue(std::uint32_t stream);
  /// Answers a browser that asks whether a page of the origin may send a request with the headers `wanted`. The answer
  /// ends the stream.
  void write_preflight(std::uint32_t stream, const std::string& origin, std::string_view wanted);
  /// Writes the headers of a response of another protocol, which has no content if `is_end`.
  void write_web_head(std::uint32_t stream, const web::ResponseHead& head, bool is_end);
  /// Returns how many header blocks have been written.
  std::uint64_t blocks() const noexcept { return blocks_; }
  /// Returns the size of a list of fields, as the peer's SETTINGS_MAX_HEADER_LIST_SIZE counts it.
  static std::size_t list_bytes(const Metadata& metadata) noexcept;

 private:
  struct Block {
    const void* key = nullptr;
    std::uint64_t revision = 0;
    std::size_t size = 0;
    std::array<std::byte, 96> bytes;
  };

  class Sink;

  void begin_block();
  void field(std::string_view name, std::string_view value, http::hpack::Indexing indexing);
  void content_type(const Codec& codec);
  void status_fields(const Status& status, const Metadata* trailing);
  void metadata_fields(const Metadata& metadata);
  void write(std::uint32_t stream, ByteSpan block, bool is_end);
  bool resend(const Block& block, const void* key, std::uint32_t stream, bool is_end);
  void keep(Block& block, const void* key, std::uint64_t revision);

  const http::http2::Settings& peer_;
  base::OutputQueue& output_;
  http::hpack::Encoder encoder_;
  const web::MessageEncodings& encodings_;
  web::StatusFields status_;
  /// Holds a value that is encoded for its field.
  BufferWriter value_;
  BufferWriter scratch_;
  /// This is the size of the list of fields in scratch_, as the peer counts it.
  std::size_t block_list_bytes_ = 0;
  BufferWriter frames_;
  std::uint64_t blocks_ = 0;
  Block web_head_;
  Block headers_;
  Block trailers_;
};

}  // namespace trunkline::session::grpc
