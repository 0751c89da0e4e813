// SPDX-License-Identifier: MIT
// Fuzz target: a session of HTTP/1.1, with client and upper layer led by the input.
#include "fuzz/requirement.h"
#include "fuzz/session_driver.h"
#include "http/http1/content_reader.h"
#include "http/http1/response_reader.h"
#include "session/http1/http1_server_session.h"

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

session::SessionOptions options_of(std::uint8_t shape) {
  session::SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = (shape & 1) != 0 ? 100 : 65536;
  options.limits.max_message_bytes = 100000;
  options.limits.max_unsent_bytes = (shape & 2) != 0 ? 200 : 100000;
  options.limits.max_header_bytes = (shape & 4) != 0 ? 256 : 8192;
  options.limits.read_buffer_bytes = (shape & 8) != 0 ? 0 : 65536;
  options.limits.stall_timeout = std::chrono::milliseconds((shape & 16) != 0 ? 500 : 0);
  return options;
}

/// Requires for every input: events come only before `closed` and only for calls that are open for the layer above, and
/// nothing is open after the end. The output consists of responses that can be read, and none is cut off unless the
/// connection ends.
class Http1Driver : private session::SessionOwner {
 public:
  Http1Driver(const std::uint8_t* data, std::size_t size)
      : tape_(data, size), shape_(tape_.byte()), options_(options_of(shape_)), session_(parameters()) {}

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
  };

  session::SessionParameters parameters() {
    return {.role = session::Role::server, .options = options_, .timers = timers_, .owner = *this, .now = clock_.now()};
  }
  void on_session_wake() noexcept override {}
  std::uint64_t routes_version() const noexcept override { return (shape_ & 32) != 0 ? 1 : 0; }
  session::RouteMatch find_route(std::string_view http_method, std::string_view path) override {
    if (path != "/A") return {};
    return http_method == "GET" ? session::RouteMatch{"GET /A", {}} : session::RouteMatch{{}, "GET"};
  }
  Status on_call_begun(session::Event&) override {
    return tape_.byte() % 8 == 0 ? Status(StatusCode::unimplemented, "no") : Status();
  }

  void step() {
    switch (tape_.byte() % 12) {
      case 0:
      case 1:
      case 2:
        return feed(request());
      case 3:
        return feed(tape_.text(tape_.byte()));
      case 4:
        return take_output(tape_.number(2));
      case 5:
        return take_output(static_cast<std::size_t>(-1));
      case 6:
      case 7:
        return end_call();
      case 8:
        return send_message();
      case 9:
        return release_one();
      case 10:
        clock_.advance(std::chrono::milliseconds(tape_.byte() * 8));
        timers_.advance(clock_.now());
        return turn();
      default:
        if (tape_.byte() % 8 == 0) session_.drain();
        if (tape_.byte() % 32 == 0) session_.close({StatusCode::unavailable, "stop"});
        return turn();
    }
  }

  /// A request whose parts are drawn, right in most of them.
  std::string request() {
    static constexpr std::array<std::string_view, 8> types{"application/octet-stream",
                                                           "application/connect+bytes",
                                                           "application/grpc-web+bytes",
                                                           "application/grpc",
                                                           "application/grpc-web-text+bytes",
                                                           "application/json",
                                                           "text/plain",
                                                           "application/octet-stream"};
    static constexpr std::array<std::string_view, 8> fields{
        "",         "Connection: close\r\n",        "Expect: 100-continue\r\n", "Connect-Timeout-Ms: 500\r\n",
        "K: v\r\n", "Content-Encoding: snappy\r\n", "A: b\r\n c\r\n",           "Accept: text/event-stream\r\n"};
    static constexpr std::array<std::string_view, 4> starts{"POST /A", "GET /A?encoding=bytes&message=a", "HEAD /A",
                                                            "POST /B"};
    const std::uint8_t shape = tape_.byte();
    std::string text(starts[shape % 4]);
    text.append((shape & 4) != 0 ? " HTTP/1.1\r\nHost: h\r\n" : " HTTP/1.0\r\n");
    text.append("Content-Type: ").append(types[tape_.byte() % types.size()]).append("\r\n");
    text.append(fields[tape_.byte() % fields.size()]);
    const std::string content = tape_.text(tape_.byte());
    if ((shape & 8) == 0) {
      text.append("Content-Length: ").append(std::to_string(content.size())).append("\r\n\r\n").append(content);
      return text;
    }
    text.append("Transfer-Encoding: chunked\r\n\r\n");
    for (std::string_view rest = content; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 15);
      text.push_back("0123456789abcdef"[size]);
      text.append("\r\n").append(rest.substr(0, size)).append("\r\n");
      rest.remove_prefix(size);
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

  void take_output(std::size_t most) {
    for (;;) {
      std::array<ByteSpan, 4> spans;
      const std::size_t count = session_.gather(spans);
      std::size_t taken = 0;
      for (std::size_t i = 0; i < count && taken < most; ++i) {
        const std::size_t size = std::min(spans[i].size(), most - taken);
        output_.append(as_text(spans[i].first(size)));
        taken += size;
      }
      if (taken == 0) break;
      most -= taken;
      session_.wrote(taken);
    }
    check_output();
    turn();
  }

  void check_output() {
    for (;;) {
      if (is_in_content_ && !check_content()) return;
      if (output_.empty()) return;
      require(!is_last_);
      const auto outcome = responses_.read(output_);
      require(outcome != http::http1::ResponseReader::Outcome::refused);
      if (outcome == http::http1::ResponseReader::Outcome::needs_input) return;
      const http::http1::ResponseHead& head = responses_.head();
      is_last_ = head.has_close;
      if (head.status != 100 && head.status != 204) {
        require(head.is_chunked || head.content_length || head.has_close);
        ends_with_connection_ = !head.is_chunked && !head.content_length;
        content_.begin(head.is_chunked, head.content_length.value_or(0));
        is_in_content_ = true;
        // The answer to HEAD has a length, but no content.
        may_lack_content_ = head.status == 405;
      }
      output_.erase(0, responses_.size());
    }
  }
  /// False: the content goes on.
  bool check_content() {
    if (ends_with_connection_) {
      output_.clear();
      return false;
    }
    // It has not been taken yet.
    if (may_lack_content_ && output_.size() < 3 && session_.has_output()) return false;
    if (std::exchange(may_lack_content_, false) && !output_.starts_with("405")) {
      is_in_content_ = false;
      return true;
    }
    while (!content_.is_over()) {
      std::size_t consumed = 0;
      const auto outcome = content_.read(output_, consumed);
      require(outcome != http::http1::ContentReader::Outcome::refused);
      output_.erase(0, consumed);
      if (outcome == http::http1::ContentReader::Outcome::needs_input) return false;
    }
    is_in_content_ = false;
    return true;
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
    require(event_.context == nullptr && session_.open_calls() == 1);
    switch (tape_.byte() % 4) {
      case 0:
        return;  // the session must finish the call
      case 1:
        static_cast<void>(session_.finish(event_.id, {}, draw_message(), nullptr, false));
        return;
      default:
        calls_.push_back(std::make_unique<Call>(Call{event_.id}));
        session_.attach(event_.id, calls_.back().get());
    }
  }
  Call* open_call() {
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [](const auto& call) { return call->is_open; });
    return found == calls_.rend() ? nullptr : found->get();
  }
  session::OutgoingMessage draw_message() {
    const std::uint8_t kind = tape_.byte();
    if (kind % 8 == 0) return {};
    return kit::payload(std::string(kind % 8 == 7 ? tape_.number(2) * 3u : tape_.byte(), 'y'));
  }
  void send_message() {
    if (Call* const call = open_call()) {
      Metadata leading;
      switch (tape_.byte() % 4) {
        case 1:
          leading.add("leading", "value");
          break;
        case 2:
          leading.add("trunkline-status", "204");
          break;
        case 3:
          leading.add("x", tape_.text(4));
          break;
        default:
          break;
      }
      static_cast<void>(session_.is_writable(call->id));
      static_cast<void>(session_.send(call->id, draw_message(), &leading, false));
    }
    turn();
  }
  void end_call() {
    if (Call* const call = open_call()) {
      call->is_open = false;
      const std::uint8_t shape = tape_.byte();
      Metadata trailing;
      if ((shape & 2) != 0) trailing.add("trailing", "value");
      const Status status = (shape & 1) != 0 ? Status(StatusCode::aborted, "text") : Status();
      static_cast<void>(session_.finish(call->id, status, draw_message(), &trailing, false));
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
  const std::uint8_t shape_;
  const session::SessionOptions options_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  session::http1::Http1ServerSession session_;
  session::Event event_;
  bool in_turn_ = false;
  bool closed_ = false;
  std::vector<std::unique_ptr<Call>> calls_;
  std::vector<std::pair<CallId, session::MessageCredit>> retained_;

  std::string output_;
  http::http1::ResponseReader responses_{{.max_head_bytes = 1 << 20, .max_first_line_bytes = 1 << 20}};
  http::http1::ContentReader content_{{}};
  bool is_in_content_ = false;
  bool ends_with_connection_ = false;
  bool may_lack_content_ = false;
  /// Nothing may follow the response.
  bool is_last_ = false;
};

}  // namespace
}  // namespace trunkline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  trunkline::fuzz::Http1Driver(data, size).run();
  return 0;
}
