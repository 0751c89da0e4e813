// SPDX-License-Identifier: MIT
// EtcdSession: gets tokens and makes pauses.
#include "naming/etcd/etcd_session.h"

#include "naming/etcd/requests.h"
#include "naming/etcd/responses.h"

#include <utility>

namespace trunkline::naming::etcd {

EtcdSession::EtcdSession(net::Loop& loop, std::unique_ptr<EtcdCalls> calls, Credentials credentials,
                         const BackoffOptions& backoff, std::function<void()> begin)
    : loop_(loop),
      calls_(std::move(calls)),
      credentials_(std::move(credentials)),
      backoff_(backoff),
      begin_(std::move(begin)),
      next_(
          [](base::Timer&, void* self, base::TimePoint) {
            // The copy of the callback outlives what it calls.
            const std::function<void()> attempt = static_cast<EtcdSession*>(self)->begin_;
            attempt();
          },
          this) {}

void EtcdSession::start() { loop_.timers().schedule(next_, loop_.now()); }

void EtcdSession::authenticate(EtcdCalls::Ended done) {
  calls_->set_token({});
  if (credentials_.user.empty()) return done({});
  calls_->call(authenticate_method, authenticate_request(credentials_.user, credentials_.password),
               [this, done = std::move(done)](Result<Slice> response) {
                 // etcd answers so if it has no users: "authentication is not enabled".
                 const bool is_needless = response.status().code() == StatusCode::failed_precondition;
                 if (!response && !is_needless) return done(std::move(response).status());
                 if (response) calls_->set_token(AuthenticateResponse::read(response->text()).token);
                 done({});
               });
}

void EtcdSession::succeeded() noexcept {
  failures_ = 0;
  backoff_.reset();
}

void EtcdSession::failed() {
  calls_->abandon();
  calls_->use_next_member();
  ++failures_;
  const bool ends_round = failures_ % calls_->member_count() == 0;
  const base::Duration pause = ends_round ? backoff_.next() : base::Duration::zero();
  loop_.timers().schedule(next_, base::deadline_after(loop_.now(), pause));
}

}  // namespace trunkline::naming::etcd
