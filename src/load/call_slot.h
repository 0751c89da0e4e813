// SPDX-License-Identifier: MIT
// CallSlot: one of the calls under way, made again and again in the same memory.
#pragma once

#include "load/load_plan.h"
#include "load/raw_message.h"

#include <trunkline/channel.h>

#include <asio/steady_timer.hpp>

#include <memory>
#include <optional>

namespace trunkline::load {

class CallSlot;

/// Who decides what a slot does next. On the loop's thread.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  /// Payloads went and came; `messages` are those of streams.
  virtual void moved(const CallSlot& slot, std::size_t messages, std::size_t sent_bytes,
                     std::size_t received_bytes) = 0;
  /// The call is over. May start the slot again in here.
  virtual void ended(CallSlot& slot, const Status& status) = 0;
  /// A message of a bidirectional stream was answered after this time.
  virtual void answered(const CallSlot& slot, std::chrono::nanoseconds latency) = 0;
  /// False: the stream sends nothing more and ends.
  virtual bool goes_on(const CallSlot& slot) const noexcept = 0;
};

/// What the slots of a connection have in common; outlives them.
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

  /// Begins a call, which ends in SlotOwner::ended(), not in here.
  virtual void start() = 0;

  Clock::time_point intended{};
  Clock::time_point sent{};
  bool is_open = false;
  bool is_timed = false;
  bool is_counted = false;
  unsigned failures = 0;  ///< in a row
  std::optional<asio::steady_timer> pause{};

 protected:
  const Slice* expected() const noexcept { return context_.plan->expects_echo ? &context_.request.bytes : nullptr; }
  void move(std::size_t messages, std::size_t sent_bytes, std::size_t received_bytes) {
    context_.owner->moved(*this, messages, sent_bytes, received_bytes);
  }
  void end(const Status& status) { context_.owner->ended(*this, status); }

  SlotContext& context_;
};

/// As the plan's kind of calls asks for.
std::unique_ptr<CallSlot> make_slot(SlotContext& context);

/// An answer that is not the request.
Status differing_answer();

}  // namespace trunkline::load
