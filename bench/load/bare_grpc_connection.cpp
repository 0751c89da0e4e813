// SPDX-License-Identifier: MIT
// Just enough of RFC 9113 to serve the calls of a load generator.
#include "bare_grpc_connection.h"

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace trunkline::bench {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t read_bytes = 256 << 10;
constexpr std::size_t header_bytes = 9;
constexpr std::size_t preface_bytes = 24;
/// The window of the connection is opened by as much at a time.
constexpr std::uint32_t update_bytes = 1 << 20;

enum Type : std::uint8_t { data = 0, headers = 1, settings = 4, ping = 6, window_update = 8 };
constexpr std::uint8_t end_stream = 1;
constexpr std::uint8_t ack = 1;
constexpr std::uint8_t end_headers = 4;

bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

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

/// Fields with incremental indexing. The peer's table then has grpc-status at 62 and content-type at 63.
Bytes first_headers() {
  constexpr std::string_view type = "application/grpc";
  Bytes block{0x88, 0x5f, static_cast<std::uint8_t>(type.size())};
  block.insert(block.end(), type.begin(), type.end());
  return block;
}

Bytes first_trailers() {
  constexpr std::string_view name = "grpc-status";
  Bytes block{0x40, static_cast<std::uint8_t>(name.size())};
  block.insert(block.end(), name.begin(), name.end());
  block.insert(block.end(), {1, '0'});
  return block;
}

Bytes make_response(const Bytes& fields, const std::uint8_t* message, std::size_t size, const Bytes& trailers) {
  Bytes frames;
  add_frame(frames, headers, end_headers, 0, fields.data(), fields.size());
  add_frame(frames, data, 0, 0, message, size);
  add_frame(frames, headers, end_headers | end_stream, 0, trailers.data(), trailers.size());
  return frames;
}

}  // namespace

BareGrpcConnection::BareGrpcConnection(int socket) : socket_(socket), input_(read_bytes) {
  add_frame(output_, settings, 0, 0, nullptr, 0);
  std::uint8_t increment[4];
  store_uint32(increment, 64 << 20);
  add_frame(output_, window_update, 0, 0, increment, sizeof(increment));
}

BareGrpcConnection::~BareGrpcConnection() { close(socket_); }

bool BareGrpcConnection::read_requests() {
  const ssize_t got = recv(socket_, input_.data() + filled_, input_.size() - filled_, 0);
  if (got < 0) return would_block();
  if (got == 0) return false;
  filled_ += static_cast<std::size_t>(got);
  const std::size_t done = take_frames();
  filled_ -= done;
  if (done > 0 && filled_ > 0) std::memmove(input_.data(), input_.data() + done, filled_);
  return true;
}

std::size_t BareGrpcConnection::take_frames() {
  std::size_t at = 0;
  if (!has_preface_) {
    if (filled_ < preface_bytes) return 0;
    has_preface_ = true;
    at = preface_bytes;
  }
  while (filled_ - at >= header_bytes) {
    const std::uint8_t* const frame = input_.data() + at;
    const std::size_t size = load_uint32(frame) >> 8;
    if (filled_ - at < header_bytes + size) break;
    take_frame(frame[3], frame[4], load_uint32(frame + 5), frame + header_bytes, size);
    at += header_bytes + size;
  }
  return at;
}

void BareGrpcConnection::take_frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                                    const std::uint8_t* payload, std::size_t size) {
  if (type == data) {
    returnable_ += size;
    if ((flags & end_stream) != 0) respond(stream, payload, size);
    if (returnable_ < update_bytes) return;
    std::uint8_t increment[4];
    store_uint32(increment, static_cast<std::uint32_t>(returnable_));
    add_frame(output_, window_update, 0, 0, increment, sizeof(increment));
    returnable_ = 0;
  } else if ((type == settings || type == ping) && (flags & ack) == 0) {
    add_frame(output_, type, ack, 0, payload, type == ping ? size : 0);
  }
}

void BareGrpcConnection::respond(std::uint32_t stream, const std::uint8_t* message, std::size_t size) {
  const bool is_first = response_.empty();
  const Bytes first = is_first ? make_response(first_headers(), message, size, first_trailers()) : Bytes();
  if (is_first) response_ = make_response({0x88, 0xbf}, message, size, {0xbe});
  const Bytes& frames = is_first ? first : response_;
  const std::size_t begin = output_.size();
  append(frames.data(), frames.size());
  for (std::size_t at = begin; at < output_.size();) {
    store_uint32(&output_[at + 5], stream);
    at += header_bytes + (load_uint32(&output_[at]) >> 8);
  }
}

void BareGrpcConnection::append(const std::uint8_t* bytes, std::size_t size) {
  output_.insert(output_.end(), bytes, bytes + size);
}

bool BareGrpcConnection::write_responses() noexcept {
  while (has_unwritten()) {
    const ssize_t sent = send(socket_, output_.data() + written_, output_.size() - written_, MSG_NOSIGNAL);
    if (sent < 0) return would_block();
    written_ += static_cast<std::size_t>(sent);
  }
  output_.clear();
  written_ = 0;
  return true;
}

}  // namespace trunkline::bench
