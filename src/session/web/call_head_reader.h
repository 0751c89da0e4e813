// SPDX-License-Identifier: MIT
// CallHeadReader: turns the head of a request over HTTP into a call of Connect, gRPC-Web or plain HTTP.
#pragma once

#include "session/session_options.h"
#include "session/web/call_head.h"
#include "session/web/field_name.h"
#include "session/web/message_encodings.h"

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::session::web {

/// The reader knows no version of HTTP: whoever has read a head gives it the fields that FieldName lists, then the
/// method and the target. Other fields are metadata (MetadataReader). The caller has checked the rules of HTTP.
///
///     reader.begin();
///     for (field : head) {
///       FieldName known;
///       if (!find_field_name(field.name, known) || reader.add(known, field.value)) { ... metadata ... }
///     }
///     const auto outcome = reader.finish({.method = "POST", .target = "/example.Echo/Say"}, head);
class CallHeadReader {
 public:
  enum class Outcome : std::uint8_t {
    /// The head has been read.
    call,
    /// The request is gRPC's, which is not read here, since gRPC needs HTTP/2.
    grpc,
    /// http_status() and status() say why. The answer has the form answer_format(), or is a text for people if empty.
    refused,
  };

  struct RequestLine {
    std::string_view method;
    /// The target is the path, with its query.
    std::string_view target;
    /// The client means this host, with its port, and names it in `:authority` or Host.
    std::string_view authority;
  };

  /// Both references outlive the object.
  CallHeadReader(const SessionOptions& options, const MessageEncodings& encodings) noexcept
      : options_(options), encodings_(encodings) {}

  /// The next fields belong to another request.
  void begin() noexcept;
  /// Copies the value. Returns true if the field is metadata too.
  bool add(FieldName name, std::string_view value);
  /// Returns whether the request has the field.
  bool has(FieldName name) const noexcept { return (present_ & bit(name)) != 0; }
  /// Returns nothing if the request lacks the field. Values of fields that came several times are joined by commas.
  std::string_view value(FieldName name) const noexcept {
    return has(name) ? std::string_view(values_[index(name)]) : std::string_view();
  }
  /// The request has fields beside content-type that gRPC does not know, so they are metadata if it is gRPC's.
  bool has_foreign_fields() const noexcept {
    return has(FieldName::connect_accept_encoding) || has(FieldName::connect_content_encoding) ||
           has(FieldName::connect_protocol_version) || has(FieldName::connect_timeout_ms) ||
           has(FieldName::content_encoding);
  }

  /// All fields of the request have been added.
  Outcome finish(const RequestLine& line, CallHead& head);
  /// All fields of a request that a route takes have been added. Never returns `grpc`.
  Outcome finish_route(const RequestLine& line, CallHead& head);
  /// The request is one of gRPC-Web or Connect by its fields, so that no route takes it.
  bool is_of_rpc_protocol() const noexcept;

  /// Returns the entry of SessionOptions::cors_origins for which a browser asks whether its page may send a request. It
  /// is null if the request, with this HTTP method, is no such question, or is refused. Call it before finish().
  const std::string* preflight_origin(std::string_view method) const noexcept;

  /// After finish(), returns what CallHead::cors_origin is, even if the request was `refused`.
  const std::string* cors_origin() const noexcept { return cors_origin_; }
  /// Returns the name of the method after `call`, and after `refused` if the target names one. It is a view of the
  /// target or of this object, and empty after `refused` if the target has not been looked at.
  std::string_view method() const noexcept { return method_; }
  /// After `call` with is_get, returns the message in the query, which is compressed with head.compressor. It is empty
  /// if there is no message.
  const std::optional<Slice>& message() const noexcept { return message_; }
  std::uint32_t http_status() const noexcept { return http_status_; }
  const Status& status() const noexcept { return status_; }
  const std::optional<Format>& answer_format() const noexcept { return answer_format_; }
  /// After `refused` with an answer_format(), returns the codec in whose content-type the answer is.
  const Codec* answer_codec() const noexcept { return answer_codec_; }

 private:
  static constexpr std::size_t index(FieldName name) noexcept { return static_cast<std::size_t>(name); }
  static constexpr std::uint32_t bit(FieldName name) noexcept { return std::uint32_t{1} << index(name); }
  bool read_post(const RequestLine& line, CallHead& head);
  bool read_get(const RequestLine& line, CallHead& head);
  bool read_content_type(CallHead& head);
  bool read_method(std::string_view path);
  bool read_version();
  bool read_timeout(CallHead& head);
  bool read_encodings(CallHead& head);
  bool read_encoding(std::string_view name, std::string_view field, CallHead& head);
  void forget_request() noexcept;
  bool check_origin(std::string_view authority, std::string_view way_out);
  bool check_fetch_site();
  bool wants_events(const Codec* codec) const noexcept;
  bool refuse_as_text(std::uint32_t http_status, StatusCode code, std::string_view text);
  bool refuse(StatusCode code, std::string_view text);

  const SessionOptions& options_;
  const MessageEncodings& encodings_;
  std::array<std::string, field_name_count> values_;
  std::uint32_t present_ = 0;
  std::string_view method_;
  /// Holds the method of a path that is percent-encoded.
  BufferWriter decoded_method_;
  std::optional<Slice> message_;
  /// The content-type is one that pages of other sites may send without being asked (a simple request of CORS).
  bool is_simple_ = false;
  const std::string* cors_origin_ = nullptr;
  std::uint32_t http_status_ = 200;
  Status status_;
  std::optional<Format> answer_format_;
  const Codec* answer_codec_ = nullptr;
};

}  // namespace trunkline::session::web
