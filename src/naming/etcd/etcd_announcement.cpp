// SPDX-License-Identifier: MIT
// EtcdAnnouncement: carries out the stages of the lease.
#include "naming/etcd/etcd_announcement.h"

#include "naming/etcd/requests.h"
#include "naming/etcd/responses.h"
#include "naming/etcd/server_entry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace trunkline::naming::etcd {

namespace {

constexpr int renewals_per_lifetime = 3;

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr};
}

}  // namespace

EtcdAnnouncement::EtcdAnnouncement(net::Loop& loop, Parts parts)
    : loop_(loop),
      target_(std::move(parts.target)),
      servers_(std::move(parts.servers)),
      time_to_live_(parts.time_to_live),
      drain_delay_(parts.drain_delay),
      log_(std::move(parts.log)),
      timer_([](base::Timer&, void* self, base::TimePoint) { static_cast<EtcdAnnouncement*>(self)->timer_fired(); },
             this),
      session_(loop, std::move(parts.calls), {.user = target_.user, .password = target_.password}, parts.backoff,
               [this] { apply(LeaseEvent::begin); }) {}

void EtcdAnnouncement::withdraw(base::TimePoint deadline, std::function<void()> done) {
  deadline_ = deadline;
  done_ = std::move(done);
  loop_.timers().schedule(timer_, std::min(loop_.now() + withdrawing_time, deadline_));
  apply(LeaseEvent::withdraw);
}

void EtcdAnnouncement::apply(LeaseEvent event) {
  const LeaseTransition next = transition(stage_, event);
  stage_ = next.next;
  switch (next.action) {
    case LeaseAction::authenticate:
      return authenticate();
    case LeaseAction::grant_anew:
      timer_.cancel();
      lease_ = 0;
      written_ = 0;
      return grant();
    case LeaseAction::grant:
      return grant();
    case LeaseAction::put:
      return put();
    case LeaseAction::keep:
      return keep();
    case LeaseAction::settle:
      return settle();
    case LeaseAction::rest:
      return rest();
    case LeaseAction::revoke:
      return revoke();
    case LeaseAction::finish:
      return finish();
    case LeaseAction::none:
    case LeaseAction::reject:
      return;
  }
}

void EtcdAnnouncement::fail(const Status& error) {
  last_error_ = error;
  apply(LeaseEvent::failed);
}

void EtcdAnnouncement::authenticate() {
  session_.authenticate([this](const Status& status) {
    if (!status.is_ok()) return fail(status);
    apply(LeaseEvent::authenticated);
  });
}

void EtcdAnnouncement::grant() {
  if (lease_ != 0) return apply(written_ < servers_.size() ? LeaseEvent::granted : LeaseEvent::announced);
  const auto seconds = static_cast<std::uint64_t>(time_to_live_.count());
  session_.calls().call(grant_method, grant_request(seconds), [this](const Result<Slice>& response) {
    if (!response) return fail(response.status());
    lease_ = LeaseResponse::read(response->text()).id;
    if (lease_ == 0) return fail({StatusCode::unavailable, "etcd has granted no lease", StatusOrigin::peer});
    apply(LeaseEvent::granted);
  });
}

void EtcdAnnouncement::put() {
  if (written_ == servers_.size()) return apply(LeaseEvent::announced);
  const ResolvedServer& server = servers_[written_];
  session_.calls().call(put_method, put_request(key_of(server), ServerEntry::write(server), lease_),
                        [this](const Result<Slice>& response) {
                          if (response) return ++written_, put();
                          // The message is "requested lease not found".
                          if (response.status().code() == StatusCode::not_found) return apply(LeaseEvent::lost);
                          fail(response.status());
                        });
}

void EtcdAnnouncement::keep() {
  session_.calls().open(
      keep_alive_method, keep_alive_request(lease_),
      [this](const Slice& message) {
        apply(LeaseResponse::read(message.text()).seconds_left > 0 ? LeaseEvent::renewed : LeaseEvent::lost);
      },
      [this](const Status& reason) { fail(reason); });
  is_renewing_ = true;
  loop_.timers().schedule(timer_, loop_.now() + base::Duration(time_to_live_) / renewals_per_lifetime);
}

void EtcdAnnouncement::renew() {
  if (Status status = session_.calls().send(keep_alive_request(lease_)); !status.is_ok()) return fail(status);
  is_renewing_ = true;
  loop_.timers().schedule(timer_, loop_.now() + base::Duration(time_to_live_) / renewals_per_lifetime);
}

void EtcdAnnouncement::settle() {
  is_renewing_ = false;
  if (std::exchange(has_warned_, false))
    log_(LogLevel::info, "announce at " + target_.text + ": it is announced again");
  session_.succeeded();
}

void EtcdAnnouncement::rest() {
  if (stage_ == LeaseStage::resting) timer_.cancel();
  session_.failed();
  if (!session_.has_tried_all() || std::exchange(has_warned_, true)) return;
  log_(LogLevel::warning, "announce at " + target_.text + ": " + std::string(last_error_.message()));
}

void EtcdAnnouncement::revoke() {
  session_.calls().abandon();
  if (lease_ == 0) return apply(LeaseEvent::revoked);
  session_.calls().call(revoke_method, revoke_request(lease_), [this](const Result<Slice>& response) {
    if (response || response.status().code() == StatusCode::not_found) return apply(LeaseEvent::revoked);
    fail(response.status());
  });
}

void EtcdAnnouncement::finish() {
  session_.calls().abandon();
  const bool was_seen = lease_ != 0 && written_ > 0;
  const base::TimePoint end = was_seen ? std::min(loop_.now() + drain_delay_, deadline_) : loop_.now();
  loop_.timers().schedule(timer_, end);
}

void EtcdAnnouncement::timer_fired() {
  switch (stage_) {
    case LeaseStage::keeping:
      if (!is_renewing_) return renew();
      return fail({StatusCode::deadline_exceeded, "keep alive: etcd does not answer", StatusOrigin::transport});
    case LeaseStage::withdrawn: {
      // The callback may destroy this object.
      const std::function<void()> done = std::exchange(done_, nullptr);
      return done();
    }
    default:
      return apply(LeaseEvent::gave_up);
  }
}

std::string EtcdAnnouncement::key_of(const ResolvedServer& server) const {
  const std::string uri = server.endpoint.to_string();
  return target_.prefix + uri.substr(uri.find(':') + 1 + (server.endpoint.host().empty() ? 0 : 2)) + "-" +
         hexadecimal(lease_);
}

}  // namespace trunkline::naming::etcd
