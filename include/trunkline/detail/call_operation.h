// SPDX-License-Identifier: MIT
// CallOperation: one unary or one-way call in progress, as the runtime sees it.
#pragma once

#include <trunkline/call_options.h>
#include <trunkline/message.h>
#include <trunkline/status.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace trunkline {

class Codec;

namespace client {
class CallDetails;
class ChannelCore;
class ClientConnection;
class EndedCalls;
class HedgedCall;
class UnaryCalls;
class WindowCalls;
struct MethodEntry;
}  // namespace client

}  // namespace trunkline

namespace trunkline::detail {

/// An encoded request that is held for a retry. Only the loop's thread uses it.
class HeldRequest {
 public:
  /// Requests up to this size are held by value, which takes neither memory of their own nor a reference.
  static constexpr std::size_t max_short_bytes = 48;

  bool is_held() const noexcept { return is_held_; }
  /// Returns the memory into which the `size` bytes of a short request are to be copied.
  std::byte* hold_short(std::size_t size) noexcept {
    is_held_ = true;
    short_bytes_ = static_cast<std::uint8_t>(size);
    return short_.data();
  }
  void hold(Slice&& request) noexcept {
    is_held_ = true;
    long_ = std::move(request);
  }
  ByteSpan bytes() const noexcept { return long_.empty() ? ByteSpan(short_.data(), short_bytes_) : long_.bytes(); }
  Slice slice() const { return long_.empty() ? Slice::copy_of(bytes()) : long_; }

 private:
  Slice long_;
  bool is_held_ = false;
  std::uint8_t short_bytes_ = 0;
  // The bytes are not initialized, since most of them are not used.
  std::array<std::byte, max_short_bytes> short_;
};

/// One call in progress. Its owner keeps it alive until `complete` is called. That happens once, on the channel's loop,
/// and inside the function that began the call only where that function says so.
class CallOperation {
 public:
  using Complete = void (*)(CallOperation& operation);

  CallOperation(Complete on_complete, MutableMessageView into) noexcept : complete(on_complete), response(into) {}
  CallOperation(const CallOperation&) = delete;
  CallOperation& operator=(const CallOperation&) = delete;

  /// Reports the end of the call, and may destroy the operation.
  Complete complete;
  MutableMessageView response;
  /// The outcome of the call.
  Status status;
  /// The number by which the call is cancelled, assigned by Channel; 0: the call cannot be cancelled on its own.
  std::uint64_t cancel_number = 0;
  /// If it is true, the call completes once the request was handed to a connection; `response` is not used.
  bool one_way = false;
  /// A thread waits if it is true: the request stays until the call is complete, and `complete` only wakes the thread.
  bool request_stays = false;
  /// The runtime's record of the thread that waits.
  void* waiter = nullptr;
  /// There is no loop to wait for: complete() is called on a thread that is inside begin().
  bool is_initiating = false;

 private:
  friend class client::CallDetails;
  friend class client::ClientConnection;
  friend class client::EndedCalls;
  friend class client::HedgedCall;
  friend class client::UnaryCalls;

  /// The response has come, ahead of the status.
  bool has_response_ = false;
  bool wait_for_ready_ = false;
  bool is_idempotent_ = false;
  /// An attempt before the last one may have run.
  bool may_have_run_before_ = false;
  /// The outcome is settled: `complete` is about to be called.
  bool has_ended_ = false;
  /// The operation is one of several attempts of a call that belongs to a HedgedCall; details_ are those of the call.
  bool is_hedge_ = false;
  /// A response longer than this ends the call.
  std::uint32_t max_response_bytes_ = UINT32_MAX;
  int retries_ = 0;
  /// The number of retries that do not count, because the call had certainly not run.
  int free_retries_ = 0;
  std::uint32_t id_ = 0;
  /// The connection on which the call is open. It is set only while the call is open.
  client::ClientConnection* connection_ = nullptr;
  const client::MethodEntry* method_ = nullptr;
  const Codec* codec_ = nullptr;
  /// State that only some calls need.
  client::CallDetails* details_ = nullptr;
  /// The request of the caller. It is valid if request_stays.
  MessageView live_request_{};
  HeldRequest held_request_;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  /// The time when the call began. It is set if there is a deadline.
  std::chrono::steady_clock::time_point started_{};
  /// The time when the last attempt was sent. It is set if the channel has several servers.
  std::chrono::steady_clock::time_point attempt_started_{};
  CallOperation* next_ = nullptr;
};

}  // namespace trunkline::detail
