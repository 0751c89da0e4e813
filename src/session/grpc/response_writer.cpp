// SPDX-License-Identifier: MIT
// Writes the fields of responses.
#include "session/grpc/response_writer.h"

#include "http/http2/frame_writer.h"
#include "session/web/content_type.h"
#include "session/web/cors.h"
#include "session/web/metadata_fields.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace trunkline::session::grpc {
namespace {

using http::hpack::Indexing;
using http::http2::FrameHeader;
using http::http2::FrameType;
namespace flag = http::http2::flag;

/// A list of fields has this much for the fields of the protocol, or more if they take more, without those of the
/// status.
constexpr std::size_t protocol_fields_bytes = 256;

/// Returns the size of a field in a list, as SETTINGS_MAX_HEADER_LIST_SIZE counts it (RFC 9113, section 6.5.2).
std::size_t listed_bytes(std::size_t name, std::size_t value) noexcept {
  constexpr std::size_t per_field = 32;
  return name + value + per_field;
}

}  // namespace

/// Writes fields into the block of a ResponseWriter.
class ResponseWriter::Sink final : public web::FieldSink {
 public:
  explicit Sink(ResponseWriter& writer) noexcept : writer_(writer) {}
  void field(std::string_view name, std::string_view value, bool repeats) override {
    writer_.field(name, value, repeats ? Indexing::index : Indexing::without);
  }

 private:
  ResponseWriter& writer_;
};

ResponseWriter::ResponseWriter(const web::MessageEncodings& encodings, const http::http2::Settings& peer,
                               base::OutputQueue& output)
    : peer_(peer), output_(output), encodings_(encodings) {}

void ResponseWriter::write_headers(std::uint32_t stream, const Codec& codec, const Compressor* compressor,
                                   const Metadata* leading) {
  const bool is_usual = compressor == nullptr && (leading == nullptr || leading->empty());
  if (is_usual && resend(headers_, &codec, stream, false)) return;
  const std::uint64_t revision = encoder_.revision();
  begin_block();
  field(":status", "200", Indexing::index);
  content_type(codec);
  field("grpc-accept-encoding", encodings_.names(), Indexing::index);
  if (compressor != nullptr) field("grpc-encoding", compressor->name(), Indexing::index);
  if (leading != nullptr) metadata_fields(*leading);
  write(stream, scratch_.bytes(), false);
  if (is_usual) keep(headers_, &codec, revision);
}

void ResponseWriter::write_trailers(std::uint32_t stream, const Status& status, const Metadata* trailing) {
  const bool is_usual = status.is_ok() && (trailing == nullptr || trailing->empty());
  if (is_usual && resend(trailers_, this, stream, true)) return;
  const std::uint64_t revision = encoder_.revision();
  begin_block();
  status_fields(status, trailing);
  if (trailing != nullptr) metadata_fields(*trailing);
  write(stream, scratch_.bytes(), true);
  if (is_usual) keep(trailers_, this, revision);
}

void ResponseWriter::write_trailers_only(std::uint32_t stream, std::uint32_t http_status, const Codec* codec,
                                         const Status& status, const Metadata* trailing) {
  begin_block();
  field(":status", std::to_string(http_status), Indexing::index);
  if (codec != nullptr) {
    content_type(*codec);
  } else {
    field("content-type", web::media_type, Indexing::index);
  }
  field("grpc-accept-encoding", encodings_.names(), Indexing::index);
  status_fields(status, trailing);
  if (trailing != nullptr) metadata_fields(*trailing);
  write(stream, scratch_.bytes(), true);
}

void ResponseWriter::write_refusal(std::uint32_t stream, std::uint32_t http_status, const Status& status,
                                   std::string_view allowed, const std::string* cors_origin, std::size_t content_bytes,
                                   bool is_end) {
  begin_block();
  field(":status", std::to_string(http_status), Indexing::index);
  Sink sink(*this);
  web::write_refusal_fields(http_status, allowed, cors_origin, sink);
  field("content-length", std::to_string(content_bytes), Indexing::index);
  status_fields(status, nullptr);
  write(stream, scratch_.bytes(), is_end);
}

void ResponseWriter::write_continue(std::uint32_t stream) {
  begin_block();
  field(":status", "100", Indexing::without);
  write(stream, scratch_.bytes(), false);
}

void ResponseWriter::write_preflight(std::uint32_t stream, const std::string& origin, std::string_view wanted) {
  begin_block();
  field(":status", "204", Indexing::index);
  Sink sink(*this);
  web::write_preflight_fields(origin, wanted, sink);
  write(stream, scratch_.bytes(), true);
}

void ResponseWriter::write_web_head(std::uint32_t stream, const web::ResponseHead& head, bool is_end) {
  const auto is_empty = [](const Metadata* metadata) { return metadata == nullptr || metadata->empty(); };
  const bool is_usual = !is_end && head.format != web::Format::route && head.compressor == nullptr &&
                        head.cors_origin == nullptr && !head.is_error() && is_empty(head.leading) &&
                        is_empty(head.trailing);
  // A codec is larger than a Format is, so each pair of them has another address.
  const void* const key = reinterpret_cast<const std::byte*>(head.codec) + static_cast<std::size_t>(head.format);
  if (is_usual && resend(web_head_, key, stream, false)) return;
  const std::uint64_t revision = encoder_.revision();
  begin_block();
  field(":status", std::to_string(head.http_status()), Indexing::index);
  Sink sink(*this);
  head.write_fields(encodings_, sink);
  write(stream, scratch_.bytes(), is_end);
  if (is_usual) keep(web_head_, key, revision);
}

std::size_t ResponseWriter::list_bytes(const Metadata& metadata) noexcept {
  std::size_t bytes = 0;
  for (const Metadata::Entry& entry : metadata) {
    const std::size_t value = web::is_binary_name(entry.name) ? (entry.value.size() * 4 + 2) / 3 : entry.value.size();
    bytes += listed_bytes(entry.name.size(), value);
  }
  return bytes;
}

void ResponseWriter::begin_block() {
  scratch_.clear();
  encoder_.begin(scratch_);
  block_list_bytes_ = 0;
}

void ResponseWriter::field(std::string_view name, std::string_view value, Indexing indexing) {
  block_list_bytes_ += listed_bytes(name.size(), value.size());
  encoder_.field(name, value, indexing, scratch_);
}

void ResponseWriter::content_type(const Codec& codec) {
  value_.clear();
  web::append_content_type(web::Format::grpc, codec, value_);
  field("content-type", as_text(value_.bytes()), Indexing::index);
}

void ResponseWriter::status_fields(const Status& status, const Metadata* trailing) {
  const std::string pause = status.retry_after() ? std::to_string(status.retry_after()->count()) : std::string();
  const std::size_t pushback = pause.empty() ? 0 : listed_bytes(web::pushback_field_name.size(), pause.size());
  const std::size_t taken =
      std::max(protocol_fields_bytes, block_list_bytes_ + pushback) + (trailing != nullptr ? list_bytes(*trailing) : 0);
  const std::size_t most = web::certain_list_bytes(peer_.max_header_list_size);
  const std::size_t room = most - std::min(most, taken);
  status_.assign(status, room);
  field(web::status_field_name, status_.code(), Indexing::index);
  if (!status_.message().empty()) field(web::message_field_name, status_.message(), Indexing::without);
  if (!status_.details().empty()) field(web::details_field_name, status_.details(), Indexing::without);
  if (!pause.empty()) field(web::pushback_field_name, pause, Indexing::without);
}

void ResponseWriter::metadata_fields(const Metadata& metadata) {
  for (const auto& [name, value] : metadata) field(name, web::field_value(name, value, value_), Indexing::without);
}

void ResponseWriter::write(std::uint32_t stream, ByteSpan block, bool is_end) {
  ++blocks_;
  if (block.size() > peer_.max_frame_size) {
    frames_.clear();
    http::http2::append_headers(stream, block, is_end, peer_.max_frame_size, frames_);
    return output_.append(frames_.bytes());
  }
  const auto flags = static_cast<std::uint8_t>(flag::end_headers | (is_end ? flag::end_stream : 0));
  std::byte* const out = output_.reserve(http::http2::frame_header_bytes + block.size());
  http::http2::write_frame_header({.length = static_cast<std::uint32_t>(block.size()),
                                   .type = FrameType::headers,
                                   .flags = flags,
                                   .stream = stream},
                                  out);
  std::memcpy(out + http::http2::frame_header_bytes, block.data(), block.size());
  output_.commit(http::http2::frame_header_bytes + block.size());
}

bool ResponseWriter::resend(const Block& block, const void* key, std::uint32_t stream, bool is_end) {
  if (block.key != key || block.revision != encoder_.revision()) return false;
  write(stream, ByteSpan(block.bytes).first(block.size), is_end);
  return true;
}

void ResponseWriter::keep(Block& block, const void* key, std::uint64_t revision) {
  if (encoder_.revision() != revision || scratch_.size() > block.bytes.size()) return;
  block.key = key;
  block.revision = revision;
  block.size = scratch_.size();
  std::memcpy(block.bytes.data(), scratch_.bytes().data(), block.size);
}

}  // namespace trunkline::session::grpc
