// SPDX-License-Identifier: MIT
// A client and a server session over a faulty link, from the first byte to the last.
#include "simulation/session_run.h"

#include "kit/credit_watch.h"
#include "kit/frames.h"
#include "session/memory_share.h"
#include "simulation/client_model.h"
#include "simulation/server_model.h"
#include "simulation/session_world.h"

namespace trunkline::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

class SessionRun {
 public:
  SessionRun(const Plan& plan, bool verbose)
      : world_(plan, verbose), client_(world_), server_(world_), random_(plan.seed + 1) {
    world_.pair.next_size = [this] { return 1 + random_.below(world_.plan.largest_step); };
    world_.pair.to_server().on_bytes = [this](std::string_view bytes) { watch(wire::Sender::client, bytes); };
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
    world_.check(fault.empty(), nullptr, fault);
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

  /// Other connections take all but the reserve for a while.
  void plan_memory() {
    const Plan& plan = world_.plan;
    if (plan.max_memory_bytes == 0) return;
    world_.after(plan.others_hold_at, [this] {
      client_others_.update(world_.plan.max_memory_bytes / 2);
      server_others_.update(world_.plan.max_memory_bytes * 3 / 4);
    });
    world_.after(plan.others_hold_at + plan.others_hold_for, [this] {
      client_others_.update(0);
      server_others_.update(0);
    });
  }

  template <class Condition>
  void run_until(Condition is_met, base::Duration time) {
    const base::TimePoint limit = world_.now() + time;
    for (;;) {
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
    client.drain();
    run_until([&] { return client.is_drained() || client.is_closed(); }, minutes(1));
    world_.check(client.is_drained() || client.is_closed() || world_.is_corrupt(), nullptr,
                 "the client does not become drained");
    client.close({});
    run_until([&] { return client_.has_seen_closed() && server_.has_seen_closed(); }, minutes(1));
    world_.check(client_.has_seen_closed(), nullptr, "the client did not get the closed event");
    world_.check(server_.has_seen_closed(), nullptr, "the server did not get the closed event");
    world_.check(client_.is_done(), nullptr, client_.unfinished() + " although the connection has ended");
    for (session::MemoryBudget* const memory : {&world_.client_memory, &world_.server_memory}) {
      const std::size_t others = memory == &world_.client_memory ? client_others_.taken() : server_others_.taken();
      world_.check(memory->used() == others, nullptr, std::to_string(memory->used()) + " bytes of memory remain taken");
    }
    world_.check(client.open_calls() == 0 && server.open_calls() == 0, nullptr, "calls are left after the end");
    const bool is_clean = world_.plan.fault == Fault::none;
    if (is_clean) {
      world_.check(client.close_reason().is_ok(), nullptr,
                   "the client ended with " + client.close_reason().to_string());
      const Status& reason = server.close_reason();
      world_.check(reason.is_ok(), nullptr, "the server ended with " + reason.to_string());
    }
  }

  SessionWorld world_;
  session::MemoryShare client_others_{&world_.client_memory};
  session::MemoryShare server_others_{&world_.server_memory};
  ClientModel client_;
  ServerModel server_;
  kit::CreditWatch watch_;
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
