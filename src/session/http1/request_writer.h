// SPDX-License-Identifier: MIT
// RequestWriter: the requests of a client's connection of HTTP/1.1, with a length or in chunks.
#pragma once

#include "base/clock.h"
#include "http/http1/head_writer.h"
#include "session/output_queue.h"
#include "session/session.h"
#include "session/session_options.h"
#include "session/web/field_sink.h"
#include "session/web/format.h"
#include "session/web/message_encodings.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>
#include <trunkline/slice.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::http1 {

/// The requests of a method mostly differ in their content alone, so the fields that they have in common are written
/// once and then copied.
class RequestWriter final : private web::FieldSink {
 public:
  /// What the head of a request says.
  struct Head {
    web::Format format = web::Format::connect_unary;
    MethodRef method;
    /// Of a GET: what stands behind the path, from the '?' on. Empty: it is a POST.
    std::string_view query{};
    const Codec* codec = nullptr;
    /// Of the messages that are compressed, or of the body that is; null: none is.
    const Compressor* compressor = nullptr;
    std::optional<base::Duration> timeout{};
    std::uint32_t previous_attempts = 0;
    /// What web::check_web_metadata() allows; may be null.
    const Metadata* metadata = nullptr;
    /// Of a POST. Empty: the content comes in chunks.
    std::optional<std::uint64_t> content_bytes{};
  };

  /// All outlive the object.
  RequestWriter(const SessionOptions& options, const web::MessageEncodings& encodings, OutputQueue& output) noexcept
      : options_(options), encodings_(encodings), output_(output) {}

  void write_head(const Head& head);
  /// A part of the content that is `prefix` and `rest`. Not both are empty if it comes in chunks, because an empty
  /// chunk is the end.
  void write_part(ByteSpan prefix, Slice rest, bool is_chunked);
  /// Behind content in chunks.
  void end_chunks();
  /// A head of the method has been written, so its name is valid. False also if it is not kept.
  bool knows(const MethodRef& method) const noexcept {
    return method.key > 0 && method.key < known_.size() && known_[method.key].codec != nullptr;
  }
  std::size_t held_bytes() const noexcept { return known_bytes_; }

 private:
  /// The usual head of a method whose key is the position, up to the fields that differ.
  struct Known {
    web::Format format{};
    const Codec* codec = nullptr;
    const Compressor* compressor = nullptr;
    std::string text;
  };
  static constexpr std::size_t most_known = 1024;

  void field(std::string_view name, std::string_view value, bool repeats) override;
  void write_common(const Head& head);
  void keep(const Head& head);

  const SessionOptions& options_;
  const web::MessageEncodings& encodings_;
  OutputQueue& output_;
  BufferWriter scratch_;
  http::http1::HeadWriter lines_{scratch_};
  /// A value that is encoded for its field.
  BufferWriter value_;
  std::vector<Known> known_;
  std::size_t known_bytes_ = 0;
};

}  // namespace trunkline::session::http1
