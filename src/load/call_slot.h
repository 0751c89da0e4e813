// SPDX-License-Identifier: MIT
// CallSlot: one of the concurrent calls of a load. It makes one call after the other in the same memory.
#pragma once

#include "load/load_plan.h"
#include "load/raw_message.h"

#include <trunkline/channel.h>

#include <asio/steady_timer.hpp>

#include <memory>
#include <optional>

namespace trunkline::load {

class CallSlot;

/// Decides what a slot does next, on the loop's thread.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  /// Called when payloads were sent and received. `messages` is the number of messages of streams.
  virtual void transferred(const CallSlot& slot, std::size_t messages, std::size_t sent_bytes,
                           std::size_t received_bytes) = 0;
  /// Called when the call is over. May start the slot again.
  virtual void ended(CallSlot& slot, const Status& status) = 0;
  /// Called when the response to a message of a bidirectional stream has arrived after `latency`.
  virtual void message_finished(const CallSlot& slot, std::chrono::nanoseconds latency) = 0;
  /// Returns false if the stream must send no further message and end.
  virtual bool has_next_message(const CallSlot& slot) const noexcept = 0;
};

/// The objects that the slots of a connection share. They outlive the slots.
struct SlotContext {
  const LoadPlan* plan = nullptr;
  Channel* channel = nullptr;
  const Method* method = nullptr;
  CallOptions options{};
  RawMessage request{};
  SlotOwner* owner = nullptr;
};

class CallSlot {
 public:
  explicit CallSlot(SlotContext& context) noexcept : context_(context) {}
  virtual ~CallSlot() = default;
  CallSlot(const CallSlot&) = delete;
  CallSlot& operator=(const CallSlot&) = delete;

  /// Begins a call. It ends by SlotOwner::ended(), never inside this function.
  virtual void start() = 0;

  Clock::time_point intended{};
  Clock::time_point sent{};
  bool is_open = false;
  bool is_timed = false;
  bool is_counted = false;
  /// The number of failures in a row.
  unsigned failures = 0;
  std::optional<asio::steady_timer> pause{};

 protected:
  const Slice* expected() const noexcept { return context_.plan->expects_echo ? &context_.request.bytes : nullptr; }
  void add_transfer(std::size_t messages, std::size_t sent_bytes, std::size_t received_bytes) {
    context_.owner->transferred(*this, messages, sent_bytes, received_bytes);
  }
  void end(const Status& status) { context_.owner->ended(*this, status); }
  /// Returns the status of a call whose response differs from its request.
  static Status differing_response() {
    return {StatusCode::data_loss, "a response of the echo service differs from its request"};
  }

  SlotContext& context_;
};

}  // namespace trunkline::load
