// SPDX-License-Identifier: MIT
// Fuzz target: a session over HTTP/2 as client, with server and upper layer led by the input. TRUNKLINE_FUZZED names
// the protocol: grpc, grpc_web or connect.
#include "fuzz/drawn_frames.h"
#include "fuzz/requirement.h"
#include "fuzz/session_driver.h"
#include "http/hpack/decoder.h"
#include "http/hpack/encoder.h"
#include "http/http2/frame_payload.h"
#include "http/http2/frame_writer.h"
#include "http/http2/settings.h"
#include "session/grpc/grpc_client_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
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

using session::web::ClientProtocol;

constexpr std::string_view fuzzed = TRUNKLINE_FUZZED;
constexpr ClientProtocol protocol = fuzzed == "grpc"       ? ClientProtocol::grpc
                                    : fuzzed == "grpc_web" ? ClientProtocol::grpc_web
                                                           : ClientProtocol::connect;

session::SessionOptions options_of(std::uint8_t shape) {
  session::SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = (shape & 1) != 0 ? 1000 : 65536;
  options.limits.connection_credit_bytes = 1 << 17;
  options.limits.max_message_bytes = 100000;
  options.limits.max_unread_bytes = (shape & 2) != 0 ? 110000 : 300000;
  options.limits.max_unsent_bytes = (shape & 4) != 0 ? 200 : 100000;
  options.limits.chunk_bytes = (shape & 8) != 0 ? 1024 : 65536;
  options.limits.read_buffer_bytes = (shape & 16) != 0 ? 0 : 4096;
  options.limits.keepalive_interval = std::chrono::milliseconds((shape & 32) != 0 ? 100 : 0);
  return options;
}

/// Requires for every input: events come only before `closed` and only for calls that are open for the layer above,
/// each call ends once, one-way calls have no events, and nothing is open after the end. The output consists of frames
/// of at most 16 KiB with header blocks that can be decoded, stream ids rise, and for each stream headers come before
/// data, and neither after its end.
class GrpcClientDriver : private session::SessionOwner {
 public:
  GrpcClientDriver(const std::uint8_t* data, std::size_t size)
      : tape_(data, size), shape_(tape_.byte()), options_(options_of(shape_)), session_(parameters(), protocol) {
    if ((shape_ & 128) != 0) return;
    BufferWriter out;
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
    bool is_stream = false;
  };
  struct Stream {
    bool is_over = false;
  };

  session::SessionParameters parameters() {
    return {.role = session::Role::client, .options = options_, .timers = timers_, .owner = *this, .now = clock_.now()};
  }
  void on_session_wake() noexcept override {}

  void step() {
    switch (tape_.byte() % 24) {
      case 0:
      case 1:
      case 2:
        return start_call();
      case 20:
      case 21:
      case 22:
      case 23:
        return send_response();
      case 3:
      case 4:
      case 5:
        return send_block();
      case 6:
      case 7:
        return feed(frames_.data());
      case 8:
        return feed(frames_.frame());
      case 9:
        return feed(tape_.text(tape_.byte()));
      case 10:
        return feed(frames_.setting());
      case 11:
        return feed(frames_.window_update());
      case 12:
        return feed(frames_.reset());
      case 13:
        return take_output(tape_.number(2));
      case 14:
        return take_output(static_cast<std::size_t>(-1));
      case 15:
        return send_message();
      case 16:
        return cancel_call();
      case 17:
        return release_one();
      case 18:
        clock_.advance(std::chrono::milliseconds(tape_.byte() * 8));
        timers_.advance(clock_.now());
        return turn();
      default:
        return end_connection();
    }
  }

  // --- the server ---

  /// The parts of a proper response to a call that is open, of which the tape chooses some: so messages arrive.
  void send_response() {
    const std::uint8_t parts = tape_.byte();
    const Call* const call = pick();
    if (call == nullptr) return start_call();
    const auto stream = static_cast<std::uint32_t>(call->id);
    if (protocol != ClientProtocol::grpc) return send_web_response(*call, parts);
    BufferWriter out;
    if ((parts & 1) == 0) {
      append_block(stream, {{":status", "200"}, {"content-type", "application/grpc+bytes"}}, false, out);
    }
    for (int messages = (parts >> 1) & 3; messages > 0; --messages) out.append(frames_.message(stream));
    if ((parts & 8) == 0) append_block(stream, {{"grpc-status", (parts & 16) == 0 ? "0" : "14"}}, true, out);
    feed(out);
  }
  /// The same over Connect and gRPC-Web.
  void send_web_response(const Call& call, std::uint8_t parts) {
    const auto stream = static_cast<std::uint32_t>(call.id);
    const bool is_body = protocol == ClientProtocol::connect && !call.is_stream;
    const bool is_error = is_body && (parts & 64) != 0;
    BufferWriter out;
    if ((parts & 1) == 0) {
      const std::string_view type = is_error                               ? "application/json"
                                    : is_body                              ? "application/bytes"
                                    : protocol == ClientProtocol::grpc_web ? "application/grpc-web+bytes"
                                                                           : "application/connect+bytes";
      append_block(stream, {{":status", is_error ? "409" : "200"}, {"content-type", type}, {"trailer-a", "b"}}, false,
                   out);
    }
    for (int messages = (parts >> 1) & 3; messages > 0 && !is_error; --messages) out.append(frames_.message(stream));
    const bool ends = (parts & 8) == 0;
    const std::string end = end_text(is_error);
    std::string content;
    if (!is_body) {
      const char flag = protocol == ClientProtocol::grpc_web ? '\x80' : '\x02';
      content = {flag, '\0', '\0', static_cast<char>(end.size() >> 8), static_cast<char>(end.size())};
    }
    if (!is_body || is_error) content += end;
    const std::size_t part = (parts & 16) == 0 ? content.size() : content.size() / 2;
    http2::append_data(stream, as_bytes(std::string_view(content).substr(0, part)), false, out);
    http2::append_data(stream, as_bytes(std::string_view(content).substr(part)), ends, out);
    feed(out);
  }
  /// How a call ends over Connect and gRPC-Web.
  std::string end_text(bool is_error) {
    const std::uint8_t drawn = tape_.byte();
    if (drawn % 4 == 0) return std::string(tape_.text(tape_.byte()));
    if (protocol == ClientProtocol::grpc_web) {
      return drawn % 4 == 1 ? "grpc-status: 0\r\n" : "grpc-status: 10\r\ngrpc-message: %25\r\nA-bin: AA\r\n";
    }
    if (is_error) return R"({"code":"aborted","message":"m","details":[{"type":"a.B","value":"AA"}]})";
    return drawn % 4 == 1 ? "{}" : R"({"error":{"code":"aborted"},"metadata":{"a":["b"],"c-bin":["AA"]}})";
  }
  void append_block(std::uint32_t stream, std::initializer_list<std::pair<std::string_view, std::string_view>> fields,
                    bool end, BufferWriter& out) {
    BufferWriter block;
    encoder_.begin(block);
    for (const auto& [name, value] : fields) encoder_.field(name, value, http::hpack::Indexing::index, block);
    http2::append_headers(stream, block.bytes(), end, http2::min_max_frame_bytes, out);
  }
  /// Headers or trailers with what the tape chooses.
  void send_block() {
    const std::uint8_t fields = tape_.byte();
    const std::uint8_t more = tape_.byte();
    const auto indexing = (more & 1) != 0 ? http::hpack::Indexing::index : http::hpack::Indexing::without;
    static constexpr std::array<std::string_view, 4> statuses{"200", "503", "100", "404"};
    static constexpr std::array<std::string_view, 4> types_of_grpc{"application/grpc+bytes", "application/grpc",
                                                                   "text/html", "application/grpc+x"};
    static constexpr std::array<std::string_view, 4> types_of_web{
        "application/bytes", "application/json",
        protocol == ClientProtocol::connect ? "application/connect+bytes" : "application/grpc-web+bytes", "text/html"};
    static constexpr auto types = protocol == ClientProtocol::grpc ? types_of_grpc : types_of_web;
    static constexpr std::array<std::string_view, 4> codes{"0", "14", "99", "x"};
    BufferWriter block;
    encoder_.begin(block);
    const auto add = [&](std::string_view name, std::string_view value) {
      encoder_.field(name, value, indexing, block);
    };
    if ((fields & 1) == 0) {
      add(":status", statuses[fields >> 6]);
      add("content-type", types[more >> 6]);
    }
    if ((fields & 2) != 0) add("grpc-status", codes[(fields >> 2) & 3]);
    if ((fields & 16) != 0) add("content-length", std::to_string(tape_.number(2)));
    if ((fields & 32) != 0) add(tape_.text(tape_.byte() % 32), tape_.text(tape_.byte()));
    if (protocol == ClientProtocol::connect && (fields & 2) != 0) add("content-encoding", "snappy");
    if (protocol == ClientProtocol::connect && (fields & 4) != 0) add("connect-content-encoding", "snappy");
    if ((more & 2) != 0) add("k-bin", std::string(tape_.number(2) % 20000, 'A'));
    if ((more & 16) != 0) add("grpc-message", "%E2%98%BA%");
    if ((more & 32) != 0) add("grpc-status-details-bin", tape_.text(tape_.byte() % 16));
    BufferWriter out;
    const std::uint32_t part = (more & 4) != 0 ? 20 : http2::min_max_frame_bytes;
    http2::append_headers(frames_.stream(), block.bytes(), (more & 8) != 0, part, out);
    feed(out);
  }
  void end_connection() {
    const std::uint8_t how = tape_.byte();
    if (how % 8 == 0) session_.drain();
    if (how % 32 == 1) session_.close(Status(StatusCode::internal, "closed by the tape"));
    if (how % 8 == 2) {
      BufferWriter out;
      http2::append_goaway(frames_.stream(), static_cast<http2::ErrorCode>(how >> 4), {}, out);
      feed(out);
    }
    turn();
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
    if (!has_preface_) {
      const std::string_view preface = http2::client_preface;
      if (output_.size() < preface.size()) return;
      require(output_.starts_with(preface));
      output_.erase(0, preface.size());
      has_preface_ = true;
    }
    std::size_t at = 0;
    while (output_.size() - at >= http2::frame_header_bytes) {
      const auto header = http2::read_frame_header(as_bytes(std::string_view(output_)).data() + at);
      require(!http2::check_frame_header(header, http2::max_frame_bytes_limit));
      if (output_.size() - at - http2::frame_header_bytes < header.length) break;
      at += http2::frame_header_bytes;
      check_frame(header, as_bytes(std::string_view(output_)).subspan(at, header.length));
      at += header.length;
    }
    output_.erase(0, at);
  }
  void check_frame(const http2::FrameHeader& header, ByteSpan payload) {
    if (header.stream == 0) return;
    require(header.stream % 2 == 1);
    if (header.type == FrameType::headers) {
      require(header.stream > newest_ && header.has(http2::flag::end_headers));
      newest_ = header.stream;
      check_block(payload);
    }
    require(header.stream <= newest_);
    const bool is_of_call = header.type == FrameType::headers || header.type == FrameType::data;
    if (!is_of_call && header.type != FrameType::rst_stream) return;
    Stream& stream = streams_[header.stream];
    if (is_of_call) require(!stream.is_over);
    if (header.type == FrameType::rst_stream || header.has(http2::flag::end_stream)) stream.is_over = true;
  }
  void check_block(ByteSpan block) {
    decoder_.set_max_table_bytes(4096);
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
    const bool is_of_call = event_.type == EventType::finished || event_.type == EventType::message ||
                            (event_.type == EventType::writable && event_.id != 0);
    if (is_of_call) {
      require(event_.context != nullptr);
      Call& call = *static_cast<Call*>(event_.context);
      require(call.is_open && call.id == event_.id);
      if (event_.type == EventType::finished) call.is_open = false;
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
    closed_ = event_.type == EventType::closed;
  }
  session::OutgoingMessage draw_message() {
    const std::uint8_t kind = tape_.byte();
    if (kind % 8 == 0) return {};
    return kit::payload(std::string(kind % 8 == 7 ? tape_.number(2) * 3u : tape_.byte(), 'y'));
  }
  void start_call() {
    const std::uint8_t shape = tape_.byte();
    if (!session_.can_start()) return turn();
    Metadata metadata;
    if ((shape & 1) != 0) metadata.add("key", std::string(tape_.byte(), 'v'));
    static constexpr std::array<std::string_view, 4> methods{"m/0", "m/1", "m/2", "m/3"};
    session::CallStart start{.method = {.key = shape % 4u, .name = methods[shape % 4]}};
    start.metadata = &metadata;
    // A unary call has no further messages.
    start.is_stream = protocol == ClientProtocol::connect && (shape & 4) != 0;
    start.end = (shape & 8) == 0 || (protocol == ClientProtocol::connect && !start.is_stream);
    start.one_way = (shape & 48) == 48;
    start.codec = &kit::bytes_codec();
    start.now = clock_.now();
    if ((shape & 64) != 0) start.deadline = clock_.now() + std::chrono::milliseconds(tape_.byte() * 4);
    auto call = std::make_unique<Call>();
    call->is_stream = start.is_stream;
    start.context = call.get();
    const Result<CallId> id = session_.start(start, draw_message());
    if (id.is_ok() && !start.one_way) {
      call->id = *id;
      calls_.push_back(std::move(call));
    }
    turn();
  }
  void send_message() {
    if (Call* const call = pick()) {
      static_cast<void>(session_.is_writable(call->id));
      static_cast<void>(session_.send(call->id, draw_message(), nullptr, tape_.byte() % 4 == 0));
    }
    turn();
  }
  void cancel_call() {
    if (Call* const call = pick()) {
      call->is_open = false;
      session_.cancel(call->id, StatusCode::cancelled);
    }
    turn();
  }
  void release_one() {
    if (retained_.empty()) return;
    session_.release(retained_.back().first, retained_.back().second);
    retained_.pop_back();
    turn();
  }
  Call* pick() {
    const std::size_t start = tape_.byte();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Call* const call = calls_[(start + i) % calls_.size()].get();
      if (call->is_open) return call;
    }
    return nullptr;
  }

  Tape tape_;
  DrawnFrames frames_{tape_};
  const std::uint8_t shape_;
  const session::SessionOptions options_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  session::grpc::GrpcClientSession session_;
  session::Event event_;
  bool in_turn_ = false;
  bool closed_ = false;
  std::vector<std::unique_ptr<Call>> calls_;
  std::vector<std::pair<CallId, session::MessageCredit>> retained_;

  http::hpack::Encoder encoder_;
  std::string output_;
  bool has_preface_ = false;
  std::uint32_t newest_ = 0;
  http::hpack::NameIds ids_{};
  http::hpack::Decoder decoder_{ids_};
  std::map<std::uint32_t, Stream> streams_;
};

}  // namespace
}  // namespace trunkline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trunkline::fuzz::GrpcClientDriver(data, size).run();
  return 0;
}
