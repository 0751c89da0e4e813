// SPDX-License-Identifier: MIT
// Writes the heads, contents and chunks of responses.
#include "session/http1/response_writer.h"

#include "session/web/cors.h"

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace trunkline::session::http1 {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";

/// Writes the line before a chunk into `room`.
std::string_view chunk_line(std::size_t size, std::array<char, 20>& room) noexcept {
  char* const end = std::to_chars(room.data(), room.data() + 16, size, 16).ptr;
  std::memcpy(end, line_end.data(), line_end.size());
  return {room.data(), static_cast<std::size_t>(end - room.data()) + line_end.size()};
}

}  // namespace

void ResponseWriter::write_continue() { output_.append(as_bytes("HTTP/1.1 100 Continue\r\n\r\n")); }

void ResponseWriter::write(const Form& form, const web::ResponseHead& head, Slice content) {
  if (content.size() < base::OutputQueue::copy_limit) return write(form, head, content.bytes());
  write_head(form, head, content.size());
  if (!form.is_head && head.has_content()) output_.append(std::move(content));
}

void ResponseWriter::write(const Form& form, const web::ResponseHead& head, ByteSpan content) {
  write_head(form, head, content.size());
  if (!form.is_head && head.has_content()) output_.append(content);
}

void ResponseWriter::begin(const Form& form, const web::ResponseHead& head) {
  lines_.status_line(static_cast<std::uint16_t>(head.http_status()));
  head.write_fields(encodings_, *this);
  if (form.minor_version > 0) lines_.known_field("transfer-encoding", "chunked");
  write_connection(form);
  lines_.end();
  flush();
}

void ResponseWriter::write_part(const Form& form, ByteSpan part) {
  if (part.empty() || form.is_head) return;
  if (form.minor_version == 0) return output_.append(part);
  std::array<char, 20> room;
  const std::string_view line = chunk_line(part.size(), room);
  if (part.size() >= base::OutputQueue::copy_limit) {
    output_.append(as_bytes(line));
    output_.append(part);
    return output_.append(as_bytes(line_end));
  }
  const std::size_t size = line.size() + part.size() + line_end.size();
  std::byte* const out = output_.reserve(size);
  std::memcpy(out, line.data(), line.size());
  std::memcpy(out + line.size(), part.data(), part.size());
  std::memcpy(out + line.size() + part.size(), line_end.data(), line_end.size());
  output_.commit(size);
}

void ResponseWriter::write_part(const Form& form, Slice part) {
  if (part.size() < base::OutputQueue::copy_limit || form.is_head) return write_part(form, part.bytes());
  std::array<char, 20> room;
  if (form.minor_version > 0) output_.append(as_bytes(chunk_line(part.size(), room)));
  output_.append(std::move(part));
  if (form.minor_version > 0) output_.append(as_bytes(line_end));
}

void ResponseWriter::end(const Form& form) {
  if (form.minor_version > 0 && !form.is_head) output_.append(as_bytes("0\r\n\r\n"));
}

void ResponseWriter::write_refusal(const Form& form, std::uint32_t http_status, const Status& status,
                                   std::string_view allowed, const std::string* cors_origin) {
  BufferWriter text;
  web::append_refusal_text(http_status, status, text);
  lines_.status_line(static_cast<std::uint16_t>(http_status));
  web::write_refusal_fields(http_status, allowed, cors_origin, *this);
  lines_.number_field("content-length", text.size());
  write_connection(form);
  lines_.end();
  if (!form.is_head) scratch_.append(text.bytes());
  flush();
}

void ResponseWriter::write_preflight(const Form& form, const std::string& origin, std::string_view wanted) {
  constexpr std::uint16_t no_content = 204;
  lines_.status_line(no_content);
  web::write_preflight_fields(origin, wanted, *this);
  write_connection(form);
  lines_.end();
  flush();
}

void ResponseWriter::field(std::string_view name, std::string_view value, bool /*repeats*/) {
  static_cast<void>(lines_.field(name, value));
}

void ResponseWriter::write_head(const Form& form, const web::ResponseHead& head, std::size_t content_bytes) {
  if (write_usual_head(form, head, content_bytes)) return;
  lines_.status_line(static_cast<std::uint16_t>(head.http_status()));
  head.write_fields(encodings_, *this);
  if (head.has_length()) lines_.number_field("content-length", head.has_content() ? content_bytes : 0);
  write_connection(form);
  lines_.end();
  flush();
}

/// Returns false and writes nothing if the head is not the usual one.
bool ResponseWriter::write_usual_head(const Form& form, const web::ResponseHead& head, std::size_t content_bytes) {
  const auto has = [](const Metadata* metadata) { return metadata != nullptr && !metadata->empty(); };
  if (head.format == web::Format::route) return false;
  if (head.is_error() || head.compressor != nullptr || has(head.leading) || has(head.trailing)) {
    return false;
  }
  if (form.minor_version == 0 || !form.keeps_connection) return false;
  const bool is_known =
      usual_codec_ == head.codec && usual_format_ == head.format && usual_cors_origin_ == head.cors_origin;
  if (!is_known) {
    lines_.status_line(200);
    head.write_fields(encodings_, *this);
    scratch_.append("content-length: ");
    usual_head_ = as_text(scratch_.bytes());
    usual_codec_ = head.codec;
    usual_format_ = head.format;
    usual_cors_origin_ = head.cors_origin;
    scratch_.clear();
  }
  constexpr std::size_t most_digits = 20;
  auto* const out = reinterpret_cast<char*>(output_.reserve(usual_head_.size() + most_digits + head_end.size()));
  std::memcpy(out, usual_head_.data(), usual_head_.size());
  char* const end = std::to_chars(out + usual_head_.size(), out + usual_head_.size() + most_digits, content_bytes).ptr;
  std::memcpy(end, head_end.data(), head_end.size());
  output_.commit(static_cast<std::size_t>(end - out) + head_end.size());
  return true;
}

void ResponseWriter::write_connection(const Form& form) {
  if (!form.keeps_connection) {
    lines_.known_field("connection", "close");
  } else if (form.minor_version == 0) {
    lines_.known_field("connection", "keep-alive");
  }
}

void ResponseWriter::flush() {
  output_.append(scratch_.bytes());
  scratch_.clear();
}

}  // namespace trunkline::session::http1
