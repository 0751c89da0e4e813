// SPDX-License-Identifier: MIT
// The fields of requests.
#include "session/grpc/request_writer.h"

#include "http/http2/frame_writer.h"
#include "session/grpc/content_type.h"
#include "session/grpc/metadata_fields.h"
#include "session/grpc/method_path.h"
#include "session/grpc/timeout.h"

#include <cstring>
#include <utility>

namespace trunkline::session::grpc {
namespace {

using http::hpack::Indexing;
using http::http2::FrameHeader;
using http::http2::FrameType;
namespace flag = http::http2::flag;

constexpr std::string_view user_agent = "trunkline/" TRUNKLINE_VERSION;

}  // namespace

RequestWriter::RequestWriter(const SessionOptions& options, const MessageEncodings& encodings, bool is_encrypted,
                             const http::http2::Settings& peer, OutputQueue& output)
    : options_(options),
      scheme_(is_encrypted ? "https" : "http"),
      peer_(peer),
      output_(output),
      encodings_(encodings) {}

void RequestWriter::write_headers(std::uint32_t stream, const RequestHeaders& headers) {
  const std::uint32_t key = headers.method.key;
  const bool has_metadata = headers.metadata != nullptr && !headers.metadata->empty();
  const bool is_common = !headers.timeout && headers.previous_attempts == 0 && !has_metadata;
  Block* const block = key > 0 && key < blocks_.size() ? &blocks_[key] : nullptr;
  const bool is_known = block != nullptr && block->codec == headers.codec && block->revision == encoder_.revision() &&
                        block->compressor == headers.compressor;
  if (is_known && is_common) return write(stream, ByteSpan(block->bytes).first(block->size));
  scratch_.clear();
  if (is_known) {
    scratch_.append(ByteSpan(block->bytes).first(block->size));
  } else {
    common_fields(headers);
  }
  if (headers.timeout) {
    value_.clear();
    append_timeout(*headers.timeout, value_);
    // The first one brings the name into the table.
    if (std::exchange(has_timeout_name_, true)) {
      encoder_.field("grpc-timeout", as_text(value_.bytes()), Indexing::without, scratch_);
    } else {
      repeated("grpc-timeout", as_text(value_.bytes()));
    }
  }
  if (headers.previous_attempts > 0) {
    encoder_.field("grpc-previous-rpc-attempts", std::to_string(headers.previous_attempts), Indexing::without,
                   scratch_);
  }
  if (has_metadata) {
    for (const auto& [name, value] : *headers.metadata) {
      encoder_.field(name, field_value(name, value, value_), Indexing::without, scratch_);
    }
  }
  write(stream, scratch_.bytes());
}

/// Begins a block, and keeps it if it can be sent again.
void RequestWriter::common_fields(const RequestHeaders& headers) {
  const std::uint64_t revision = encoder_.revision();
  encoder_.begin(scratch_);
  encoder_.field(":method", "POST", Indexing::without, scratch_);
  encoder_.field(":scheme", scheme_, Indexing::without, scratch_);
  value_.clear();
  append_path(headers.method.name, value_);
  repeated(":path", as_text(value_.bytes()));
  repeated(":authority", options_.authority.empty() ? std::string_view("localhost") : options_.authority);
  value_.clear();
  append_content_type(*headers.codec, value_);
  repeated("content-type", as_text(value_.bytes()));
  repeated("te", "trailers");
  repeated("user-agent", user_agent);
  repeated("grpc-accept-encoding", encodings_.names());
  if (headers.compressor != nullptr) repeated("grpc-encoding", headers.compressor->name());
  const std::uint32_t key = headers.method.key;
  if (key == 0 || key >= max_blocks || encoder_.revision() != revision) return;
  if (key >= blocks_.size()) blocks_.resize(key + 1);
  Block& block = blocks_[key];
  if (scratch_.size() > block.bytes.size()) return;
  block.codec = headers.codec;
  block.revision = revision;
  block.compressor = headers.compressor;
  block.size = static_cast<std::uint8_t>(scratch_.size());
  std::memcpy(block.bytes.data(), scratch_.bytes().data(), scratch_.size());
}

/// A field that enters the table if there is room beside the others.
void RequestWriter::repeated(std::string_view name, std::string_view value) {
  const http::hpack::DynamicTable& table = encoder_.table();
  const std::size_t size = name.size() + value.size() + http::hpack::DynamicTable::field_overhead;
  const bool has_room = table.bytes() + size <= table.max_bytes();
  encoder_.field(name, value, has_room ? Indexing::index : Indexing::without, scratch_);
}

void RequestWriter::write(std::uint32_t stream, ByteSpan block) {
  if (block.size() > peer_.max_frame_size) {
    frames_.clear();
    http::http2::append_headers(stream, block, false, peer_.max_frame_size, frames_);
    return output_.append(frames_.bytes());
  }
  std::byte* const out = output_.reserve(http::http2::frame_header_bytes + block.size());
  http::http2::write_frame_header({.length = static_cast<std::uint32_t>(block.size()),
                                   .type = FrameType::headers,
                                   .flags = flag::end_headers,
                                   .stream = stream},
                                  out);
  std::memcpy(out + http::http2::frame_header_bytes, block.data(), block.size());
  output_.commit(http::http2::frame_header_bytes + block.size());
}

}  // namespace trunkline::session::grpc
