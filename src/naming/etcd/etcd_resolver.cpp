// SPDX-License-Identifier: MIT
// EtcdResolver: carries out the stages of the watch.
#include "naming/etcd/etcd_resolver.h"

#include "naming/etcd/requests.h"

#include <utility>

namespace trunkline::naming::etcd {

EtcdResolver::EtcdResolver(net::Loop& loop, const EtcdTarget& target, std::unique_ptr<EtcdCalls> calls,
                           const BackoffOptions& backoff, LogCallback log)
    : loop_(loop),
      target_(target.text),
      prefix_(target.prefix),
      log_(std::move(log)),
      servers_(target.server_scheme),
      opening_(
          [](base::Timer&, void* self, base::TimePoint) {
            static_cast<EtcdResolver*>(self)->fail(
                {StatusCode::deadline_exceeded, "watch: etcd does not answer", StatusOrigin::transport});
          },
          this),
      session_(loop, std::move(calls), {.user = target.user, .password = target.password}, backoff,
               [this] { apply(WatchEvent::begin); }) {}

void EtcdResolver::start(std::shared_ptr<ResolverUpdates> updates) {
  updates_ = std::move(updates);
  session_.start();
}

void EtcdResolver::apply(WatchEvent event) {
  const WatchTransition next = transition(stage_, event);
  stage_ = next.next;
  if (stage_ != WatchStage::opening) opening_.cancel();
  switch (next.action) {
    case WatchAction::authenticate:
      return authenticate();
    case WatchAction::list:
      return revision_ != 0 ? apply(WatchEvent::known) : list();
    case WatchAction::list_anew:
      revision_ = 0;
      return list();
    case WatchAction::report_and_open:
      open();
      return report();
    case WatchAction::open:
      return open();
    case WatchAction::settle:
      has_warned_ = false;
      return session_.succeeded();
    case WatchAction::report:
      return report();
    case WatchAction::rest:
      return rest();
    case WatchAction::reject:
      return;
  }
}

void EtcdResolver::fail(const Status& error) {
  last_error_ = error;
  apply(WatchEvent::failed);
}

void EtcdResolver::authenticate() {
  session_.authenticate([this](const Status& status) {
    if (!status.is_ok()) return fail(status);
    apply(WatchEvent::authenticated);
  });
}

void EtcdResolver::list() {
  session_.calls().call(range_method, range_request(prefix_), [this](const Result<Slice>& response) {
    if (!response) return fail(response.status());
    const RangeResponse keys = RangeResponse::read(response->text());
    revision_ = keys.revision;
    problems_ = servers_.replace(keys.keys);
    apply(WatchEvent::listed);
  });
}

void EtcdResolver::open() {
  loop_.timers().schedule(opening_, loop_.now() + opening_time);
  session_.calls().open(
      watch_method, watch_request(prefix_, revision_ + 1),
      [this](const Slice& message) { watched(WatchResponse::read(message.text())); },
      [this](const Status& reason) { fail(reason); });
}

void EtcdResolver::watched(const WatchResponse& response) {
  if (response.compact_revision != 0) return apply(WatchEvent::outdated);
  if (response.is_cancelled) {
    const std::string reason = response.cancel_reason.empty() ? "no reason is given" : response.cancel_reason;
    return fail({StatusCode::unavailable, "watch: etcd has cancelled it: " + reason, StatusOrigin::peer});
  }
  if (response.is_created) {
    // Revisions only rise, unless the store is another one, or the member is behind.
    return apply(response.revision < revision_ ? WatchEvent::outdated : WatchEvent::opened);
  }
  if (response.changes.empty()) return;
  revision_ = response.changes.back().revision;
  problems_ = servers_.apply(response.changes);
  apply(WatchEvent::changed);
}

void EtcdResolver::report() {
  for (const std::string& problem : problems_) warn("resolve " + target_ + ": " + problem);
  const std::string first_problem = problems_.empty() ? "" : "; " + problems_.front();
  problems_.clear();
  // The listener may destroy this resolver.
  const std::shared_ptr<ResolverUpdates> updates = updates_;
  if (servers_.has_servers()) return updates->update(servers_.resolution());
  updates->fail({StatusCode::unavailable, "resolve " + target_ + ": no server is announced" + first_problem,
                 StatusOrigin::transport});
}

void EtcdResolver::rest() {
  session_.failed();
  if (!session_.has_tried_all()) return;
  const Status error(StatusCode::unavailable, "resolve " + target_ + ": " + std::string(last_error_.message()),
                     StatusOrigin::transport);
  if (!std::exchange(has_warned_, true)) warn(std::string(error.message()));
  const std::shared_ptr<ResolverUpdates> updates = updates_;
  updates->fail(error);
}

void EtcdResolver::warn(const std::string& text) const {
  if (log_) log_({.level = LogLevel::warning, .message = text, .method = {}, .peer = {}});
}

}  // namespace trunkline::naming::etcd
