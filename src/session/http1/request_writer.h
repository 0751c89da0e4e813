// SPDX-License-Identifier: MIT
// RequestWriter: the requests of a client's connection of HTTP/1.1, with a length or in chunks.
#pragma once

#include "base/clock.h"
#include "base/output_queue.h"
#include "http/http1/head_writer.h"
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

/// The requests of a method mostly differ in their content alone, so the fields that they share are written once and
/// then copied.
class RequestWriter final : private web::FieldSink {
 public:
  /// Holds what the head of a request says.
  struct Head {
    web::Format format = web::Format::connect_unary;
    MethodRef method;
    /// The query of a GET stands behind the path, from the '?' on. It is empty for a POST.
    std::string_view query{};
    const Codec* codec = nullptr;
    /// Messages, or the body, may be compressed with this; it is null if none is compressed.
    const Compressor* compressor = nullptr;
    std::optional<base::Duration> timeout{};
    std::uint32_t previous_attempts = 0;
    /// The metadata is what web::check_web_metadata() allows, and may be null.
    const Metadata* metadata = nullptr;
    /// The content of a POST has this many bytes. Without a value it comes in chunks.
    std::optional<std::uint64_t> content_bytes{};
  };

  /// All references outlive the object.
  RequestWriter(const SessionOptions& options, const web::MessageEncodings& encodings,
                base::OutputQueue& output) noexcept
      : options_(options), encodings_(encodings), output_(output) {}

  void write_head(const Head& head);
  /// Writes a part of the content that is `prefix` and `rest`. Not both are empty if the content comes in chunks,
  /// because an empty chunk is the end.
  void write_part(ByteSpan prefix, Slice rest, bool is_chunked);
  /// Ends content that comes in chunks.
  void end_chunks();
  /// A head of the method has been written, so its name is valid. Returns false as well if it is not kept.
  bool knows(const MethodRef& method) const noexcept {
    return method.key > 0 && method.key < known_.size() && known_[method.key].codec != nullptr;
  }
  std::size_t held_bytes() const noexcept { return known_bytes_; }

 private:
  /// Holds the usual head of a method, up to the fields that differ. The position is the key of the method.
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
  base::OutputQueue& output_;
  BufferWriter scratch_;
  http::http1::HeadWriter lines_{scratch_};
  /// Holds a value that is encoded for its field.
  BufferWriter value_;
  std::vector<Known> known_;
  std::size_t known_bytes_ = 0;
};

}  // namespace trunkline::session::http1
