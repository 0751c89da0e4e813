// SPDX-License-Identifier: MIT
// RequestReader: reads from header blocks what they say of a call, of gRPC or of another protocol over HTTP.
#pragma once

#include "base/clock.h"
#include "http/hpack/decoder.h"
#include "session/compressor_set.h"
#include "session/grpc/block_cache.h"
#include "session/session_options.h"
#include "session/user_agent.h"
#include "session/web/call_head_reader.h"
#include "session/web/message_encodings.h"
#include "session/web/metadata_reader.h"
#include "session/web/response_head.h"
#include "session/web/route_finder.h"

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::grpc {

/// Holds what the headers of a call say, without names and metadata.
struct RequestHead {
  /// This is the client's number for the method, or 0 if it has none.
  std::uint32_t method_number = 0;
  const Codec* codec = nullptr;
  /// The request is compressed with this; it is null for identity.
  const Compressor* compressor = nullptr;
  CompressorSet accepted;
  std::optional<base::Duration> timeout;
  std::optional<std::uint64_t> content_length;
  web::Format format = web::Format::grpc;
  /// The request, of another protocol than gRPC, was a GET.
  bool is_get = false;
  /// The client waits for 100 (Continue) before it sends the content (RFC 9110, section 10.1.1).
  bool expects_continue = false;
  /// This is the number of the user-agent (KnownUserAgents), or 0 if the request has none.
  std::uint8_t user_agent = 0;
  /// This is web::CallHead::cors_origin.
  const std::string* cors_origin = nullptr;
};

/// Holds the headers of a call. The object is reused for every call; its views are valid until the next block is read.
struct Request : RequestHead {
  std::string_view method;
  Metadata metadata;
  /// This is the message of a GET, compressed with `compressor`.
  std::optional<Slice> message;
};

/// Owns the decoder of a connection.
class RequestReader {
 public:
  enum class Outcome : std::uint8_t {
    request,
    /// The request is refused, as http_status() and status() say. If preflight_origin() is not null, the request is
    /// answered with what that says instead.
    refused,
    /// The block is no request at all, which is a stream error of the type PROTOCOL_ERROR.
    malformed,
    /// error() ends the connection with COMPRESSION_ERROR.
    failed,
  };

  /// All references outlive the object. `owner` knows the routes.
  RequestReader(const SessionOptions& options, const web::MessageEncodings& encodings, SessionOwner& owner);

  Outcome read(ByteSpan block);
  /// Reads trailers, or a block that nobody wants. Returns `malformed` if it is not valid as trailers.
  Outcome read_trailers(ByteSpan block);
  /// Reads a block that nobody wants, whatever fields it has.
  Outcome skip(ByteSpan block);

  Request& request() noexcept { return request_; }
  std::uint32_t http_status() const noexcept { return http_status_; }
  const Status& status() const noexcept { return status_; }
  /// Returns the method of a number that a request has had.
  std::string_view method_of(std::uint32_t number) const noexcept { return methods_[number - 1]; }
  /// Returns the user-agent of the request that was read last; null if it has none. It is valid until the next block is
  /// read.
  const UserAgent* user_agent() const noexcept { return user_agents_.of(request_.user_agent); }
  std::size_t held_bytes() const noexcept { return method_bytes_ + user_agents_.held_bytes(); }
  /// The sender of a refused request expects the answer in this form and codec. Without a form it is a text for people.
  const std::optional<web::Format>& answer_format() const noexcept { return answer_format_; }
  const Codec* answer_codec() const noexcept { return answer_codec_; }
  /// Returns, for a request that was refused with 405, the methods of HTTP that its path takes.
  std::string_view allowed() const noexcept {
    return route_ == web::RouteFinder::Outcome::not_allowed ? std::string_view(routes_.allowed()) : allowed_;
  }
  /// After `refused`, returns the origin to which a browser's question is answered, or null if the request is no such
  /// question (CallHeadReader::preflight_origin()).
  const std::string* preflight_origin() const noexcept { return preflight_origin_; }
  std::string_view preflight_headers() const noexcept {
    return web_.value(web::FieldName::access_control_request_headers);
  }
  /// Returns, for a request that was refused, what web::CallHead::cors_origin is for others.
  const std::string* cors_origin() const noexcept { return web_.cors_origin(); }
  /// The request is HEAD, and asks for the headers of an answer alone. This is not known for requests of known blocks.
  bool is_head() const noexcept { return verb_ == "HEAD"; }
  std::string_view error() const noexcept { return to_string(decoder_.error()); }

 private:
  /// Names what may be wrong with a field. The order of the checks is fixed, whatever the order of the fields: first
  /// the method of HTTP, then the content type, then the path, then the others as they stand here.
  enum class Fault : std::uint8_t { content_type, timeout, encoding, metadata, count };
  struct Refusal {
    std::uint32_t http_status = 200;
    Status status;
  };

  static constexpr std::uint8_t bit(Fault fault) noexcept {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(fault));
  }
  bool has(Fault fault) const noexcept { return (faults_ & bit(fault)) != 0; }
  void note(Fault fault, std::uint32_t http_status, StatusCode code, std::string_view text);
  void refuse_for(Fault fault);
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
  /// Holds the method of a path that is percent-encoded.
  BufferWriter decoded_method_;
  /// Holds methods by number, from 1, if their paths are in a table, valid, short, and not percent-encoded.
  std::vector<std::string> methods_;
  std::size_t method_bytes_ = 0;
  KnownUserAgents user_agents_;
  /// Reads the fields that gRPC does not know.
  web::CallHeadReader web_;
  web::RouteFinder routes_;
  /// Says whether a route takes the request, once its pseudo-fields have been read.
  web::RouteFinder::Outcome route_ = web::RouteFinder::Outcome::none;
  bool has_looked_for_route_ = false;
  bool has_unknown_expectation_ = false;
  /// Holds the fields of the request as they are, if there is a route for it.
  Metadata route_fields_;
  /// SessionOwner::routes_version() had this value when cache_ was filled.
  std::uint64_t routes_version_ = 0;
  SessionOwner& owner_;
  std::string verb_;
  /// Holds the authority of the request, which is that of Host if the request has no other.
  std::string authority_;
  bool has_content_type_ = false;
  bool has_grpc_type_ = false;
  bool is_path_right_ = false;
  /// The path of a request that is refused with 405, and has no route, takes these methods of HTTP.
  std::string_view allowed_;
  /// Has the bits of the faults that the request has; their refusals are valid.
  std::uint8_t faults_ = 0;
  std::array<Refusal, static_cast<std::size_t>(Fault::count)> refusals_;
  std::optional<web::Format> answer_format_;
  const Codec* answer_codec_ = nullptr;
  const std::string* preflight_origin_ = nullptr;
  std::uint32_t http_status_ = 200;
  Status status_;
};

}  // namespace trunkline::session::grpc
