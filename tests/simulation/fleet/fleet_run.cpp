// SPDX-License-Identifier: MIT
// The events of the simulated fleet.
#include "simulation/fleet/fleet_run.h"

#include "balance/subset.h"
#include "client/refusal_budget.h"
#include "client/retry_budget.h"
#include "simulation/fleet/calendar.h"
#include "simulation/fleet/fleet_record.h"
#include "simulation/fleet/simulated_call.h"
#include "simulation/fleet/simulated_client.h"
#include "simulation/fleet/simulated_server.h"
#include "simulation/fleet/slab.h"
#include "simulation/random.h"

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace trunkline::simulation {
namespace {

using base::Duration;
using base::TimePoint;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint32_t zones = 3;
/// One way.
constexpr Duration within_zone = microseconds(250);
constexpr Duration across_zones = microseconds(750);
constexpr Duration deadline = std::chrono::seconds(1);
/// A connection over which nothing comes back is given up after this time: ConnectionLimits::keepalive_interval and
/// keepalive_timeout.
constexpr Duration silence = std::chrono::seconds(50);
constexpr Duration restart = std::chrono::seconds(1);
constexpr Duration held_up_time = milliseconds(50);
/// How long servers are too slow in a retry storm, and how much slower they are.
constexpr Duration storm = std::chrono::seconds(10);
constexpr double storm_factor = 3;
/// In which clients learn of new names.
constexpr Duration stale_time = std::chrono::seconds(10);
/// A refusal takes this share of a call's work.
constexpr double refusal_work = 0.1;

enum class Kind : std::uint8_t {
  arrive,
  done,
  respond,
  refuse,
  retry,
  hedge,
  lose_link,
  dial,
  sweep,
  resolve,
  happen,
  calm_down,
  kill,
  drain,
  come_up,
};

/// Why an attempt was refused.
enum class Refusal : std::uint8_t {
  /// Its connection is lost: it may have run.
  lost,
  /// The server drains and has not begun it.
  drained,
  /// The server has too many, and says when to come back.
  shed,
};

/// What `subject` and `detail` are depends on the kind: an attempt, a call and its serial number, a client and its
/// slot, or a server.
struct Planned {
  Kind kind;
  Refusal refusal;
  std::uint32_t subject;
  std::uint32_t detail;
};

struct Deadline {
  TimePoint at;
  std::uint32_t call;
  std::uint32_t serial;
};

Duration seconds(double count) { return Duration(static_cast<Duration::rep>(count * 1e9)); }

class FleetRun {
 public:
  explicit FleetRun(const FleetPlan& plan)
      : plan_(plan),
        event_(begin_ + seconds(plan.warm_up)),
        end_(event_ + seconds(plan.measured)),
        random_(plan.seed),
        record_(begin_, event_) {
    make_servers();
    make_clients();
    for (std::uint32_t& client : next_clients_) client = static_cast<std::uint32_t>(random_.below(clients_.size()));
  }

  FleetResult run() {
    const std::clock_t started = std::clock();
    plan(event_, Kind::happen, 0);
    next_arrival_ = begin_;
    while (step()) continue;
    FleetResult result = record_.result();
    result.seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
    complete(result);
    return result;
  }

 private:
  // --- time and chance ---

  double unit() { return static_cast<double>(random_.next() >> 11) * 0x1.0p-53; }
  double exponential(double mean) { return -mean * std::log1p(-unit()); }
  void plan(TimePoint at, Kind kind, std::uint32_t subject, std::uint32_t detail = 0, Refusal refusal = Refusal::lost) {
    calendar_.add(at, {kind, refusal, subject, detail});
  }

  /// False: every call has ended, or should have.
  bool step() {
    const TimePoint deadline_at = deadlines_.empty() ? base::never : deadlines_.front().at;
    const TimePoint other_at = std::min({next_arrival_, deadline_at, end_ + deadline});
    if (other_at >= end_ && calls_.count() == 0) return false;
    if (const auto* const first = calendar_.first(other_at, [this](const Planned& planned) { prefetch(planned); })) {
      now_ = first->at;
      handle(calendar_.take());
      return true;
    }
    now_ = other_at;
    if (now_ == next_arrival_) {
      begin_call();
      next_arrival_ = now_ + seconds(exponential(1 / plan_.calls_per_second));
      if (next_arrival_ >= end_) next_arrival_ = base::never;
      return true;
    }
    if (now_ != deadline_at) return false;
    const Deadline over = deadlines_.front();
    deadlines_.pop_front();
    if (is_open(over.call, over.serial)) time_out(over.call);
    return true;
  }

  void handle(const Planned& planned) {
    switch (planned.kind) {
      case Kind::arrive:
        return arrive(planned.subject);
      case Kind::done:
        return finish(planned.subject, planned.detail);
      case Kind::respond:
        return receive(planned.subject);
      case Kind::refuse:
        return receive_refusal(planned.subject, planned.refusal);
      case Kind::retry:
        return retry(planned.subject, planned.detail);
      case Kind::hedge:
        return hedge(planned.subject, planned.detail);
      case Kind::lose_link:
        return lose_link(planned.subject, planned.detail);
      case Kind::dial:
        return dial(planned.subject, planned.detail);
      case Kind::sweep:
        return sweep(planned.subject);
      case Kind::resolve:
        return resolve(planned.subject);
      case Kind::happen:
        return happen();
      case Kind::calm_down:
        for (SimulatedServer& server : servers_) server.speed *= storm_factor;
        return;
      case Kind::kill:
        return kill(planned.subject);
      case Kind::drain:
        return drain(planned.subject);
      case Kind::come_up:
        servers_[planned.subject].condition = ServerCondition::serving;
        return;
    }
  }

  // --- the fleet ---

  void make_servers() {
    double capacity = 0;
    for (std::size_t i = 0; i < plan_.servers; ++i) {
      SimulatedServer server;
      server.speed = 1 - plan_.spread + 2 * plan_.spread * unit();
      if (plan_.has_uneven_workers) server.workers = i % 2 == 0 ? 4 : 12;
      capacity += server.speed * static_cast<double>(server.workers);
      add_server(std::move(server));
    }
    const double held_up = plan_.held_up * std::chrono::duration<double>(held_up_time).count();
    mean_work_ = plan_.utilisation * capacity / plan_.calls_per_second - held_up;
  }

  void add_server(SimulatedServer server) {
    const auto number = static_cast<std::uint32_t>(servers_.size());
    server.zone = number % zones;
    balance::ServerLoad listed;
    listed.identity = number + 1;
    listed.weight = plan_.has_weights ? static_cast<double>(server.workers) : 1;
    listed_.push_back(listed);
    servers_.push_back(std::move(server));
  }

  void make_clients() {
    clients_.reserve(plan_.clients);
    for (std::uint32_t i = 0; i < plan_.clients; ++i) {
      clients_.emplace_back(plan_, i % zones, random_.next() | 1, begin_);
      for (const std::size_t slot : list(i)) clients_[i].set_ready(slot, true, begin_);
      if (plan_.has_outlier_detection) plan(clients_[i].next_sweep(), Kind::sweep, i);
    }
  }

  /// The client's subset of the servers that are listed now. Returns the slots of those that are new.
  std::vector<std::size_t> list(std::uint32_t number) {
    SimulatedClient& client = clients_[number];
    std::vector<balance::ServerLoad*> all;
    for (balance::ServerLoad& listed : listed_) {
      if (listed.weight > 0) all.push_back(&listed);
    }
    std::vector<SimulatedClient::Listed> chosen;
    for (const balance::ServerLoad* const load : balance::choose_subset(all, plan_.subset, client.seed())) {
      const auto server = static_cast<std::uint32_t>(load->identity - 1);
      chosen.push_back({server, load->weight, servers_[server].zone});
    }
    const std::vector<std::size_t> filled = client.list(chosen);
    for (const std::size_t slot : filled) {
      servers_[client.server_of(slot)].links.push_back(link_number(number, slot));
    }
    return filled;
  }

  std::uint32_t link_number(std::uint32_t client, std::size_t slot) const {
    return static_cast<std::uint32_t>(client * plan_.subset + slot);
  }
  Duration distance(const SimulatedClient& client, std::uint32_t server) const {
    return client.zone() == servers_[server].zone ? within_zone : across_zones;
  }

  // --- calls, at the client ---

  bool is_open(std::uint32_t call, std::uint32_t serial) { return calls_[call].serial == serial; }

  /// It is drawn some calls ahead, so that the processor can fetch it from memory.
  std::uint32_t next_client() {
    const std::size_t turn = turn_++ % next_clients_.size();
    const std::uint32_t client = next_clients_[turn];
    next_clients_[turn] = static_cast<std::uint32_t>(random_.below(clients_.size()));
    __builtin_prefetch(&clients_[next_clients_[turn]]);
    __builtin_prefetch(reinterpret_cast<const char*>(&clients_[next_clients_[turn]]) + 64);
    clients_[next_clients_[(turn_ + next_clients_.size() / 2) % next_clients_.size()]].prefetch_start();
    return client;
  }
  void prefetch(const Planned& planned) {
    if (planned.kind != Kind::respond) return;
    const SimulatedAttempt& attempt = attempts_[planned.subject];
    clients_[attempt.client].prefetch_end(attempt.slot);
  }

  void begin_call() {
    SimulatedCall call;
    call.started = now_;
    call.key = random_.next();
    call.serial = ++serial_;
    call.client = next_client();
    const std::uint32_t id = calls_.add(call);
    record_.on_call(now_);
    deadlines_.push_back({now_ + deadline, id, call.serial});
    if (!attempt(id, nullptr)) return fail(id);
    balance::HedgePolicy* const hedging = clients_[call.client].hedging();
    if (hedging == nullptr) return;
    hedging->on_started();
    if (const std::optional<Duration> delay = hedging->delay()) plan(now_ + *delay, Kind::hedge, id, call.serial);
  }

  /// False: no server is ready.
  bool attempt(std::uint32_t id, const balance::ServerLoad* avoided) {
    SimulatedCall& call = calls_[id];
    SimulatedClient& client = clients_[call.client];
    const std::optional<std::size_t> slot = client.start(call.key, avoided, now_);
    if (!slot) return false;
    record_.on_attempt(call.started, now_, call.open > 0);
    ++call.attempts;
    SimulatedAttempt attempt;
    attempt.sent = now_;
    attempt.call = id;
    attempt.client = call.client;
    attempt.slot = static_cast<std::uint32_t>(*slot);
    attempt.server = client.server_of(*slot);
    attempt.distance = distance(client, attempt.server);
    attempt.uses = 1;
    if (record_.is_measured(call.started)) ++servers_[attempt.server].measured_attempts;
    const std::uint32_t number = attempts_.add(attempt);
    call.add(number);
    plan(now_ + attempt.distance, Kind::arrive, number);
    return true;
  }

  /// The client's part of the end of an attempt.
  void end_attempt(std::uint32_t number, balance::Outcome outcome) {
    SimulatedAttempt& attempt = attempts_[number];
    clients_[attempt.client].end(attempt.slot, outcome, now_ - attempt.sent, now_);
    attempt.is_ended = true;
    attempt.given_up = now_ + attempt.distance;
    calls_[attempt.call].remove(number);
    release(number);
  }

  /// Attempts that are still open lose.
  void end_call(std::uint32_t id, balance::Outcome of_open_attempts) {
    SimulatedCall& call = calls_[id];
    while (call.open > 0) end_attempt(call.open_attempts[0], of_open_attempts);
    call.serial = 0;
    calls_.remove(id);
  }

  void fail(std::uint32_t id) {
    record_.on_failed(calls_[id].started);
    end_call(id, balance::Outcome::abandoned);
  }

  void time_out(std::uint32_t id) {
    record_.on_failed(calls_[id].started);
    end_call(id, balance::Outcome::failed);
  }

  void receive(std::uint32_t number) {
    use_is_over(number);
    if (attempts_[number].is_ended) return release(number);
    const std::uint32_t id = attempts_[number].call;
    const SimulatedCall& call = calls_[id];
    SimulatedClient& client = clients_[call.client];
    end_attempt(number, balance::Outcome::served);
    client.retries().on_success();
    if (client.hedging() != nullptr) client.hedging()->on_answered(now_ - call.started, now_);
    record_.on_served(call.started, now_);
    end_call(id, balance::Outcome::abandoned);
  }

  void receive_refusal(std::uint32_t number, Refusal refusal) {
    use_is_over(number);
    if (attempts_[number].is_ended) return release(number);
    const SimulatedAttempt attempt = attempts_[number];
    end_attempt(number, refusal == Refusal::lost ? balance::Outcome::lost : balance::Outcome::shed);
    SimulatedCall& call = calls_[attempt.call];
    const Duration pause = pause_before_retry(call, refusal);
    if (pause < Duration::zero()) {
      if (call.open == 0 && !call.waits_for_retry) fail(attempt.call);
      return;
    }
    call.waits_for_retry = true;
    call.avoided_slot = attempt.slot;
    if (pause == Duration::zero()) return retry(attempt.call, call.serial);
    plan(now_ + pause, Kind::retry, attempt.call, call.serial);
  }

  /// Negative: the call is not tried again.
  Duration pause_before_retry(SimulatedCall& call, Refusal refusal) {
    client::RetryPolicy& retries = clients_[call.client].retries();
    if (plan_.retries == RetryMode::without_budget) {
      for (int i = 0; i < client::RetryBudget::retry_cost; ++i) retries.on_success();
    }
    client::FailedAttempt failed;
    failed.origin = refusal == Refusal::shed ? StatusOrigin::peer : StatusOrigin::transport;
    failed.may_have_run = refusal == Refusal::lost;
    failed.is_idempotent = true;
    failed.is_connection_gone = refusal != Refusal::shed;
    failed.has_deadline = true;
    failed.free_retries = call.free_retries;
    failed.retries = call.retries;
    if (refusal == Refusal::shed) failed.pushback = milliseconds(10 + static_cast<int>(random_.below(11)));
    switch (retries.decide(failed)) {
      case client::RetryDecision::none:
        break;
      case client::RetryDecision::free:
        return retries.pause_before_free(++call.free_retries);
      case client::RetryDecision::charged:
        if (refusal == Refusal::shed) record_.on_refusal_retried();
        ++call.retries;
        return failed.pushback ? Duration(*failed.pushback) : retries.pause_before(call.retries, false);
    }
    return Duration(-1);
  }

  void retry(std::uint32_t id, std::uint32_t serial) {
    if (!is_open(id, serial)) return;
    SimulatedCall& call = calls_[id];
    call.waits_for_retry = false;
    if (!attempt(id, &clients_[call.client].load(call.avoided_slot)) && call.open == 0) fail(id);
  }

  void hedge(std::uint32_t id, std::uint32_t serial) {
    if (!is_open(id, serial)) return;
    SimulatedCall& call = calls_[id];
    balance::HedgePolicy& hedging = *clients_[call.client].hedging();
    if (call.open != 1 || call.attempts >= hedging.max_attempts() || !hedging.try_take()) return;
    if (!clients_[call.client].retries().try_take()) return;
    attempt(id, &clients_[call.client].load(attempts_[call.open_attempts[0]].slot));
  }

  // --- attempts, at the server ---

  void use_is_over(std::uint32_t number) { --attempts_[number].uses; }
  void release(std::uint32_t number) {
    if (attempts_[number].is_ended && attempts_[number].uses == 0) attempts_.remove(number);
  }
  void answer(std::uint32_t number, Kind kind, Refusal refusal = Refusal::lost) {
    ++attempts_[number].uses;
    plan(now_ + attempts_[number].distance, kind, number, 0, refusal);
  }

  void arrive(std::uint32_t number) {
    use_is_over(number);
    SimulatedServer& server = servers_[attempts_[number].server];
    switch (server.condition) {
      case ServerCondition::cut_off:
        return release(number);
      case ServerCondition::down:
        return answer(number, Kind::refuse, Refusal::lost);
      case ServerCondition::draining:
        return answer(number, Kind::refuse, Refusal::drained);
      case ServerCondition::serving:
        break;
    }
    if (server.has_free_worker()) return serve(server, number);
    if (plan_.queue_limit != 0 && server.queue.size() >= plan_.queue_limit) {
      server.owed += refusal_work * mean_work_;
      return answer(number, Kind::refuse, Refusal::shed);
    }
    ++attempts_[number].uses;
    server.queue.push_back(number);
  }

  void serve(SimulatedServer& server, std::uint32_t number) {
    double work = (exponential(mean_work_) + std::exchange(server.owed, 0)) / server.speed;
    if (plan_.held_up > 0 && unit() < plan_.held_up) {
      work += exponential(std::chrono::duration<double>(held_up_time).count());
    }
    server.running.push_back(number);
    ++attempts_[number].uses;
    plan(now_ + seconds(work), Kind::done, number, server.life);
  }

  void finish(std::uint32_t number, std::uint32_t life) {
    use_is_over(number);
    SimulatedServer& server = servers_[attempts_[number].server];
    if (life != server.life) return release(number);
    server.remove_running(number);
    if (server.condition == ServerCondition::cut_off) return release(number);
    answer(number, Kind::respond);
    while (server.has_free_worker() && !server.queue.empty()) {
      const std::uint32_t next = server.queue.front();
      server.queue.pop_front();
      use_is_over(next);
      // What nobody waits for any more is not begun.
      attempts_[next].given_up <= now_ ? release(next) : serve(server, next);
    }
    if (server.condition == ServerCondition::draining && server.is_idle()) go_down(attempts_[number].server);
  }

  // --- connections ---

  void lose_link(std::uint32_t number, std::uint32_t slot) {
    SimulatedClient& client = clients_[number];
    if (!client.is_ready(slot)) return;
    const bool is_drained = servers_[client.server_of(slot)].condition == ServerCondition::draining;
    is_drained ? client.set_ready(slot, false, now_) : client.lose(slot, now_);
    plan(now_ + 2 * distance(client, client.server_of(slot)), Kind::dial, number, slot);
  }

  void dial(std::uint32_t number, std::uint32_t slot) {
    SimulatedClient& client = clients_[number];
    if (client.is_ready(slot)) return;
    if (servers_[client.server_of(slot)].condition == ServerCondition::serving) {
      return client.set_ready(slot, true, now_);
    }
    plan(now_ + client.pause_before_dial(slot), Kind::dial, number, slot);
  }

  /// Every client of the server hears of it.
  void lose_links(std::uint32_t server, Duration after) {
    for (const std::uint32_t link : servers_[server].links) {
      const auto client = static_cast<std::uint32_t>(link / plan_.subset);
      const auto slot = static_cast<std::uint32_t>(link % plan_.subset);
      if (clients_[client].server_of(slot) != server) continue;
      plan(now_ + after + distance(clients_[client], server), Kind::lose_link, client, slot);
    }
  }

  void sweep(std::uint32_t number) {
    clients_[number].sweep(now_);
    plan(std::max(clients_[number].next_sweep(), now_ + milliseconds(1)), Kind::sweep, number);
  }

  void resolve(std::uint32_t number) {
    for (const std::size_t slot : list(number)) plan(now_, Kind::dial, number, static_cast<std::uint32_t>(slot));
  }

  // --- what happens ---

  void happen() {
    const auto count = static_cast<std::uint32_t>(servers_.size());
    switch (plan_.event) {
      case FleetEvent::none:
        return;
      case FleetEvent::slowed:
        for (std::uint32_t i = 0; i < count; i += 10) servers_[i].speed /= 10;
        return;
      case FleetEvent::zone_lost:
        for (std::uint32_t i = 0; i < count; i += zones) cut_off(i);
        return;
      case FleetEvent::rolling_restart:
        return roll(Kind::drain);
      case FleetEvent::rolling_kill:
        return roll(Kind::kill);
      case FleetEvent::retry_storm:
        for (SimulatedServer& server : servers_) server.speed /= storm_factor;
        return plan(now_ + storm, Kind::calm_down, 0);
      case FleetEvent::stale_names:
        return rename();
    }
  }

  void roll(Kind how) {
    const auto count = static_cast<std::uint32_t>(servers_.size());
    for (std::uint32_t i = 0; i < count; ++i) plan(now_ + seconds(plan_.measured * 0.8 * i / count), how, i);
  }

  void rename() {
    const auto count = static_cast<std::uint32_t>(servers_.size());
    for (std::uint32_t i = 0; i < count; i += 10) {
      SimulatedServer successor;
      successor.speed = servers_[i].speed;
      add_server(std::move(successor));
      listed_[i].weight = 0;
      kill_for_ever(i);
    }
    for (std::uint32_t i = 0; i < clients_.size(); ++i) {
      plan(now_ + seconds(unit() * std::chrono::duration<double>(stale_time).count()), Kind::resolve, i);
    }
  }

  void kill(std::uint32_t number) {
    kill_for_ever(number);
    plan(now_ + restart, Kind::come_up, number);
  }

  void kill_for_ever(std::uint32_t number) {
    SimulatedServer& server = servers_[number];
    server.condition = ServerCondition::down;
    ++server.life;
    lose_links(number, Duration::zero());
    for (const std::uint32_t attempt : server.running) answer(attempt, Kind::refuse, Refusal::lost);
    for (const std::uint32_t attempt : server.queue) {
      use_is_over(attempt);
      answer(attempt, Kind::refuse, Refusal::lost);
    }
    server.running.clear();
    server.queue.clear();
    server.owed = 0;
  }

  void drain(std::uint32_t number) {
    servers_[number].condition = ServerCondition::draining;
    lose_links(number, Duration::zero());
    if (servers_[number].is_idle()) go_down(number);
  }

  void go_down(std::uint32_t number) {
    servers_[number].condition = ServerCondition::down;
    plan(now_ + restart, Kind::come_up, number);
  }

  void cut_off(std::uint32_t number) {
    SimulatedServer& server = servers_[number];
    server.condition = ServerCondition::cut_off;
    lose_links(number, silence);
    for (const std::uint32_t attempt : server.queue) {
      use_is_over(attempt);
      release(attempt);
    }
    server.queue.clear();
  }

  // --- the result ---

  void complete(FleetResult& result) const {
    std::uint64_t most = 0, all = 0;
    for (const SimulatedServer& server : servers_) {
      most = std::max(most, server.measured_attempts);
      all += server.measured_attempts;
    }
    result.busiest = static_cast<double>(most) * static_cast<double>(plan_.servers) / static_cast<double>(all);
    result.unended = calls_.count();
    const double at_once = static_cast<double>(plan_.clients) * client::RefusalBudget::max_tokens;
    const double earned = static_cast<double>(record_.all_served());
    result.budget = (at_once + earned) / client::RefusalBudget::retry_cost;
  }

  const FleetPlan plan_;
  const TimePoint begin_{std::chrono::hours(1)};
  const TimePoint event_;
  const TimePoint end_;
  TimePoint now_ = begin_;
  TimePoint next_arrival_ = base::never;
  Random random_;
  FleetRecord record_;
  Calendar<Planned> calendar_;
  /// In order, since all calls have the same time.
  std::deque<Deadline> deadlines_;
  std::vector<SimulatedServer> servers_;
  /// For choose_subset(). Those that are not listed any more have no weight.
  std::vector<balance::ServerLoad> listed_;
  std::vector<SimulatedClient> clients_;
  Slab<SimulatedCall> calls_;
  Slab<SimulatedAttempt> attempts_;
  std::uint32_t serial_ = 0;
  std::array<std::uint32_t, 8> next_clients_{};
  std::size_t turn_ = 0;
  double mean_work_ = 0;
};

}  // namespace

FleetResult run_fleet(const FleetPlan& plan) { return std::make_unique<FleetRun>(plan)->run(); }

}  // namespace trunkline::simulation
