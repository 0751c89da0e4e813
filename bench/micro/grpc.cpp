// SPDX-License-Identifier: MIT
// Cost of calls in a server's gRPC session: frames as a client sends them in, responses out; no socket, no handler.
// BM_GrpcServerCall. "deferred" is how nghttp2 sends: the headers of all calls before their messages.
#include "http/hpack/encoder.h"
#include "http/http2/frame_writer.h"
#include "micro/echo_session.h"
#include "micro/measurement.h"
#include "session/grpc/grpc_server_session.h"
#include "session/web/message_prefix.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace trunkline::session::grpc {
namespace {

using http::hpack::Indexing;
using http::http2::frame_header_bytes;

/// The frames of a batch of calls, which are sent again and again with other streams.
class Batch {
 public:
  Batch(const std::string& message, int calls, bool is_deferred) : calls_(calls), message_bytes_(message.size()) {
    http::hpack::Encoder encoder;
    out_.append(http::http2::client_preface);
    http::http2::append_settings({}, out_);
    http::http2::append_window_update(0, http::http2::max_stream_id - (1 << 20), out_);
    add_call(encoder, message);
    greeting_.assign(out_.bytes().begin(), out_.bytes().end());
    out_.clear();
    for (int call = 0; call < calls; ++call) {
      add_headers(encoder);
      if (!is_deferred) add_data(message);
    }
    for (int call = 0; call < calls && is_deferred; ++call) add_data(message);
    http::http2::append_window_update(
        0, static_cast<std::uint32_t>(calls * (message.size() + web::message_prefix_bytes)), out_);
    frames_.assign(out_.bytes().begin(), out_.bytes().end());
    for (std::size_t at = 0; at < frames_.size();) {
      const auto header = http::http2::read_frame_header(frames_.data() + at);
      if (header.stream != 0) streams_.push_back(at + 5);
      at += frame_header_bytes + header.length;
    }
  }

  /// The start of a connection, with one call on stream 1.
  ByteSpan greeting() const noexcept { return greeting_; }
  /// On streams that have not been used.
  ByteSpan next() noexcept {
    std::uint32_t id = next_stream_;
    const std::size_t distance = streams_.size() / 2;
    const bool is_deferred = calls_ > 1 && frames_[streams_[1] - 2] == std::byte{1};
    for (std::size_t i = 0; i < distance; ++i, id += 2) {
      http::http2::store_uint32(frames_.data() + streams_[is_deferred ? i : 2 * i], id);
      http::http2::store_uint32(frames_.data() + streams_[is_deferred ? i + distance : 2 * i + 1], id);
    }
    next_stream_ = id;
    return frames_;
  }
  /// Of the messages of all responses.
  std::size_t payload_bytes() const noexcept { return static_cast<std::size_t>(calls_) * message_bytes_; }

 private:
  void add_headers(http::hpack::Encoder& encoder) {
    BufferWriter block;
    encoder.begin(block);
    encoder.field(":path", "/load.Echo/Sum", Indexing::without, block);
    encoder.field(":scheme", "http", Indexing::index, block);
    encoder.field(":authority", "127.0.0.1:50051", Indexing::index, block);
    encoder.field(":method", "POST", Indexing::index, block);
    encoder.field("user-agent", "h2load nghttp2/1.52.0", Indexing::index, block);
    encoder.field("content-type", "application/grpc+bytes", Indexing::index, block);
    encoder.field("te", "trailers", Indexing::index, block);
    http::http2::append_headers(1, block.bytes(), false, http::http2::min_max_frame_bytes, out_);
  }
  void add_data(const std::string& message) {
    BufferWriter data;
    std::byte prefix[web::message_prefix_bytes];
    web::write_message_prefix({.length = static_cast<std::uint32_t>(message.size())}, prefix);
    data.append(ByteSpan(prefix));
    data.append(message);
    http::http2::append_data(1, data.bytes(), true, out_);
  }
  void add_call(http::hpack::Encoder& encoder, const std::string& message) {
    add_headers(encoder);
    add_data(message);
  }

  int calls_;
  std::size_t message_bytes_;
  BufferWriter out_;
  std::vector<std::byte> greeting_;
  std::vector<std::byte> frames_;
  /// Where in the frames the id of a stream is.
  std::vector<std::size_t> streams_;
  std::uint32_t next_stream_ = 3;
};

void BM_GrpcServerCall(benchmark::State& state) {
  const auto calls = static_cast<int>(state.range(0));
  const std::string message(static_cast<std::size_t>(state.range(1)), 'x');
  Batch batch(message, calls, state.range(2) != 0);
  bench::EchoSession<GrpcServerSession> session;
  if (session.serve(batch.greeting()) != message.size()) return state.SkipWithError("a wrong response");
  for (int i = 0; i < 20; ++i) {
    if (session.serve(batch.next()) != batch.payload_bytes()) return state.SkipWithError("a wrong response");
  }

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(session.serve(batch.next()));
  measurement.finish(static_cast<std::size_t>(calls), batch.payload_bytes() * 2);
}
BENCHMARK(BM_GrpcServerCall)
    ->ArgsProduct({{1, 100}, {8, 1024}, {0}})
    ->ArgsProduct({{100}, {8, 1024}, {1}})
    ->ArgNames({"batch", "bytes", "deferred"});

}  // namespace
}  // namespace trunkline::session::grpc
