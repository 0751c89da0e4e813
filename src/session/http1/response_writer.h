// SPDX-License-Identifier: MIT
// ResponseWriter: the responses of a connection of HTTP/1.1, with a length or in chunks.
#pragma once

#include "base/output_queue.h"
#include "http/http1/head_writer.h"
#include "session/web/field_sink.h"
#include "session/web/response_head.h"

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::session::http1 {

/// Most responses of a connection differ in their content alone, so their head is written once and then copied. Fields
/// that could end a head are left out (http::http1::is_sendable_field()): metadata is checked before.
class ResponseWriter final : private web::FieldSink {
 public:
  /// Says how the response is sent.
  struct Form {
    std::uint8_t minor_version = 1;
    bool keeps_connection = true;
    /// The request was HEAD.
    bool is_head = false;
  };

  /// Both references outlive the object.
  ResponseWriter(const web::MessageEncodings& encodings, base::OutputQueue& output) noexcept
      : encodings_(encodings), output_(output) {}

  /// Tells the client that it may send the content of its request.
  void write_continue();
  /// Writes a response as a whole.
  void write(const Form& form, const web::ResponseHead& head, Slice content);
  /// Writes a response as a whole, and copies its content.
  void write(const Form& form, const web::ResponseHead& head, ByteSpan content);
  /// Writes the head of a response whose content follows in parts. A client of HTTP/1.0 learns of the end of the
  /// content by the end of the connection.
  void begin(const Form& form, const web::ResponseHead& head);
  /// Writes a part of the content. Empty parts are skipped, because an empty chunk is the end.
  void write_part(const Form& form, ByteSpan part);
  void write_part(const Form& form, Slice part);
  void end(const Form& form);
  /// Answers a request that is no call with a text. With 405, `allowed` names the methods of HTTP that the path takes.
  void write_refusal(const Form& form, std::uint32_t http_status, const Status& status,
                     std::string_view allowed = web::methods_of_calls, const std::string* cors_origin = nullptr);
  /// Answers a browser that asks whether a page of the origin may send a request with the headers `wanted`.
  void write_preflight(const Form& form, const std::string& origin, std::string_view wanted);

 private:
  void field(std::string_view name, std::string_view value, bool repeats) override;
  void write_head(const Form& form, const web::ResponseHead& head, std::size_t content_bytes);
  void write_connection(const Form& form);
  bool write_usual_head(const Form& form, const web::ResponseHead& head, std::size_t content_bytes);
  void flush();

  const web::MessageEncodings& encodings_;
  base::OutputQueue& output_;
  BufferWriter scratch_;
  http::http1::HeadWriter lines_{scratch_};
  /// Holds the usual head, up to the number in content-length.
  std::string usual_head_;
  const Codec* usual_codec_ = nullptr;
  web::Format usual_format_{};
  const std::string* usual_cors_origin_ = nullptr;
};

}  // namespace trunkline::session::http1
