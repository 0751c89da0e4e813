// SPDX-License-Identifier: MIT
// LoneSession: one session whose peer is the test itself, frame by frame.
#pragma once

#include "kit/frames.h"
#include "kit/manual_clock.h"
#include "kit/session_end.h"

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace trunkline::kit {

/// An event copied out of its views.
struct SeenEvent {
  session::EventType type{};
  session::CallId id = 0;
  void* context = nullptr;
  bool has_message = false;
  bool end = false;
  bool one_way = false;
  bool unanswered = false;
  std::string payload{};
  std::string codec{};
  std::string method{};
  std::uint32_t method_number = 0;
  base::TimePoint deadline = base::never;
  session::HeldCredit credit{};
  Metadata metadata{};
  Status status{};
};

class LoneSession {
 public:
  /// What becomes of a call handed to a server.
  enum class Answer { keep, echo, nothing };

  explicit LoneSession(session::Role role, const session::SessionOptions& options = plain_options());

  session::Session& session() noexcept { return end_.session(); }
  SessionEnd& end() noexcept { return end_; }
  base::TimerWheel& timers() noexcept { return timers_; }
  ManualClock& clock() noexcept { return clock_; }
  /// Kept calls are attached with this address as their context, unique for each id.
  void* context_of(session::CallId id) { return &contexts_[id]; }

  /// Preface and hello of a peer with the codec "bytes" and the given limits; takes the answer to it.
  void greet(const wire::Hello& hello = {});
  /// Feeds bytes in pieces of at most `piece`, with a turn after each; the session's stall ends it.
  void feed(std::string_view bytes, std::size_t piece = static_cast<std::size_t>(-1));
  void feed(std::initializer_list<FrameSpec> frames);
  void advance(base::Duration by);
  /// Frames said since the last time.
  std::vector<SeenFrame> said();
  /// Events since the last time.
  std::vector<SeenEvent> events();

  Answer answer = Answer::keep;
  bool hold_messages = false;  ///< events keep their credit until the test releases it

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
