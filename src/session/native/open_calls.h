// SPDX-License-Identifier: MIT
// OpenCalls: the calls of a connection that have an entry, from open() to forget(), and the memory retained for them.
#pragma once

#include "session/native/call_ids.h"
#include "session/native/call_table.h"
#include "session/native/current_event.h"
#include "session/native/receive_credit.h"
#include "session/native/receive_memory.h"
#include "session/native/send_path.h"
#include "session/native/waiting_messages.h"
#include "session/session.h"

#include <cstddef>
#include <vector>

namespace trunkline::session::native {

/// Owns the states. A state that is forgotten leaves nothing behind: no queued frame, no timer, no memory.
class OpenCalls {
 public:
  /// Says what fires at a call's deadline: the callback gets the CallState as the timer's owner, and `owner` in it.
  struct Deadlines {
    base::TimerWheel& timers;
    base::Timer::Callback callback;
    void* owner;
  };

  /// All references outlive the object.
  OpenCalls(Role role, const ConnectionLimits& limits, const Negotiation& negotiation, SendPath& path,
            ReceiveCredit& credit, MemoryShare& share, const Deadlines& deadlines, SessionOwner& owner) noexcept
      : role_(role),
        limits_(limits),
        owner_(owner),
        negotiation_(negotiation),
        path_(path),
        credit_(credit),
        deadlines_(deadlines),
        memory_(limits, share) {}
  ~OpenCalls();
  OpenCalls(const OpenCalls&) = delete;
  OpenCalls& operator=(const OpenCalls&) = delete;

  CallState* find(CallId id) const noexcept { return table_.find(id); }
  std::size_t size() const noexcept { return table_.size(); }
  bool empty() const noexcept { return table_.empty(); }
  /// Returns the calls for which `is_wanted(const CallState&)`, oldest first.
  template <class Predicate>
  std::vector<CallState*> by_age(Predicate is_wanted) const {
    return table_.by_age(ids_.newest(), is_wanted);
  }
  /// Returns all calls, oldest first.
  std::vector<CallState*> by_age() const {
    return by_age([](const CallState&) { return true; });
  }
  /// Calls `function` for all calls, in no order. It must not open or forget calls.
  template <class Function>
  void for_each(Function function) const {
    table_.for_each(function);
  }

  CallIds& ids() noexcept { return ids_; }
  const CallIds& ids() const noexcept { return ids_; }
  CallId next_id() const {
    return ids_.next([this](CallId id) { return table_.find(id) != nullptr; });
  }
  ReceiveMemory& memory() noexcept { return memory_; }
  const ReceiveMemory& memory() const noexcept { return memory_; }

  /// Opens a call. An exception leaves no trace of it.
  CallState* open(CallId id, void* context);
  /// Opens the new call of the event in hand, with what its first message took of its credit.
  CallState* open(const CurrentEvent& current, void* context);
  void forget(CallState& call);
  void schedule_deadline(CallState& call, base::TimePoint deadline) {
    if (deadline != base::never) deadlines_.timers.schedule(call.deadline, deadline);
  }
  /// `bytes` of metadata are retained until the call is forgotten or release_metadata() is called.
  void retain_metadata(CallState& call, std::size_t bytes) noexcept;
  void release_metadata(CallState& call) noexcept;
  /// Drops the unfinished message of the call, which goes on. Credit that was withheld for it is returned.
  void drop_assembly(CallState& call);

  /// The call has begun a message for which there is no room yet.
  void add_waiting(CallState& call) noexcept {
    const bool is_request = call.pending != nullptr;
    waiting_.add(call, is_request ? WaitingMessages::Queue::requests : WaitingMessages::Queue::of_open_calls);
  }
  bool has_waiting() const noexcept { return !waiting_.empty(); }
  /// Makes room for messages that wait, in their order, and returns the credit that was withheld for them. A message
  /// behind one that the application has not taken waits for that, and the others do not wait for it. Messages of calls
  /// that have begun do not wait for requests of new calls, which wait until handlers release theirs. A request that
  /// has waited for a second has more room: handlers may be waiting for it. Looks only at the first messages that find
  /// no room, however many wait behind them. Returns true if it has made room for any.
  bool admit_waiting(base::TimePoint now);
  /// Credit of the call has been returned: a message that waits may not be behind an unread one any longer.
  void unblock_waiting(CallState& call) noexcept {
    if (!call.assembly.is_waiting() || call.returnable_credit < 0) return;
    if (call.waiting.queue == WaitingMessages::Queue::behind_unread)
      waiting_.move(call, WaitingMessages::Queue::of_open_calls);
  }
  /// Returns where messages lack memory that the last admit_waiting() has left: in the budget or at the peer's address.
  MemoryShare::Shortage shortage() const noexcept { return shortage_; }
  /// The message of the call does not wait any longer: it is complete or dropped. Returns how many bytes of the call's
  /// credit were withheld, and whether of the connection's, too: they are to be returned last, since that writes to the
  /// output, for which there may be no memory.
  ReceiveCredit::Waiting end_waiting(CallState& call) noexcept;

  /// Returns true if the layer above has to finish the call, in its turn, even when the session refuses it.
  bool keeps_place(const CallState& call) const noexcept {
    return role_ == Role::server && negotiation_.is_ordered() && !call.one_way &&
           (call.pending != nullptr || call.context != nullptr);
  }
  /// Takes nothing more of the call. Its finish is still to come.
  void refuse_rest(CallState& call);
  /// Counts the open calls for which refuse_rest() was called.
  std::size_t refused() const noexcept { return refused_; }

 private:
  void destroy(CallState& call) noexcept;
  bool try_admit(CallState& call, MessageUse use);
  void release_assembly(CallState& call) noexcept;
  static ReceiveCredit::Waiting waiting_of(const CallState& call) noexcept {
    return {call.assembly.filled(), call.assembly.began_behind_unread()};
  }

  const Role role_;
  const ConnectionLimits& limits_;
  SessionOwner& owner_;
  const Negotiation& negotiation_;
  SendPath& path_;
  ReceiveCredit& credit_;
  const Deadlines deadlines_;
  CallTable table_;
  CallIds ids_;
  ReceiveMemory memory_;
  WaitingMessages waiting_;
  std::size_t refused_ = 0;
  MemoryShare::Shortage shortage_ = MemoryShare::Shortage::nothing;
};

}  // namespace trunkline::session::native
