// SPDX-License-Identifier: MIT
// LoneSession: one session whose peer is the test, frame by frame.
#pragma once

#include "kit/frames.h"
#include "kit/manual_clock.h"
#include "kit/session_end.h"

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace trunkline::kit {

/// A copy of an event, with its own memory.
struct SeenEvent {
  session::EventType type{};
  session::CallId id = 0;
  void* context = nullptr;
  bool has_message = false;
  bool end = false;
  bool one_way = false;
  bool needs_finish = false;
  std::string payload{};
  std::string codec{};
  std::string method{};
  std::uint32_t method_number = 0;
  base::TimePoint deadline = base::never;
  session::MessageCredit credit{};
  Metadata metadata{};
  Status status{};
};

class LoneSession {
 public:
  /// What a server does with a call.
  enum class OnCall { attach, echo, ignore };

  explicit LoneSession(session::Role role, const session::SessionOptions& options = plain_options(),
                       std::shared_ptr<session::MemoryAccount> account = nullptr);

  session::Session& session() noexcept { return end_.session(); }
  SessionEnd& end() noexcept { return end_; }
  base::TimerWheel& timers() noexcept { return timers_; }
  ManualClock& clock() noexcept { return clock_; }
  /// Calls are attached with this address as their context, unique for each id.
  void* context_of(session::CallId id) { return &contexts_[id]; }

  /// Preface and hello of a peer with the codec "bytes" and the given limits; discards what the session sends.
  void greet(const wire::Hello& hello = {});
  /// Feeds bytes in parts of at most `part`, with a turn after each, until the session stalls.
  void feed(std::string_view bytes, std::size_t part = static_cast<std::size_t>(-1));
  void feed(std::initializer_list<FrameSpec> frames);
  void advance(base::Duration by);
  /// Time passes, and timers fire, but no event is taken.
  void pass(base::Duration by);
  /// Frames sent since the last call.
  std::vector<SeenFrame> sent_frames();
  /// Events since the last call.
  std::vector<SeenEvent> events();

  OnCall on_call = OnCall::attach;
  /// Messages are retained: the test releases their credit.
  bool retain_messages = false;
  /// Messages are queued, as those of requests that wait for their turn: they keep the credit of the connection, too.
  bool queue_messages = false;

 private:
  void on_event(session::Event& event);

  ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  SessionEnd end_;
  FrameReader reader_{true};
  std::vector<SeenEvent> events_;
  std::map<session::CallId, int> contexts_;
};

}  // namespace trunkline::kit
