// SPDX-License-Identifier: MIT
// Pumps two sessions.
#include "kit/session_pair.h"

#include <algorithm>

namespace trunkline::kit {

SessionPair::SessionPair(const Options& options)
    : client_(session::Role::client, options.client, timers_, clock_.now(), nullptr, *options.protocol),
      server_(session::Role::server, options.server, timers_, clock_.now(), nullptr, *options.protocol),
      to_server_(options.latency, options.link_capacity),
      to_client_(options.latency, options.link_capacity) {}

/// Does one write of `from` and one read of `to`. False: neither was possible.
bool SessionPair::move(SessionEnd& from, SessionLink& link, SessionEnd& to, bool reads, bool& end_seen) {
  bool moved = false;
  const auto size = [this] { return next_size ? std::max<std::size_t>(next_size(), 1) : std::size_t{1} << 20; };
  if (const std::size_t room = std::min(link.room(), size()); room > 0 && from.session().has_output()) {
    if (std::string bytes = from.take_output(room); !bytes.empty()) {
      link.send(std::move(bytes), clock_.now());
      moved = true;
    }
  }
  if (from.session().is_closed() && !from.session().has_output()) link.close();
  if (from.take_wake()) from.turn(), moved = true;
  if (!reads || end_seen) return moved;

  std::array<MutableByteSpan, 2> room;
  const std::size_t count = to.session().prepare_receive(room);
  std::size_t capacity = 0;
  for (std::size_t i = 0; i < count; ++i) capacity += room[i].size();
  const std::string bytes = link.receive(std::min(capacity, size()), clock_.now());
  if (bytes.empty()) to.session().received_nothing();
  if (!bytes.empty()) {
    to.feed(bytes, clock_.now());
    to.turn();
    return true;
  }
  if (link.is_at_end() && (link.is_cut() || capacity > 0)) {  // who does not read does not see the end
    end_seen = true;
    to.session().transport_closed(link.is_cut() ? Status(StatusCode::unavailable, "connection reset") : Status());
    to.turn();
    return true;
  }
  return moved;
}

void SessionPair::settle() {
  bool moved = true;
  while (moved) {
    moved = move(client_, to_server_, server_, server_reads, server_end_seen_);
    moved = move(server_, to_client_, client_, client_reads, client_end_seen_) || moved;
    if (client_.take_wake()) client_.turn(), moved = true;
    if (server_.take_wake()) server_.turn(), moved = true;
  }
}

bool SessionPair::step(base::TimePoint limit) {
  base::TimePoint next = timers_.next_wakeup();
  if (server_reads && to_server_.next_arrival() > clock_.now()) next = std::min(next, to_server_.next_arrival());
  if (client_reads && to_client_.next_arrival() > clock_.now()) next = std::min(next, to_client_.next_arrival());
  if (next > limit) {
    clock_.set(limit);
    timers_.advance(clock_.now());
    return false;
  }
  clock_.set(next);
  timers_.advance(clock_.now());
  client_.turn();
  server_.turn();
  return true;
}

void SessionPair::run(base::Duration time) {
  const base::TimePoint limit = clock_.now() + time;
  do settle();
  while (step(limit));
  settle();
}

void SessionPair::break_link() {
  to_server_.cut();
  to_client_.cut();
}

}  // namespace trunkline::kit
