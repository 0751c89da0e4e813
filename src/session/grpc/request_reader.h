// SPDX-License-Identifier: MIT
// RequestReader: header blocks to what they say of a call, of gRPC or of another protocol over HTTP.
#pragma once

#include "base/clock.h"
#include "http/hpack/decoder.h"
#include "session/compressor_set.h"
#include "session/grpc/block_cache.h"
#include "session/session_options.h"
#include "session/web/call_head_reader.h"
#include "session/web/message_encodings.h"
#include "session/web/metadata_reader.h"
#include "session/web/response_head.h"
#include "session/web/route_finder.h"

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
  web::Format format = web::Format::grpc;
  /// Of other protocols than gRPC: the request was a GET.
  bool is_get = false;
  /// The client waits for a word before it sends the content (RFC 9110, section 10.1.1).
  bool expects_continue = false;
  /// web::CallHead::cors_origin.
  const std::string* cors_origin = nullptr;
};

/// The headers of a call. Reused for every call; the views are valid until the next block is read.
struct Request : RequestHead {
  std::string_view method;
  Metadata metadata;
  /// The message of a GET, compressed with `compressor`.
  std::optional<Slice> message;
};

/// Owns the decoder of a connection.
class RequestReader {
 public:
  enum class Outcome : std::uint8_t {
    request,
    /// A request that is refused: http_status() and status() say how. Or one that is answered by what
    /// preflight_origin() says.
    refused,
    /// Not a request at all: a stream error of the type PROTOCOL_ERROR.
    malformed,
    /// error() ends the connection with COMPRESSION_ERROR.
    failed,
  };

  /// All outlive the object. `owner` knows the routes.
  RequestReader(const SessionOptions& options, const web::MessageEncodings& encodings, SessionOwner& owner);

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
  /// In which form the sender of what was refused expects the answer, with which codec. Empty: a text for people.
  const std::optional<web::Format>& answer_format() const noexcept { return answer_format_; }
  const Codec* answer_codec() const noexcept { return answer_codec_; }
  /// Of what was refused with 405: the methods of HTTP that its path takes.
  std::string_view allowed() const noexcept {
    return route_ == web::RouteFinder::Outcome::not_allowed ? std::string_view(routes_.allowed()) : allowed_;
  }
  /// After `refused`: not null if the request is a question of a browser, and this the answer
  /// (CallHeadReader::preflight_origin()).
  const std::string* preflight_origin() const noexcept { return preflight_origin_; }
  std::string_view preflight_headers() const noexcept {
    return web_.value(web::FieldName::access_control_request_headers);
  }
  /// Of what was refused: as web::CallHead::cors_origin.
  const std::string* cors_origin() const noexcept { return web_.cors_origin(); }
  /// The request asks for the headers of an answer alone. Not for requests whose block is known.
  bool is_head() const noexcept { return verb_ == "HEAD"; }
  std::string_view error() const noexcept { return to_string(decoder_.error()); }

 private:
  Outcome decode(ByteSpan block);
  void refuse_host();
  void refuse_http_method();
  void end_grpc();
  void end_web();
  void end_route();
  void find_route();
  bool take(const http::hpack::Field& field);
  void take_path(const http::hpack::Field& field);
  bool take_host(std::string_view value);
  bool take_content_length(std::string_view value);
  void take_content_type(const http::hpack::Field& field);
  void take_metadata(std::string_view name, std::string_view value);
  void refuse(std::uint32_t http_status, StatusCode code, std::string_view text);

  const SessionOptions& options_;
  const web::MessageEncodings& encodings_;
  http::hpack::Decoder decoder_;
  BlockCache<RequestHead> cache_;
  Request request_;
  web::MetadataReader metadata_;
  std::string path_;
  /// The method of a path that is percent-encoded.
  BufferWriter decoded_method_;
  /// By number, from 1: those of paths that are in a table, are right, short, and not percent-encoded.
  std::vector<std::string> methods_;
  std::size_t method_bytes_ = 0;
  /// Reads what gRPC does not know.
  web::CallHeadReader web_;
  web::RouteFinder routes_;
  /// Of the request, once its pseudo-fields have been read.
  web::RouteFinder::Outcome route_ = web::RouteFinder::Outcome::none;
  bool has_looked_for_route_ = false;
  bool has_unknown_expectation_ = false;
  /// The fields of the request as they are, if there is a route for it.
  Metadata route_fields_;
  /// SessionOwner::routes_version() when cache_ was filled.
  std::uint64_t routes_version_ = 0;
  SessionOwner& owner_;
  std::string verb_;
  /// That of Host, if the request has no other.
  std::string authority_;
  bool has_content_type_ = false;
  bool has_grpc_type_ = false;
  bool is_path_right_ = false;
  /// Of a request that is refused with 405 and has no route.
  std::string_view allowed_;
  /// status_ is about a field that only gRPC and gRPC-Web have.
  bool is_about_grpc_ = false;
  std::optional<web::Format> answer_format_;
  const Codec* answer_codec_ = nullptr;
  const std::string* preflight_origin_ = nullptr;
  std::uint32_t http_status_ = 200;
  Status status_;
};

}  // namespace trunkline::session::grpc
