// SPDX-License-Identifier: MIT
// SessionEnd: one session with what it needs around it, and the pump that a connection would be.
#pragma once

#include "base/timer_wheel.h"
#include "session/native_session.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace trunkline::kit {

/// Registries with the codec "bytes" and the compressor "snappy".
const CodecRegistry& bytes_codecs();
const CompressorRegistry& snappy_compressors();
const Codec& bytes_codec();
const Compressor& snappy();
/// Options with these registries and everything else at its default.
session::SessionOptions plain_options();

/// Bytes already encoded, as a message to send.
session::Outgoing payload(std::string_view bytes, const Compressor* compressor = nullptr);
/// A message that is written straight into the output; `text` outlives the call.
session::Outgoing direct(const std::string& text);

class SessionEnd : public session::SessionOwner {
 public:
  SessionEnd(session::Role role, const session::SessionOptions& options, base::TimerWheel& timers, base::TimePoint now);

  session::Session& session() noexcept { return *session_; }
  /// Called with every event; what it does not do with a `call` event the session answers itself.
  std::function<void(session::Event&)> on_event;

  /// Hands over up to `bytes.size()` bytes, as many as the session has room for in one read; returns how many.
  std::size_t feed(std::string_view bytes, base::TimePoint now);
  /// All events that there are.
  void turn();
  /// Up to `most` bytes of output, taken.
  std::string take_output(std::size_t most = static_cast<std::size_t>(-1));
  bool take_wake() noexcept { return std::exchange(woken_, false); }

  void on_session_wake() noexcept override { woken_ = true; }
  bool is_listening() const noexcept override { return !is_at_work; }
  /// As while a handler runs the loop.
  bool is_at_work = false;

 private:
  const session::SessionOptions options_;
  std::unique_ptr<session::Session> session_;
  session::Event event_;
  bool woken_ = false;
  bool in_turn_ = false;
};

}  // namespace trunkline::kit
