// SPDX-License-Identifier: MIT
// Fuzz target: a session over WebSocket, in the role that the first byte selects. The rest is what its peer sends, as
// frames that are right except for what the tape changes, and as rubbish. Requires that what the session writes after
// its handshake are frames, that calls end once, and that nothing is left after the end.
#include "session/websocket/websocket_session.h"

#include "fuzz/requirement.h"
#include "fuzz/session_driver.h"
#include "http/websocket/frame_reader.h"
#include "kit/frames.h"
#include "kit/session_end.h"
#include "session/websocket/upgrade.h"
#include "session/websocket/websocket_protocol.h"
#include "unit/http/websocket/frames_of_text.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace trunkline::fuzz {
namespace {

using http::websocket::FrameOfText;
using http::websocket::FrameReader;
using session::Role;

constexpr std::string_view request =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: trunkline.v1\r\n\r\n";

std::string response_to(std::string_view sent) {
  constexpr std::string_view name = "Sec-WebSocket-Key: ";
  const std::size_t begin = sent.find(name) + name.size();
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
         session::websocket::accept_of(sent.substr(begin, sent.find("\r\n", begin) - begin)) +
         "\r\nSec-WebSocket-Protocol: trunkline.v1\r\n\r\n";
}

class Driver {
 public:
  Driver(Role role, Tape tape)
      : role_(role),
        tape_(tape),
        end_(role, kit::plain_options(), timers_, clock_.now(), nullptr, session::websocket::protocol()),
        reader_(role == Role::client) {
    end_.on_event = [this](session::Event& event) { on_event(event); };
  }

  void run() {
    if (tape_.byte() % 8 != 0) open();
    while (!tape_.empty()) step();
    take_output(std::string::npos);
    session().transport_closed({});
    end_.turn();
    require(is_closed_ && session().open_calls() == 0 && !session().has_output());
  }

 private:
  session::Session& session() { return end_.session(); }

  void open() {
    const std::string sent = end_.take_output();
    feed(role_ == Role::server ? std::string(request) : response_to(sent), 1 + tape_.byte());
    if (role_ == Role::server) require(end_.take_output().starts_with("HTTP/1.1 101 "));
    is_open_ = true;
    send_frame(2, kit::greeting());
  }

  void step() {
    switch (tape_.byte() % 12) {
      case 0:
        return feed(tape_.text(tape_.byte()), 1 + tape_.byte());
      case 1:
      case 2:
        return take_output(tape_.number(2));
      case 3:
        return advance();
      case 4:
        if (session().can_start()) {
          static_cast<void>(
              session().start({.method = {1, "a/b"}, .context = &contexts_}, kit::payload(tape_.text(tape_.byte()))));
        }
        return end_.turn();
      case 5:
        if (tape_.byte() % 8 == 0) session().drain();
        return end_.turn();
      case 6:
        if (tape_.byte() % 16 == 0) session().close(Status(StatusCode::internal, "closed by the tape"));
        return end_.turn();
      case 7:
        return send_frame(2, kit::call(tape_.byte(), 1, "a/b", tape_.text(tape_.byte())).bytes());
      default:
        return send_frame(tape_.byte() % 16, tape_.text(tape_.byte()));
    }
  }

  /// Right, but for what the tape changes.
  void send_frame(unsigned opcode, const std::string& payload) {
    FrameOfText frame{.opcode = opcode, .payload = payload, .is_masked = role_ == Role::server};
    const std::uint8_t changes = is_open_ && !tape_.empty() ? tape_.byte() : 0;
    frame.is_last = (changes & 1) == 0;
    if ((changes & 0xF0) == 0x10) frame.is_masked = !frame.is_masked;
    if ((changes & 0xF0) == 0x20) frame.reserved_bits = changes & 7;
    if ((changes & 0xF0) == 0x30) frame.length_bytes = (changes & 2) != 0 ? 2 : 8;
    feed(frame.bytes(), (changes & 0x0E) == 0 ? std::string::npos : 1 + tape_.byte());
  }

  void feed(std::string_view bytes, std::size_t part) {
    while (!bytes.empty()) {
      const std::size_t taken = end_.feed(bytes.substr(0, part), clock_.now());
      if (taken == 0) return take_output(std::string::npos);
      bytes.remove_prefix(taken);
      end_.turn();
    }
  }

  void take_output(std::size_t most) {
    const std::string bytes = end_.take_output(most);
    if (is_open_) check(bytes);
    end_.turn();
  }

  void check(std::string_view bytes) {
    ByteSpan input = as_bytes(bytes);
    for (;;) {
      const FrameReader::Outcome outcome = reader_.next(input);
      require(outcome != FrameReader::Outcome::failed);
      if (outcome == FrameReader::Outcome::needs_input) return;
      // Nothing follows a close frame.
      require(!has_closed_);
      const bool is_control = outcome == FrameReader::Outcome::control;
      has_closed_ = is_control && reader_.control().opcode == http::websocket::Opcode::close;
    }
  }

  void on_event(session::Event& event) {
    require(!is_closed_);
    if (event.type == session::EventType::closed) is_closed_ = true;
    if (event.type == session::EventType::call && tape_.byte() % 2 == 0) {
      session().attach(event.id, &contexts_);
      open_.insert(event.id);
    }
    if (event.type == session::EventType::cancelled) require(open_.erase(event.id) == 1);
  }

  void advance() {
    clock_.advance(std::chrono::milliseconds(tape_.byte() * 8));
    timers_.advance(clock_.now());
    end_.turn();
  }

  const Role role_;
  Tape tape_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  kit::SessionEnd end_;
  FrameReader reader_;
  std::set<session::CallId> open_;
  int contexts_ = 0;
  bool is_open_ = false;
  bool has_closed_ = false;
  bool is_closed_ = false;
};

}  // namespace
}  // namespace trunkline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  if (size == 0) return 0;
  fuzz::Driver((data[0] & 1) == 0 ? session::Role::server : session::Role::client, fuzz::Tape(data + 1, size - 1))
      .run();
  return 0;
}
