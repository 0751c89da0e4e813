// SPDX-License-Identifier: MIT
// Writes the fields of requests.
#include "session/grpc/request_writer.h"

#include "http/http2/frame_writer.h"
#include "session/web/content_type.h"
#include "session/web/metadata_fields.h"
#include "session/web/method_path.h"
#include "session/web/request_head.h"

#include <cstring>
#include <utility>

namespace trunkline::session::grpc {
namespace {

using http::hpack::Indexing;
using http::http2::FrameHeader;
using http::http2::FrameType;
namespace flag = http::http2::flag;

}  // namespace

RequestWriter::RequestWriter(const SessionOptions& options, const web::MessageEncodings& encodings, bool is_encrypted,
                             const http::http2::Settings& peer, base::OutputQueue& output)
    : options_(options),
      scheme_(is_encrypted ? "https" : "http"),
      peer_(peer),
      output_(output),
      encodings_(encodings) {}

void RequestWriter::write_headers(std::uint32_t stream, const RequestHeaders& headers) {
  // The path of a GET seldom repeats.
  const bool is_get = !headers.query.empty();
  const std::uint32_t key = is_get ? 0 : headers.method.key;
  const bool has_metadata = headers.metadata != nullptr && !headers.metadata->empty();
  const bool is_common = !headers.timeout && headers.previous_attempts == 0 && !has_metadata;
  Block* const block = key > 0 && key < blocks_.size() ? &blocks_[key] : nullptr;
  const bool is_known = block != nullptr && block->codec == headers.codec && block->revision == encoder_.revision() &&
                        block->compressor == headers.compressor && block->format == headers.format;
  if (is_known && is_common) return write(stream, ByteSpan(block->bytes).first(block->size));
  scratch_.clear();
  if (is_known) {
    scratch_.append(ByteSpan(block->bytes).first(block->size));
  } else {
    common_fields(headers);
  }
  if (headers.timeout) {
    value_.clear();
    web::append_timeout_of(headers.format, *headers.timeout, value_);
    const std::string_view name = web::timeout_field_of(headers.format);
    // The first timeout brings the name of the field into the table.
    if (std::exchange(has_timeout_name_, true)) {
      encoder_.field(name, as_text(value_.bytes()), Indexing::without, scratch_);
    } else {
      repeated(name, as_text(value_.bytes()));
    }
  }
  if (headers.previous_attempts > 0 && !web::is_connect(headers.format)) {
    encoder_.field("grpc-previous-rpc-attempts", std::to_string(headers.previous_attempts), Indexing::without,
                   scratch_);
  }
  if (has_metadata) {
    for (const auto& [name, value] : *headers.metadata) {
      encoder_.field(name, web::field_value(name, value, value_), Indexing::without, scratch_);
    }
  }
  write(stream, scratch_.bytes(), is_get);
}

/// Begins a block, and keeps it if it can be sent again.
void RequestWriter::common_fields(const RequestHeaders& headers) {
  const std::uint64_t revision = encoder_.revision();
  encoder_.begin(scratch_);
  const bool is_get = !headers.query.empty();
  encoder_.field(":method", is_get ? "GET" : "POST", Indexing::without, scratch_);
  encoder_.field(":scheme", scheme_, Indexing::without, scratch_);
  value_.clear();
  web::append_path(headers.method.name, value_);
  if (is_get) {
    value_.append(headers.query);
    encoder_.field(":path", as_text(value_.bytes()), Indexing::without, scratch_);
  } else {
    repeated(":path", as_text(value_.bytes()));
  }
  repeated(":authority", options_.authority.empty() ? std::string_view("localhost") : options_.authority);
  if (headers.format == web::Format::grpc) {
    value_.clear();
    web::append_content_type(web::Format::grpc, *headers.codec, value_);
    repeated("content-type", as_text(value_.bytes()));
    repeated("te", "trailers");
    repeated("user-agent", web::user_agent_of(options_));
    repeated("grpc-accept-encoding", encodings_.names());
    if (headers.compressor != nullptr) repeated("grpc-encoding", headers.compressor->name());
  } else {
    web_fields(headers);
  }
  const std::uint32_t key = is_get ? 0 : headers.method.key;
  if (key == 0 || key >= max_blocks || encoder_.revision() != revision) return;
  if (key >= blocks_.size()) blocks_.resize(key + 1);
  Block& block = blocks_[key];
  if (scratch_.size() > block.bytes.size()) return;
  block.format = headers.format;
  block.codec = headers.codec;
  block.revision = revision;
  block.compressor = headers.compressor;
  block.size = static_cast<std::uint8_t>(scratch_.size());
  std::memcpy(block.bytes.data(), scratch_.bytes().data(), scratch_.size());
}

void RequestWriter::web_fields(const RequestHeaders& headers) {
  class Sink final : public web::FieldSink {
   public:
    explicit Sink(RequestWriter& writer) noexcept : writer_(writer) {}
    void field(std::string_view name, std::string_view value, bool) override { writer_.repeated(name, value); }

   private:
    RequestWriter& writer_;
  };
  Sink sink(*this);
  const web::RequestHead head{.format = headers.format,
                              .is_get = !headers.query.empty(),
                              .codec = headers.codec,
                              .compressor = headers.compressor,
                              .user_agent = web::user_agent_of(options_)};
  head.write_fields(encodings_, sink);
}

/// Writes a field that enters the table if there is room beside the others.
void RequestWriter::repeated(std::string_view name, std::string_view value) {
  const http::hpack::DynamicTable& table = encoder_.table();
  const std::size_t size = name.size() + value.size() + http::hpack::DynamicTable::field_overhead;
  const bool has_room = table.bytes() + size <= table.max_bytes();
  encoder_.field(name, value, has_room ? Indexing::index : Indexing::without, scratch_);
}

void RequestWriter::write(std::uint32_t stream, ByteSpan block, bool is_end) {
  if (block.size() > peer_.max_frame_size) {
    frames_.clear();
    http::http2::append_headers(stream, block, is_end, peer_.max_frame_size, frames_);
    return output_.append(frames_.bytes());
  }
  std::byte* const out = output_.reserve(http::http2::frame_header_bytes + block.size());
  http::http2::write_frame_header(
      {.length = static_cast<std::uint32_t>(block.size()),
       .type = FrameType::headers,
       .flags = static_cast<std::uint8_t>(flag::end_headers | (is_end ? flag::end_stream : 0)),
       .stream = stream},
      out);
  std::memcpy(out + http::http2::frame_header_bytes, block.data(), block.size());
  output_.commit(http::http2::frame_header_bytes + block.size());
}

}  // namespace trunkline::session::grpc
