// SPDX-License-Identifier: MIT
// SessionWorld: what the two sides of a session run share.
#pragma once

#include "simulation/agenda.h"
#include "simulation/plan.h"

#include <cstdio>
#include <map>
#include <set>
#include <string>

namespace trunkline::simulation {

/// The messages that an application retains.
struct Unread {
  std::size_t messages = 0;
  /// What the sessions count for them while they are open.
  std::size_t counted_bytes = 0;
  /// What decompression and assembly have added.
  std::size_t further_bytes = 0;

  void add(const session::MessageCredit& credit) noexcept {
    ++messages;
    counted_bytes += counted(credit);
    further_bytes += credit.further_bytes;
  }
  void remove(const session::MessageCredit& credit) noexcept {
    --messages;
    counted_bytes -= counted(credit);
    further_bytes -= credit.further_bytes;
  }

 private:
  static std::size_t counted(const session::MessageCredit& credit) noexcept {
    return credit.call_bytes + credit.record_bytes();
  }
};

struct SessionWorld {
  explicit SessionWorld(const Plan& the_plan, bool is_verbose)
      : plan(the_plan),
        client_memory(the_plan.max_memory_bytes, 1),
        server_memory(the_plan.max_memory_bytes, 1),
        pair(with_memory(the_plan)),
        verbose(is_verbose),
        begin(pair.clock().now()) {}

  const Plan& plan;
  session::MemoryBudget client_memory;
  session::MemoryBudget server_memory;
  kit::SessionPair pair;
  bool verbose;
  base::TimePoint begin;
  Agenda agenda;
  /// What the applications have received and not released.
  Unread client_unread;
  Unread server_unread;
  /// The calls that the client has started.
  std::map<session::CallId, const CallPlan*> by_id;
  std::set<session::CallId> seen_by_server;

  kit::SessionPair::Options with_memory(const Plan& the_plan) {
    kit::SessionPair::Options options = the_plan.pair;
    if (the_plan.max_memory_bytes == 0) return options;
    options.client.memory = &client_memory;
    options.server.memory = &server_memory;
    return options;
  }
  base::TimePoint now() { return pair.clock().now(); }
  void after(base::Duration delay, std::function<void()> action) { agenda.at(now() + delay, std::move(action)); }
  /// Bytes may have changed on their way: checks only what is true for every input.
  bool is_corrupt() const noexcept { return plan.fault == Fault::corrupt_byte; }

  void check(bool holds, const CallPlan* call, std::string_view what) {
    if (holds) return;
    throw Violation((call != nullptr ? "call " + std::to_string(call->index) + ": " : std::string()) +
                    std::string(what));
  }
  void log(std::string_view who, session::CallId id, std::string_view what) {
    if (!verbose) return;
    std::printf("%10.3f ms  %-6.*s %6u  %.*s\n", std::chrono::duration<double, std::milli>(now() - begin).count(),
                static_cast<int>(who.size()), who.data(), id, static_cast<int>(what.size()), what.data());
  }
  void check_content(const CallPlan& call, Direction direction, std::size_t index, std::size_t size, ByteSpan got) {
    if (is_corrupt()) return;
    check(got.size() == size, &call,
          "a message has " + std::to_string(got.size()) + " bytes, not " + std::to_string(size));
    check(as_text(got) == content(call.index, direction, index, size, call.repetitive), &call,
          "a message's bytes have changed");
  }
};

/// An outgoing message of a call. Its storage is valid during one call into the session.
class Message {
 public:
  Message(const CallPlan& call, Direction direction, std::size_t index, std::size_t size) {
    const std::string_view bytes = content(call.index, direction, index, size, call.repetitive);
    if (call.direct) text_ = bytes;
    outgoing_ = call.direct ? kit::direct(text_) : kit::payload(bytes);
    if (call.compressed) outgoing_.compressor = &kit::snappy();
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  const session::OutgoingMessage& outgoing() const noexcept { return outgoing_; }

 private:
  std::string text_;
  session::OutgoingMessage outgoing_;
};

}  // namespace trunkline::simulation
