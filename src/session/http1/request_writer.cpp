// SPDX-License-Identifier: MIT
// Writes the heads and contents of requests.
#include "session/http1/request_writer.h"

#include "session/web/metadata_fields.h"
#include "session/web/method_path.h"
#include "session/web/request_head.h"

#include <array>
#include <charconv>
#include <utility>

namespace trunkline::session::http1 {
namespace {

constexpr std::string_view line_end = "\r\n";

}  // namespace

void RequestWriter::write_head(const Head& head) {
  scratch_.clear();
  const std::uint32_t key = head.query.empty() ? head.method.key : 0;
  const Known* const known = key > 0 && key < known_.size() ? &known_[key] : nullptr;
  const bool is_known = known != nullptr && known->codec == head.codec && known->compressor == head.compressor &&
                        known->format == head.format;
  if (is_known) {
    scratch_.append(known->text);
  } else {
    write_common(head);
    if (key > 0 && key < most_known) keep(head);
  }
  if (head.timeout) {
    value_.clear();
    web::append_timeout_of(head.format, *head.timeout, value_);
    lines_.known_field(web::timeout_field_of(head.format), as_text(value_.bytes()));
  }
  if (head.previous_attempts > 0 && !web::is_connect(head.format)) {
    lines_.number_field("grpc-previous-rpc-attempts", head.previous_attempts);
  }
  if (head.metadata != nullptr) {
    for (const auto& [name, value] : *head.metadata) {
      static_cast<void>(lines_.field(name, web::field_value(name, value, value_)));
    }
  }
  if (head.content_bytes) {
    lines_.number_field("content-length", *head.content_bytes);
  } else if (head.query.empty()) {
    lines_.known_field("transfer-encoding", "chunked");
  }
  lines_.end();
  output_.append(scratch_.bytes());
}

void RequestWriter::write_common(const Head& head) {
  const bool is_get = !head.query.empty();
  value_.clear();
  web::append_path(head.method.name, value_);
  value_.append(head.query);
  // A path that is percent-encoded is always a valid target.
  static_cast<void>(lines_.request_line(is_get ? "GET" : "POST", as_text(value_.bytes())));
  lines_.known_field("host", options_.authority.empty() ? std::string_view("localhost") : options_.authority);
  web::RequestHead{.format = head.format,
                   .is_get = is_get,
                   .codec = head.codec,
                   .compressor = head.compressor,
                   .user_agent = web::user_agent_of(options_)}
      .write_fields(encodings_, *this);
}

void RequestWriter::keep(const Head& head) {
  const std::uint32_t key = head.method.key;
  if (key >= known_.size()) known_.resize(key + 1);
  Known& known = known_[key];
  known_bytes_ -= known.text.size();
  known.format = head.format;
  known.codec = head.codec;
  known.compressor = head.compressor;
  known.text = as_text(scratch_.bytes());
  known_bytes_ += known.text.size();
}

void RequestWriter::write_part(ByteSpan prefix, Slice rest, bool is_chunked) {
  if (is_chunked) {
    constexpr std::size_t most_digits = 16;
    std::array<char, most_digits> room;
    const auto end = std::to_chars(room.data(), room.data() + room.size(), prefix.size() + rest.size(), 16).ptr;
    output_.append(as_bytes(std::string_view(room.data(), end)));
    output_.append(as_bytes(line_end));
  }
  if (!prefix.empty()) output_.append(prefix);
  if (!rest.empty()) output_.append(std::move(rest));
  if (is_chunked) output_.append(as_bytes(line_end));
}

void RequestWriter::end_chunks() { output_.append(as_bytes("0\r\n\r\n")); }

void RequestWriter::field(std::string_view name, std::string_view value, bool /*repeats*/) {
  static_cast<void>(lines_.field(name, value));
}

}  // namespace trunkline::session::http1
