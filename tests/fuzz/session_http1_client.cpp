// SPDX-License-Identifier: MIT
// Fuzz target: a session of HTTP/1.1 as client of Connect or gRPC-Web, with server and upper layer led by the input.
#include "fuzz/requirement.h"
#include "fuzz/session_driver.h"
#include "http/http1/content_reader.h"
#include "http/http1/request_reader.h"
#include "session/http1/http1_client_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::fuzz {
namespace {

using session::CallId;
using session::EventType;
using session::web::ClientProtocol;

session::SessionOptions options_of(std::uint8_t shape) {
  session::SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = (shape & 1) != 0 ? 100 : 65536;
  options.limits.max_message_bytes = 100000;
  options.limits.max_unsent_bytes = (shape & 2) != 0 ? 200 : 100000;
  options.limits.max_header_bytes = (shape & 4) != 0 ? 256 : 8192;
  options.limits.read_buffer_bytes = (shape & 8) != 0 ? 0 : 65536;
  options.limits.stall_timeout = std::chrono::milliseconds((shape & 16) != 0 ? 500 : 0);
  options.http_get = (shape & 32) != 0;
  return options;
}

/// Requires for every input: events come only before `closed` and only for calls that are open for the layer above,
/// each call ends once, one-way calls have no events, and nothing is open after the end. There is one call at a time.
/// The output consists of requests that a strict server reads, of which only the last may be cut off.
class Http1ClientDriver : private session::SessionOwner {
 public:
  Http1ClientDriver(const std::uint8_t* data, std::size_t size)
      : tape_(data, size),
        shape_(tape_.byte()),
        protocol_((shape_ & 64) != 0 ? ClientProtocol::grpc_web : ClientProtocol::connect),
        options_(options_of(shape_)),
        session_(parameters(), protocol_) {}

  void run() {
    turn();
    while (!tape_.empty() && !closed_) step();
    take_output(static_cast<std::size_t>(-1));
    session_.transport_closed({});
    turn();
    session_.close({});
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

  session::SessionParameters parameters() {
    return {.role = session::Role::client, .options = options_, .timers = timers_, .owner = *this, .now = clock_.now()};
  }
  void on_session_wake() noexcept override {}

  void step() {
    switch (tape_.byte() % 16) {
      case 0:
      case 1:
      case 2:
        return start_call();
      case 3:
      case 4:
      case 5:
      case 6:
        return send_response();
      case 7:
        return feed(tape_.text(tape_.byte()));
      case 8:
        return take_output(tape_.number(2));
      case 9:
      case 10:
        return take_output(static_cast<std::size_t>(-1));
      case 11:
        return send_message();
      case 12:
        return cancel_call();
      case 13:
        return release_one();
      case 14:
        clock_.advance(std::chrono::milliseconds(tape_.byte() * 4));
        timers_.advance(clock_.now());
        return turn();
      default:
        return end_connection();
    }
  }

  // --- the server ---

  /// A response to the open call, whose parts are drawn, right in most of them.
  void send_response() {
    static constexpr std::array<std::string_view, 8> statuses{
        "200 OK", "200 ", "200 OK", "409 Conflict", "503 Busy", "103 Early Hints", "505 Not so fast", "204 No Content"};
    static constexpr std::array<std::string_view, 8> fields{"",
                                                            "Connection: close\r\n",
                                                            "grpc-status: 10\r\n",
                                                            "Trailer-K: v\r\n",
                                                            "A: b\r\n c\r\n",
                                                            "k-bin: AAE\r\n",
                                                            "Content-Length: 3\r\n",
                                                            "Content-Encoding: snappy\r\n"};
    take_output(static_cast<std::size_t>(-1));
    const Call* const call = open_call();
    const bool is_stream = call != nullptr && call->is_stream;
    const std::uint8_t shape = tape_.byte();
    const std::string_view status = statuses[tape_.byte() % statuses.size()];
    std::string text((shape & 1) == 0 ? "HTTP/1.1 " : "HTTP/1.0 ");
    text.append(status).append("\r\nContent-Type: ").append(content_type(is_stream, status.starts_with("409")));
    text.append("\r\n").append(fields[tape_.byte() % fields.size()]);
    const std::string content = (shape & 2) != 0 ? tape_.text(tape_.byte()) : content_of(is_stream);
    if ((shape & 4) != 0) {
      text.append("\r\n").append(content);
    } else if ((shape & 8) != 0) {
      text.append("Transfer-Encoding: chunked\r\n\r\n").append(chunked(content));
    } else {
      text.append("Content-Length: ").append(std::to_string(content.size())).append("\r\n\r\n").append(content);
    }
    feed(text);
  }
  std::string_view content_type(bool is_stream, bool is_error) {
    if (tape_.byte() % 16 == 0) return "text/html";
    if (protocol_ == ClientProtocol::grpc_web) return "application/grpc-web+bytes";
    if (is_error && !is_stream) return "application/json";
    return is_stream ? "application/connect+bytes" : "application/bytes";
  }
  std::string content_of(bool is_stream) {
    const bool is_enveloped = is_stream || protocol_ == ClientProtocol::grpc_web;
    if (!is_enveloped) return tape_.byte() % 2 == 0 ? R"({"code":"aborted","message":"m"})" : tape_.text(tape_.byte());
    std::string content;
    for (int messages = tape_.byte() % 4; messages > 0; --messages) {
      content += enveloped('\0', std::string(tape_.byte(), 'm'));
    }
    const std::uint8_t end = tape_.byte();
    if (end % 8 == 0) return content;
    if (protocol_ == ClientProtocol::grpc_web) {
      return content + enveloped('\x80', end % 2 == 0 ? "grpc-status: 0\r\n" : "grpc-status: 9\r\nk: v\r\n");
    }
    return content + enveloped('\x02', end % 2 == 0 ? "{}" : R"({"error":{"code":"aborted"},"metadata":{"a":["b"]}})");
  }
  static std::string enveloped(char flag, std::string_view payload) {
    std::string bytes{flag, '\0', '\0', static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size())};
    return bytes.append(payload);
  }
  static std::string chunked(std::string_view content) {
    std::string text;
    for (; !content.empty(); content.remove_prefix(std::min<std::size_t>(content.size(), 15))) {
      const std::size_t size = std::min<std::size_t>(content.size(), 15);
      text.push_back("0123456789abcdef"[size]);
      text.append("\r\n").append(content.substr(0, size)).append("\r\n");
    }
    return text.append("0\r\n\r\n");
  }
  void feed(std::string_view bytes) {
    while (!bytes.empty() && !session_.is_closed()) {
      std::array<MutableByteSpan, 2> room;
      const std::size_t count = session_.prepare_receive(room);
      const std::size_t size = count == 0 ? 0 : std::min({tape_.part_of(bytes.size()), bytes.size(), room[0].size()});
      if (size == 0) return turn();
      std::memcpy(room[0].data(), bytes.data(), size);
      bytes.remove_prefix(size);
      session_.received(size, clock_.now());
      turn();
    }
  }
  void end_connection() {
    const std::uint8_t how = tape_.byte();
    if (how % 8 == 0) session_.drain();
    if (how % 32 == 1) session_.close(Status(StatusCode::internal, "closed by the tape"));
    if (how % 8 == 2) session_.transport_closed({});
    if (how % 32 == 3) session_.transport_closed(Status(StatusCode::unavailable, "reset by the tape"));
    if (how % 8 == 4) session_.received_nothing();
    turn();
  }

  // --- the output ---

  void take_output(std::size_t most) {
    while (most > 0 && session_.has_output()) {
      std::array<ByteSpan, 4> spans;
      const std::size_t count = session_.gather(spans);
      std::size_t taken = 0;
      for (std::size_t i = 0; i < count && taken < most; ++i) {
        const std::size_t size = std::min(spans[i].size(), most - taken);
        output_.append(as_text(spans[i].first(size)));
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
    for (;;) {
      while (!content_.is_over()) {
        std::size_t consumed = 0;
        const auto outcome = content_.read(output_, consumed);
        require(outcome != http::http1::ContentReader::Outcome::refused);
        output_.erase(0, consumed);
        if (outcome == http::http1::ContentReader::Outcome::needs_input) return;
      }
      if (output_.empty()) return;
      const auto outcome = requests_.read(output_);
      require(outcome != http::http1::RequestReader::Outcome::refused);
      if (outcome == http::http1::RequestReader::Outcome::needs_input) return;
      const http::http1::RequestHead& head = requests_.head();
      require(head.method == "POST" ? head.is_chunked || head.content_length : head.method == "GET");
      content_.begin(head.is_chunked, head.content_length.value_or(0));
      output_.erase(0, requests_.size());
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
    return kit::payload(std::string(kind % 8 == 7 ? tape_.number(2) * 3u : tape_.byte(), 'y'),
                        kind % 8 == 6 ? &kit::snappy() : nullptr);
  }
  void start_call() {
    const std::uint8_t shape = tape_.byte();
    if (!session_.can_start()) return turn();
    require(open_call() == nullptr && session_.open_calls() == 0);
    Metadata metadata;
    if ((shape & 1) != 0) metadata.add("key", std::string(tape_.byte(), 'v'));
    static constexpr std::array<std::string_view, 4> methods{"m/0", "m/1 ?#", "m/2", "m/3"};
    session::CallStart start{.method = {.key = shape % 4u, .name = methods[shape % 4]}};
    start.metadata = &metadata;
    start.is_stream = (shape & 4) != 0;
    // A unary call has no further messages.
    start.end = (shape & 8) == 0 || !start.is_stream;
    start.one_way = (shape & 48) == 48;
    start.is_idempotent = (shape & 128) != 0;
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
    if (Call* const call = open_call()) {
      static_cast<void>(session_.is_writable(call->id));
      static_cast<void>(session_.send(call->id, draw_message(), nullptr, tape_.byte() % 4 == 0));
    }
    turn();
  }
  void cancel_call() {
    if (Call* const call = open_call()) {
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
  Call* open_call() {
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [](const auto& call) { return call->is_open; });
    return found == calls_.rend() ? nullptr : found->get();
  }

  Tape tape_;
  const std::uint8_t shape_;
  const ClientProtocol protocol_;
  const session::SessionOptions options_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  session::http1::Http1ClientSession session_;
  session::Event event_;
  bool in_turn_ = false;
  bool closed_ = false;
  std::vector<std::unique_ptr<Call>> calls_;
  std::vector<std::pair<CallId, session::MessageCredit>> retained_;

  std::string output_;
  http::http1::RequestReader requests_{{.max_head_bytes = 1 << 20, .max_first_line_bytes = 1 << 20}};
  http::http1::ContentReader content_{{}};
};

}  // namespace
}  // namespace trunkline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  trunkline::fuzz::Http1ClientDriver(data, size).run();
  return 0;
}
