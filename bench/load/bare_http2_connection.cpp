// SPDX-License-Identifier: MIT
// Just enough of RFC 9113 to serve the calls of a load generator.
#include "bare_http2_connection.h"

#include <cstring>
#include <string_view>

namespace trunkline::bench {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t header_bytes = 9;
constexpr std::size_t preface_bytes = 24;
/// The window of the connection is opened by as much at a time.
constexpr std::uint32_t update_bytes = 1 << 20;

enum Type : std::uint8_t { data = 0, headers = 1, settings = 4, ping = 6, window_update = 8 };
constexpr std::uint8_t end_stream = 1;
constexpr std::uint8_t ack = 1;
constexpr std::uint8_t end_headers = 4;

void store_uint32(std::uint8_t* at, std::uint32_t value) noexcept {
  for (int shift = 24; shift >= 0; shift -= 8) *at++ = static_cast<std::uint8_t>(value >> shift);
}

std::uint32_t load_uint32(const std::uint8_t* at) noexcept {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

void add_frame(Bytes& out, std::uint8_t type, std::uint8_t flags, std::uint32_t stream, const std::uint8_t* payload,
               std::size_t size) {
  const std::size_t at = out.size();
  out.resize(at + header_bytes + size);
  store_uint32(&out[at], static_cast<std::uint32_t>(size) << 8 | type);
  out[at + 4] = flags;
  store_uint32(&out[at + 5], stream);
  if (size > 0) std::memcpy(&out[at + header_bytes], payload, size);
}

void append_field(Bytes& block, std::string_view name, std::string_view value) {
  for (const std::string_view part : {name, value}) {
    block.push_back(static_cast<std::uint8_t>(part.size()));
    block.insert(block.end(), part.begin(), part.end());
  }
}

/// Fields with incremental indexing: content-type, and for gRPC's trailers grpc-status. The peer's table then has
/// grpc-status at 62 and content-type at 63; for Connect, content-type at 62.
Bytes first_headers(std::string_view type) {
  Bytes block{0x88, 0x5f, static_cast<std::uint8_t>(type.size())};
  block.insert(block.end(), type.begin(), type.end());
  return block;
}

Bytes first_trailers() {
  Bytes block{0x40};
  append_field(block, "grpc-status", "0");
  return block;
}

/// Without trailers the message ends the stream.
Bytes make_response(const Bytes& fields, const std::uint8_t* message, std::size_t size, const Bytes& trailers) {
  Bytes frames;
  add_frame(frames, headers, end_headers, 0, fields.data(), fields.size());
  add_frame(frames, data, trailers.empty() ? end_stream : 0, 0, message, size);
  if (!trailers.empty()) add_frame(frames, headers, end_headers | end_stream, 0, trailers.data(), trailers.size());
  return frames;
}

}  // namespace

BareHttp2Connection::BareHttp2Connection(int socket, Protocol protocol)
    : BareHttpConnection(socket), protocol_(protocol) {
  add_frame(output(), settings, 0, 0, nullptr, 0);
  std::uint8_t increment[4];
  store_uint32(increment, 64 << 20);
  add_frame(output(), window_update, 0, 0, increment, sizeof(increment));
}

std::size_t BareHttp2Connection::take_requests(const std::uint8_t* bytes, std::size_t size) {
  std::size_t at = 0;
  if (!has_preface_) {
    if (size < preface_bytes) return 0;
    has_preface_ = true;
    at = preface_bytes;
  }
  while (size - at >= header_bytes) {
    const std::uint8_t* const frame = bytes + at;
    const std::size_t length = load_uint32(frame) >> 8;
    if (size - at < header_bytes + length) break;
    take_frame(frame[3], frame[4], load_uint32(frame + 5), frame + header_bytes, length);
    at += header_bytes + length;
  }
  return at;
}

void BareHttp2Connection::take_frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                                     const std::uint8_t* payload, std::size_t size) {
  if (type == data) {
    returnable_ += size;
    if ((flags & end_stream) != 0) respond(stream, payload, size);
    if (returnable_ < update_bytes) return;
    std::uint8_t increment[4];
    store_uint32(increment, static_cast<std::uint32_t>(returnable_));
    add_frame(output(), window_update, 0, 0, increment, sizeof(increment));
    returnable_ = 0;
  } else if ((type == settings || type == ping) && (flags & ack) == 0) {
    add_frame(output(), type, ack, 0, payload, type == ping ? size : 0);
  }
}

void BareHttp2Connection::respond(std::uint32_t stream, const std::uint8_t* message, std::size_t size) {
  const bool is_grpc = protocol_ == Protocol::grpc;
  const bool is_first = response_.empty();
  const Bytes first = !is_first ? Bytes()
                      : is_grpc ? make_response(first_headers("application/grpc"), message, size, first_trailers())
                                : make_response(first_headers("application/proto"), message, size, {});
  if (is_first) {
    response_ =
        is_grpc ? make_response({0x88, 0xbf}, message, size, {0xbe}) : make_response({0x88, 0xbe}, message, size, {});
  }
  const Bytes& frames = is_first ? first : response_;
  const std::size_t begin = output().size();
  output().insert(output().end(), frames.begin(), frames.end());
  for (std::size_t at = begin; at < output().size();) {
    store_uint32(&output()[at + 5], stream);
    at += header_bytes + (load_uint32(&output()[at]) >> 8);
  }
}

}  // namespace trunkline::bench
