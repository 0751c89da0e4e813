// SPDX-License-Identifier: MIT
// ResponseReader: reads from header blocks what they say of a response.
#pragma once

#include "http/hpack/decoder.h"
#include "http/http2/header_rules.h"
#include "session/grpc/block_cache.h"
#include "session/session_options.h"
#include "session/web/client_protocol.h"
#include "session/web/message_encodings.h"
#include "session/web/metadata_reader.h"
#include "session/web/response_facts.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::session::grpc {

using web::ClientProtocol;
using web::ResponseContent;

/// Holds one block, headers or trailers. The object is reused for every block.
struct Response : web::ResponseFacts {
  Metadata metadata;
};

/// Owns the decoder of a connection.
class ResponseReader {
 public:
  using Section = http::http2::HeaderRules::Section;
  enum class Outcome : std::uint8_t {
    response,
    /// The block is no response at all, which is a stream error of the type PROTOCOL_ERROR.
    malformed,
    /// The call ends with status(), because the block exceeds a limit or has a field that is wrong.
    refused,
    /// error() ends the connection with COMPRESSION_ERROR.
    failed,
  };

  /// All references outlive the object.
  ResponseReader(const SessionOptions& options, const web::MessageEncodings& encodings,
                 ClientProtocol protocol = ClientProtocol::grpc);

  Outcome read(ByteSpan block, Section section);
  /// Returns true for a known block of trailers that say ok and nothing else. It then needs no read().
  bool is_usual_end(ByteSpan block) const noexcept;
  /// Reads a block that nobody wants.
  Outcome skip(ByteSpan block);

  Response& response() noexcept { return response_; }
  /// Returns why a block was `refused`, or else the status in grpc-status, with its message and details.
  const Status& status() const noexcept { return status_; }
  /// Returns, for errors, a content-type that is not gRPC's, or whose codec is not known.
  const std::string& other_content_type() const noexcept { return content_type_; }
  std::string_view error() const noexcept { return to_string(decoder_.error()); }

 private:
  /// Holds the meaning of a block that has neither metadata nor an error.
  struct Meaning {
    Section section{};
    web::ResponseFacts head;
  };

  Outcome decode(ByteSpan block, Section section);
  bool take(const http::hpack::Field& field);
  bool take_content_length(std::string_view value);
  void take_content_type(const http::hpack::Field& field);
  void take_web_content_type(std::string_view value);
  const Compressor* compressor_of(std::string_view name);

  const SessionOptions& options_;
  const web::MessageEncodings& encodings_;
  const ClientProtocol protocol_;
  http::hpack::Decoder decoder_;
  BlockCache<Meaning> cache_;
  Response response_;
  web::MetadataReader metadata_;
  Status status_;
  Status refusal_;
  std::string content_type_;
  std::string code_;
  BufferWriter message_;
  BufferWriter details_;
};

}  // namespace trunkline::session::grpc
