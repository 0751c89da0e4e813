// SPDX-License-Identifier: MIT
// SessionEnd: one session with what it needs around it, pumped by the test instead of a connection.
#pragma once

#include "base/timer_wheel.h"
#include "session/native/native_protocol.h"
#include "session/native/native_session.h"

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

/// A message of bytes that are encoded already.
session::OutgoingMessage payload(std::string_view bytes, const Compressor* compressor = nullptr);
/// A message that no codec of these registries knows.
struct Foreign {
  static constexpr std::string_view trunkline_codec = "foreign";
};
/// A message that is encoded straight into the output. `text` must outlive the call.
session::OutgoingMessage direct(const std::string& text);

class SessionEnd : public session::SessionOwner {
 public:
  SessionEnd(session::Role role, const session::SessionOptions& options, base::TimerWheel& timers, base::TimePoint now,
             std::shared_ptr<session::MemoryAccount> account = nullptr,
             const session::Protocol& protocol = session::native::protocol());

  session::Session& session() noexcept { return *session_; }
  /// Called with every event. The session finishes a call that this neither finishes nor attaches.
  std::function<void(session::Event&)> on_event;
  /// Called instead with events whose message is compressed; null: they are decompressed first.
  std::function<void(session::Event&)> on_compressed;

  /// Feeds as many bytes as the session has room for in one read; returns how many.
  std::size_t feed(std::string_view bytes, base::TimePoint now);
  /// Takes all events.
  void turn();
  /// Takes up to `most` bytes of output.
  std::string take_output(std::size_t most = static_cast<std::size_t>(-1));
  bool take_wake() noexcept { return std::exchange(woken_, false); }

  void on_session_wake() noexcept override { woken_ = true; }
  bool is_listening() const noexcept override { return !is_at_work; }
  /// True: as while a handler runs on the loop.
  bool is_at_work = false;

 private:
  /// Of the event in hand. False: the call has been refused, because its first message is bad.
  bool decompress();

  const session::SessionOptions options_;
  std::unique_ptr<session::Session> session_;
  session::Event event_;
  bool woken_ = false;
  bool in_turn_ = false;
};

}  // namespace trunkline::kit
