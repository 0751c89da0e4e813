// SPDX-License-Identifier: MIT
// Fuzz target: a session of HTTP/2 with calls of gRPC, gRPC-Web, Connect and plain HTTP, with client and upper layer
// led by the input.
#include "codec/bytes_codec.h"
#include "codec/json_codec.h"
#include "fuzz/drawn_frames.h"
#include "fuzz/requirement.h"
#include "fuzz/session_driver.h"
#include "http/hpack/decoder.h"
#include "http/hpack/encoder.h"
#include "http/http2/frame_payload.h"
#include "http/http2/frame_reader.h"
#include "http/http2/frame_writer.h"
#include "http/http2/settings.h"
#include "session/grpc/grpc_server_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::fuzz {
namespace {

namespace http2 = http::http2;
using http2::FrameType;
using session::CallId;
using session::EventType;

const CodecRegistry& codecs() {
  static const CodecRegistry registry =
      CodecRegistry().add(std::make_shared<codec::BytesCodec>()).add(std::make_shared<codec::JsonCodec>(CodecLimits()));
  return registry;
}

constexpr std::array<std::string_view, 16> content_types{
    "application/grpc+bytes",
    "application/grpc+bytes",
    "application/grpc+bytes",
    "application/grpc+bytes",
    "application/grpc+json",
    "application/bytes",
    "application/json",
    "text/plain",
    "application/connect+bytes",
    "application/connect+json",
    "application/grpc-web+bytes",
    "application/grpc-web+json",
    "application/grpc-web-text+bytes",
    "application/grpc-web-text+json",
    "application/foo",
    "text/html",
};

session::SessionOptions options_of(std::uint8_t shape) {
  session::SessionOptions options = kit::plain_options();
  options.codecs = &codecs();
  options.limits.call_credit_bytes = (shape & 1) != 0 ? 1000 : 65536;
  options.limits.connection_credit_bytes = 1 << 17;
  options.limits.max_message_bytes = 100000;
  options.limits.max_unread_bytes = (shape & 2) != 0 ? 110000 : 300000;
  options.limits.max_unsent_bytes = (shape & 4) != 0 ? 200 : 100000;
  options.limits.chunk_bytes = (shape & 8) != 0 ? 1024 : 65536;
  options.limits.read_buffer_bytes = (shape & 16) != 0 ? 0 : 4096;
  options.limits.keepalive_interval = std::chrono::milliseconds((shape & 32) != 0 ? 100 : 0);
  options.max_concurrent_calls = (shape & 64) != 0 ? 2 : 100;
  return options;
}

/// What the client has said, as far as it bounds what the session may send.
class ClientWatch {
 public:
  void saw(std::string_view bytes) {
    input_ += bytes;
    for (;;) {
      http2::Frame frame;
      std::size_t consumed = 0;
      const auto outcome = reader_.next(as_bytes(std::string_view(input_)), consumed, frame);
      if (outcome == http2::FrameReader::Outcome::frame) take(frame);
      input_.erase(0, consumed);
      if (outcome != http2::FrameReader::Outcome::frame) return;
    }
  }
  std::uint64_t window(std::uint32_t stream) { return granted_[stream] + (stream == 0 ? 65535 : initial_window_); }
  std::uint32_t max_frame_bytes() const noexcept { return max_frame_bytes_; }
  std::uint32_t table_bytes() const noexcept { return table_bytes_; }
  std::uint32_t newest() const noexcept { return newest_; }

 private:
  void take(const http2::Frame& frame) {
    std::uint32_t increment = 0;
    if (frame.header.type == FrameType::headers) newest_ = std::max(newest_, frame.header.stream);
    if (frame.header.type == FrameType::window_update) {
      if (!http2::read_window_update(frame.header, frame.payload, increment))
        granted_[frame.header.stream] += increment;
    }
    if (frame.header.type != FrameType::settings || frame.header.has(http2::flag::ack)) return;
    http2::SettingsReader settings(frame.payload);
    for (http2::Setting setting; settings.next(setting);) {
      if (setting.id == http2::SettingId::initial_window_size) {
        initial_window_ = std::max(initial_window_, setting.value);
      } else if (setting.id == http2::SettingId::max_frame_size) {
        max_frame_bytes_ = std::max(max_frame_bytes_, setting.value);
      } else if (setting.id == http2::SettingId::header_table_size) {
        table_bytes_ = std::max(table_bytes_, setting.value);
      }
    }
  }

  http2::FrameReader reader_{1 << 20};
  std::string input_;
  std::map<std::uint32_t, std::uint64_t> granted_;
  /// The largest that were ever announced.
  std::uint32_t initial_window_ = 65535;
  std::uint32_t max_frame_bytes_ = http2::min_max_frame_bytes;
  std::uint32_t table_bytes_ = 4096;
  std::uint32_t newest_ = 0;
};

/// Requires for every input: events come only before `closed` and only for calls that are open for the layer above, and
/// nothing is open after the end. The output consists of frames that keep the client's windows and limits, header
/// blocks that can be decoded, and for each stream headers before data, and neither after its end.
class GrpcDriver : private session::SessionOwner {
 public:
  GrpcDriver(const std::uint8_t* data, std::size_t size)
      : tape_(data, size), shape_(tape_.byte()), options_(options_of(shape_)), session_(parameters()) {
    if ((shape_ & 128) != 0) return;
    BufferWriter out;
    out.append(http2::client_preface);
    http2::append_settings({}, out);
    feed(out);
  }
  void run() {
    while (!tape_.empty()) step();
    take_output(static_cast<std::size_t>(-1));
    session_.transport_closed({});
    turn();
    require(closed_ && session_.open_calls() == 0);
    for (const auto& call : calls_) require(!call->is_open);
  }

 private:
  struct Call {
    CallId id = 0;
    bool is_open = true;
    const Codec* codec = nullptr;
  };
  struct Stream {
    std::uint64_t sent_bytes = 0;
    bool has_headers = false;
    bool is_over = false;
  };

  session::SessionParameters parameters() {
    return {.role = session::Role::server, .options = options_, .timers = timers_, .owner = *this, .now = clock_.now()};
  }
  void on_session_wake() noexcept override {}

  void step() {
    switch (tape_.byte() % 21) {
      case 0:
      case 1:
        return send_request();
      case 18:
      case 19:
      case 20:
        return send_call();
      case 2:
      case 3:
        return feed(frames_.data());
      case 4:
        return feed(frames_.frame());
      case 5:
        return feed(tape_.text(tape_.byte()));
      case 6:
        return feed(frames_.setting());
      case 7:
        return feed(frames_.window_update());
      case 8:
        return feed(frames_.reset());
      case 9:
        return take_output(tape_.number(2));
      case 10:
        return take_output(static_cast<std::size_t>(-1));
      case 11:
      case 12:
        return end_call();
      case 13:
        return send_message();
      case 14:
        return release_one();
      case 15:
        clock_.advance(std::chrono::milliseconds(tape_.byte() * 8));
        timers_.advance(clock_.now());
        return turn();
      case 16:
        if (tape_.byte() % 8 == 0) session_.drain();
        return turn();
      default:
        if (tape_.byte() % 32 == 0) session_.close(Status(StatusCode::internal, "closed by the tape"));
        return turn();
    }
  }

  // --- the client ---

  /// The parts of a proper call on the next stream or on one that is open, of which the tape chooses some.
  void send_call() {
    const std::uint8_t parts = tape_.byte();
    BufferWriter out;
    std::uint32_t stream = 0;
    if ((parts & 1) == 0) {
      stream = watch_.newest() == 0 ? 1 : (watch_.newest() | 1) + 2;
      BufferWriter block;
      encoder_.begin(block);
      const auto add = [&](std::string_view name, std::string_view value) {
        encoder_.field(name, value, http::hpack::Indexing::index, block);
      };
      add(":method", "POST");
      add(":scheme", "http");
      add(":path", "/m/0");
      add("content-type", content_types[parts >> 4]);
      http2::append_headers(stream, block.bytes(), false, http2::min_max_frame_bytes, out);
    } else {
      const Call* const call = pick();
      if (call == nullptr) return;
      stream = static_cast<std::uint32_t>(call->id);
    }
    for (int messages = (parts >> 1) & 3; messages > 0; --messages) out.append(frames_.message(stream));
    if ((parts & 8) == 0) http2::append_data(stream, {}, true, out);
    feed(out);
  }
  /// A request with what the tape chooses, or trailers.
  void send_request() {
    const std::uint8_t fields = tape_.byte();
    const std::uint8_t more = tape_.byte();
    const auto indexing = (more & 1) != 0 ? http::hpack::Indexing::index : http::hpack::Indexing::without;
    BufferWriter block;
    encoder_.begin(block);
    const auto add = [&](std::string_view name, std::string_view value) {
      encoder_.field(name, value, indexing, block);
    };
    if ((fields & 1) == 0) {
      add(":method", (fields & 2) == 0 ? "POST" : "GET");
      add(":scheme", "http");
      const bool has_query = (more & 16) != 0;
      add(":path", "/m/" + std::to_string(fields >> 6) + (has_query ? "?" + tape_.text(tape_.byte() % 64) : ""));
      if ((fields & 4) == 0) add("content-type", content_types[more >> 4]);
    }
    if ((fields & 8) != 0) add("grpc-timeout", std::to_string(tape_.byte()) + "m");
    if ((fields & 16) != 0) add("content-length", std::to_string(tape_.number(2)));
    if ((fields & 32) != 0) add(tape_.text(tape_.byte() % 32), tape_.text(tape_.byte()));
    if ((more & 32) != 0) add("connect-timeout-ms", std::to_string(tape_.byte()));
    if ((more & 64) != 0) add("accept", "text/event-stream");
    if ((more & 128) != 0) add("content-encoding", "snappy");
    if ((more & 2) != 0) add("k-bin", std::string(tape_.number(2) % 20000, 'A'));
    BufferWriter out;
    const std::uint32_t part = (more & 4) != 0 ? 20 : http2::min_max_frame_bytes;
    http2::append_headers(frames_.stream(), block.bytes(), (more & 8) != 0, part, out);
    feed(out);
  }
  void feed(const BufferWriter& out) { feed(as_text(out.bytes())); }
  void feed(std::string_view bytes) {
    const std::size_t part = tape_.part_of(bytes.size());
    while (!bytes.empty()) {
      std::array<MutableByteSpan, 2> room;
      const std::size_t count = session_.prepare_receive(room);
      const std::size_t size = count == 0 ? 0 : std::min({bytes.size(), part, room[0].size()});
      if (size == 0) return take_output(static_cast<std::size_t>(-1));
      std::memcpy(room[0].data(), bytes.data(), size);
      watch_.saw(bytes.substr(0, size));
      bytes.remove_prefix(size);
      session_.received(size, clock_.now());
      turn();
    }
  }

  // --- the output ---

  void take_output(std::size_t most) {
    while (most > 0 && session_.has_output()) {
      std::array<ByteSpan, 8> spans;
      const std::size_t count = session_.gather(spans);
      std::size_t taken = 0;
      for (std::size_t i = 0; i < count && taken < most; ++i) {
        const std::size_t size = std::min(spans[i].size(), most - taken);
        output_ += as_text(spans[i].first(size));
        taken += size;
      }
      if (taken == 0) break;
      session_.wrote(taken);
      most -= taken;
    }
    check_output();
    turn();
  }
  void check_output() {
    std::size_t at = 0;
    while (output_.size() - at >= http2::frame_header_bytes) {
      const auto header = http2::read_frame_header(as_bytes(std::string_view(output_)).data() + at);
      require(!http2::check_frame_header(header, watch_.max_frame_bytes()));
      if (output_.size() - at - http2::frame_header_bytes < header.length) break;
      at += http2::frame_header_bytes;
      check_frame(header, as_bytes(std::string_view(output_)).subspan(at, header.length));
      at += header.length;
    }
    output_.erase(0, at);
  }
  void check_frame(const http2::FrameHeader& header, ByteSpan payload) {
    // Only the client opens streams.
    require(header.stream == 0 || (header.stream % 2 == 1 && header.stream <= watch_.newest()));
    const bool is_of_call = header.type == FrameType::headers || header.type == FrameType::data;
    if (!is_of_call && header.type != FrameType::rst_stream) return;
    Stream& stream = streams_[header.stream];
    if (is_of_call) require(!stream.is_over);
    if (header.type == FrameType::headers) {
      require(header.has(http2::flag::end_headers));
      check_block(payload);
      stream.has_headers = true;
    } else if (header.type == FrameType::data) {
      require(stream.has_headers);
      stream.sent_bytes += header.length;
      sent_bytes_ += header.length;
      require(stream.sent_bytes <= watch_.window(header.stream) && sent_bytes_ <= watch_.window(0));
    }
    stream.is_over = header.type == FrameType::rst_stream || header.has(http2::flag::end_stream);
  }
  void check_block(ByteSpan block) {
    decoder_.set_max_table_bytes(watch_.table_bytes());
    decoder_.begin(block);
    for (http::hpack::Field field;;) {
      const auto step = decoder_.next(field);
      require(step != http::hpack::Decoder::Step::error);
      if (step != http::hpack::Decoder::Step::field) return;
    }
  }

  // --- the layer above ---

  void turn() {
    if (std::exchange(in_turn_, true)) return;
    while (session_.next(event_)) on_event();
    in_turn_ = false;
  }
  void on_event() {
    require(!closed_);
    if (event_.context != nullptr) {
      require(static_cast<Call*>(event_.context)->is_open && static_cast<Call*>(event_.context)->id == event_.id);
    }
    if (event_.has_message) {
      unsigned sum = 0;  // every byte must be readable
      for (const std::byte byte : event_.payload) sum += std::to_integer<unsigned>(byte);
      require(sum <= 255 * event_.payload.size());
      if (tape_.byte() % 4 == 0) {
        event_.is_retained = true;
        retained_.emplace_back(event_.id, event_.credit);
      }
    }
    if (event_.type == EventType::call) return on_call();
    if (event_.type == EventType::cancelled) {
      require(!event_.status.is_ok());
      if (event_.context != nullptr) static_cast<Call*>(event_.context)->is_open = false;
    }
    closed_ = event_.type == EventType::closed;
  }
  void on_call() {
    require(event_.context == nullptr);
    switch (tape_.byte() % 4) {
      case 0:
        return;  // the session must finish the call
      case 1:
        static_cast<void>(
            session_.finish(event_.id, {}, draw_message(event_.codec_of_response()), nullptr, tape_.byte() % 8 == 0));
        return;
      default:
        calls_.push_back(std::make_unique<Call>(Call{event_.id, true, event_.codec_of_response()}));
        session_.attach(event_.id, calls_.back().get());
    }
  }
  Call* pick() {
    const std::size_t start = tape_.byte();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Call* const call = calls_[(start + i) % calls_.size()].get();
      if (call->is_open) return call;
    }
    return nullptr;
  }
  session::OutgoingMessage draw_message(const Codec* codec) {
    const std::uint8_t kind = tape_.byte();
    if (kind % 8 == 0) return {};
    const std::string bytes(kind % 8 == 7 ? tape_.number(2) * 3u : tape_.byte(), 'y');
    return {.codec = codec, .payload = Slice::copy_of(bytes)};
  }
  void send_message() {
    if (Call* const call = pick()) {
      Metadata leading;
      if (tape_.byte() % 2 != 0) leading.add("leading", "value");
      static_cast<void>(session_.is_writable(call->id));
      static_cast<void>(session_.send(call->id, draw_message(call->codec), &leading, false));
    }
    turn();
  }
  void end_call() {
    if (Call* const call = pick()) {
      call->is_open = false;
      const std::uint8_t shape = tape_.byte();
      Metadata trailing;
      if ((shape & 2) != 0) trailing.add("trailing", "value");
      const Status status = (shape & 1) != 0 ? Status(StatusCode::aborted, "text") : Status();
      static_cast<void>(session_.finish(call->id, status, draw_message(call->codec), &trailing, false));
    }
    turn();
  }
  void release_one() {
    if (retained_.empty()) return;
    session_.release(retained_.back().first, retained_.back().second);
    retained_.pop_back();
    turn();
  }

  Tape tape_;
  DrawnFrames frames_{tape_};
  const std::uint8_t shape_;
  const session::SessionOptions options_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  session::grpc::GrpcServerSession session_;
  session::Event event_;
  bool in_turn_ = false;
  bool closed_ = false;
  std::vector<std::unique_ptr<Call>> calls_;
  std::vector<std::pair<CallId, session::MessageCredit>> retained_;

  http::hpack::Encoder encoder_;
  ClientWatch watch_;
  std::string output_;
  http::hpack::NameIds ids_{};
  http::hpack::Decoder decoder_{ids_};
  std::map<std::uint32_t, Stream> streams_;
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace
}  // namespace trunkline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trunkline::fuzz::GrpcDriver(data, size).run();
  return 0;
}
