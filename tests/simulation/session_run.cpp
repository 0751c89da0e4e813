// SPDX-License-Identifier: MIT
// A client and a server session over a faulty link, from the first byte to the last.
#include "simulation/session_run.h"

#include "kit/credit_watch.h"
#include "kit/frames.h"
#include "session/memory_share.h"
#include "simulation/client_model.h"
#include "simulation/server_model.h"
#include "simulation/session_world.h"

#include <algorithm>
#include <utility>

namespace trunkline::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

/// The other connections of the same server or channel: they hold what they want as far as the budget has it.
class OtherConnections {
 public:
  explicit OtherConnections(session::MemoryBudget& budget) noexcept : budget_(budget) {}
  ~OtherConnections() { want(0); }

  void want(std::size_t bytes) noexcept {
    wanted_ = bytes;
    if (held_ > wanted_) budget_.subtract(std::exchange(held_, wanted_) - wanted_);
    grow();
  }
  /// Takes more if there is any.
  void grow() noexcept {
    if (wanted_ <= held_ || budget_.is_used_up()) return;
    const std::size_t more = std::min(wanted_ - held_, budget_.max_bytes() - budget_.used());
    budget_.add(more);
    held_ += more;
  }
  std::size_t held() const noexcept { return held_; }

 private:
  session::MemoryBudget& budget_;
  std::size_t wanted_ = 0;
  std::size_t held_ = 0;
};

class SessionRun {
 public:
  SessionRun(const Plan& plan, bool verbose)
      : world_(plan, verbose), client_(world_), server_(world_), random_(plan.seed + 1) {
    world_.pair.next_size = [this] { return 1 + random_.below(world_.plan.largest_step); };
    world_.pair.to_server().on_bytes = [this](std::string_view bytes) {
      drain_at_bytes(bytes.size());
      watch(wire::Sender::client, bytes);
    };
    world_.pair.to_client().on_bytes = [this](std::string_view bytes) { watch(wire::Sender::server, bytes); };
    plan_faults();
    plan_pauses();
    plan_memory();
  }

  void run() {
    run_until([this] { return client_.is_done() && !server_.has_open_calls(); }, minutes(10));
    // A corrupt byte may have removed the end of a call or changed its id. Then only the end of the connection ends it.
    if (!world_.is_corrupt()) {
      world_.check(client_.is_done(), nullptr, client_.unfinished() + " within ten minutes");
      world_.check(!server_.has_open_calls(), nullptr, "the server has a call the client knows to be over");
    }
    leave();
  }

 private:
  void watch(wire::Sender from, std::string_view bytes) {
    const std::string fault = watch_.saw(from, bytes);
    // The side that has got another hello, or other credit, cannot know.
    world_.check(fault.empty() || world_.is_corrupt(), nullptr, fault);
    if (!world_.verbose) return;
    for (const kit::SeenFrame& frame : readers_[static_cast<std::size_t>(from)].read(bytes)) {
      world_.log(from == wire::Sender::client ? "client" : "server", frame.header.call,
                 "says " + std::string(wire::to_string(frame.header.type)) + " flags " +
                     std::to_string(frame.header.flags) + " codec " + std::to_string(frame.header.codec) + " number " +
                     std::to_string(frame.header.number) + " length " + std::to_string(frame.header.length));
    }
  }

  void plan_faults() {
    const Plan& plan = world_.plan;
    switch (plan.fault) {
      case Fault::none:
        break;
      case Fault::reset:
        world_.after(plan.fault_at, [this] { world_.pair.break_link(); });
        break;
      case Fault::corrupt_byte:
        (plan.fault_position % 2 == 0 ? world_.pair.to_server() : world_.pair.to_client())
            .corrupt_at(plan.fault_position / 2, plan.fault_mask);
        break;
      case Fault::cut_client:
        world_.pair.to_server().cut_at(plan.fault_position);
        break;
      case Fault::cut_server:
        world_.pair.to_client().cut_at(plan.fault_position);
        break;
      case Fault::client_close:
        world_.after(plan.fault_at, [this] { world_.pair.client().session().close({}); });
        break;
      case Fault::server_close:
        world_.after(plan.fault_at, [this] {
          world_.pair.server().session().close(Status(StatusCode::unavailable, "closed by plan"));
        });
        break;
    }
    if (plan.server_drain_at) world_.after(*plan.server_drain_at, [this] { world_.pair.server().session().drain(); });
    if (plan.client_drain_at) world_.after(*plan.client_drain_at, [this] { client_.drain(); });
  }

  /// The sides leave once the client has sent so much.
  void drain_at_bytes(std::size_t sent) {
    const auto is_reached = [&](const std::optional<std::uint64_t>& at) {
      return at && client_bytes_ <= *at && client_bytes_ + sent > *at;
    };
    if (is_reached(world_.plan.server_drain_byte)) world_.after({}, [this] { world_.pair.server().session().drain(); });
    if (is_reached(world_.plan.client_drain_byte)) world_.after({}, [this] { client_.drain(); });
    client_bytes_ += sent;
  }

  void plan_pauses() {
    const Plan& plan = world_.plan;
    if (plan.pause_client_at) {
      world_.after(*plan.pause_client_at, [this] { world_.pair.client_reads = false; });
      world_.after(*plan.pause_client_at + plan.pause_for, [this] { world_.pair.client_reads = true; });
    }
    if (plan.pause_server_at) {
      world_.after(*plan.pause_server_at, [this] { world_.pair.server_reads = false; });
      world_.after(*plan.pause_server_at + plan.pause_for, [this] { world_.pair.server_reads = true; });
    }
  }

  /// Other connections want memory for a while.
  void plan_memory() {
    const Plan& plan = world_.plan;
    if (plan.max_memory_bytes == 0) return;
    world_.after(plan.others_hold_at, [this] {
      client_others_.want(world_.plan.others_want_of_client);
      server_others_.want(world_.plan.others_want_of_server);
    });
    world_.after(plan.others_hold_at + plan.others_hold_for, [this] {
      client_others_.want(0);
      server_others_.want(0);
    });
  }

  /// At the end of each turn of both sides.
  void check_memory() {
    check_memory_of("client", world_.pair.client().session(), world_.client_unread, world_.client_memory,
                    client_others_.held(), world_.plan.pair.client.limits);
    check_memory_of("server", world_.pair.server().session(), world_.server_unread, world_.server_memory,
                    server_others_.held(), world_.plan.pair.server.limits);
    client_others_.grow();
    server_others_.grow();
  }
  void check_memory_of(std::string_view who, session::Session& session, const Unread& unread,
                       const session::MemoryBudget& budget, std::size_t others, const ConnectionLimits& limits) {
    const auto check = [&](bool holds, std::size_t bytes, std::string_view what, std::size_t limit) {
      world_.check(holds, nullptr,
                   "the " + std::string(who) + " has " + std::to_string(bytes) + " bytes, " + std::string(what) + " " +
                       std::to_string(limit));
    };
    const std::size_t held = session.held_bytes();
    const std::size_t known =
        session.unsent_bytes() + (session.is_closed() ? 0 : unread.counted_bytes) + unread.further_bytes;
    check(held >= known, held, "but must have at least", known);
    if (world_.plan.max_memory_bytes == 0) return;
    check(budget.used() == others + session::MemoryShare::rounded(held), budget.used() - others,
          "of the budget, but holds", held);
    // What decision 14 allows beyond the budget: responses and requests that the application has sent, the state of
    // calls, what one read brings while less than 64 KiB are unread, a step of the account, one message from the
    // reserve, and where that is received, what the peer had credit for.
    constexpr std::size_t step = 64 << 10;
    const std::size_t one_read = std::max<std::size_t>(limits.read_buffer_bytes, 512) + limits.max_message_bytes;
    const std::size_t output = session.unsent_bytes() + session.open_calls() * 1024;
    const std::size_t window =
        world_.plan.has_long_messages ? limits.connection_credit_bytes / 2 * 3 + limits.max_message_bytes : 0;
    const std::size_t beyond = output + unread.further_bytes + unread.messages * 96 + 2 * step + one_read + window;
    const std::size_t limit = budget.max_bytes() + beyond;
    check(budget.used() <= limit, budget.used(), "more than its budget with all that may exceed it,", limit);
  }

  template <class Condition>
  void run_until(Condition is_met, base::Duration time) {
    const base::TimePoint limit = world_.now() + time;
    for (;;) {
      world_.pair.settle();
      world_.pair.client().turn();
      world_.pair.server().turn();
      check_memory();
      world_.pair.settle();
      if (world_.agenda.run(world_.now())) continue;
      if (is_met() || world_.now() >= limit) return;
      world_.pair.step(std::min(limit, world_.agenda.next()));
    }
  }

  /// Both sides leave in order. Nothing may remain.
  void leave() {
    session::Session& client = world_.pair.client().session();
    session::Session& server = world_.pair.server().session();
    const auto is_at_rest = [&] { return world_.agenda.next() == base::never; };
    run_until(is_at_rest, minutes(2));
    const auto holds_nothing = [&] { return client.held_bytes() == 0 && server.held_bytes() == 0; };
    if (!client.is_closed() && !server.is_closed() && !world_.is_corrupt()) {
      run_until(holds_nothing, minutes(1));
      check_holds_nothing("although all calls have ended");
    }
    client.drain();
    run_until([&] { return client.is_drained() || client.is_closed(); }, minutes(1));
    world_.check(client.is_drained() || client.is_closed() || world_.is_corrupt(), nullptr,
                 "the client does not become drained");
    client.close({});
    run_until([&] { return client_.has_seen_closed() && server_.has_seen_closed(); }, minutes(1));
    world_.check(client_.has_seen_closed(), nullptr, "the client did not get the closed event");
    world_.check(server_.has_seen_closed(), nullptr, "the server did not get the closed event");
    world_.check(client_.is_done(), nullptr, client_.unfinished() + " although the connection has ended");
    // Output may still be on its way.
    run_until([&] { return is_at_rest() && holds_nothing(); }, minutes(2));
    check_holds_nothing("although the connection has ended");
    world_.check(client.open_calls() == 0 && server.open_calls() == 0, nullptr, "calls are left after the end");
    const bool is_clean = world_.plan.fault == Fault::none;
    if (is_clean) {
      world_.check(client.close_reason().is_ok(), nullptr,
                   "the client ended with " + client.close_reason().to_string());
      const Status& reason = server.close_reason();
      world_.check(reason.is_ok(), nullptr, "the server ended with " + reason.to_string());
    }
  }

  void check_holds_nothing(const std::string& when) {
    for (kit::SessionEnd* const end : {&world_.pair.client(), &world_.pair.server()}) {
      const std::string who = end == &world_.pair.client() ? "the client" : "the server";
      const std::size_t held = end->session().held_bytes();
      world_.check(held == 0, nullptr, who + " still holds " + std::to_string(held) + " bytes " + when);
    }
    const std::size_t taken = world_.client_memory.used() + world_.server_memory.used();
    const std::size_t others = client_others_.held() + server_others_.held();
    world_.check(taken == others, nullptr,
                 std::to_string(taken - others) + " bytes of the budgets remain taken " + when);
  }

  SessionWorld world_;
  OtherConnections client_others_{world_.client_memory};
  OtherConnections server_others_{world_.server_memory};
  ClientModel client_;
  ServerModel server_;
  kit::CreditWatch watch_;
  /// That the client has sent.
  std::uint64_t client_bytes_ = 0;
  /// By sender.
  kit::FrameReader readers_[2] = {kit::FrameReader(true), kit::FrameReader(true)};
  Random random_;
};

}  // namespace

void run_sessions(std::uint64_t seed, bool verbose) {
  const Plan plan(seed);
  if (verbose) std::printf("%s\n", plan.describe().c_str());
  SessionRun run(plan, verbose);
  run.run();
}

}  // namespace trunkline::simulation
