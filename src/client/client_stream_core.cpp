// SPDX-License-Identifier: MIT
// ClientStreamCore: opens, cancels and ends a client's stream.
#include "client/client_stream_core.h"

#include "call/message_coding.h"
#include "client/call_status.h"
#include "client/channel_core.h"

#include <algorithm>
#include <utility>

namespace trunkline::client {

ClientStreamCore::ClientStreamCore(std::shared_ptr<ChannelCore> core, const Method& called, const CallOptions& options,
                                   bool ends, MessageView first)
    : ConnectedStream(core, core->options().codecs),
      core_(std::move(core)),
      ends_(ends),
      sent_(0, 0),
      is_idempotent_(options.idempotent || called.is_idempotent()),
      metadata_(options.metadata),
      response_info_(options.response_info) {
  CallPreparation& preparation = core_->preparation();
  method = preparation.entry_of(called, own_method_);
  wait_for_ready = options.wait_for_ready;
  waits_for_room = core_->options().pending_policy == PendingPolicy::wait;
  hints = CallPreparation::hints_of(options);
  if (ends_) set_writes_closed();
  deadline = preparation.deadline_of(options, started);
  const MessageType* const later = first.object == nullptr ? first.type : nullptr;
  if (later != nullptr) first = {};
  early_error_ = preparation.choose_coding(options, first, first_.codec, compressor_);
  if (!options.codec.empty()) set_codec(core_->options().codecs.find(options.codec));
  if (later != nullptr) later_codec_ = codec_of(*later, options.codec);
  first_.compressor = compressor_;
  if (early_error_.is_ok() && first.type != nullptr) {
    early_error_ = call::encode_message(first_.codec, first, first_.payload);
  }
  if (early_error_.is_ok()) {
    early_error_ = preparation.intercept(interception_, *method, deadline, started, metadata_);
  }
}

ClientStreamCore::~ClientStreamCore() = default;

/// Returns the codec of a type. Null: there is none, which a later write reports.
const Codec* ClientStreamCore::codec_of(const MessageType& type, std::string_view name) const {
  const Result<const Codec*> codec = call::choose_codec(core_->options().codecs, name, type);
  return codec.is_ok() ? *codec : nullptr;
}

/// Opens the call. Here it is decided whether its messages are held for another connection.
void ClientStreamCore::open() {
  if (core_->calls().retry().needs_requests()) {
    sent_ = SentMessages(core_->options().max_retained_request_bytes, first_.payload.size());
    report_sent();
  }
  self_ = shared_from_this();
  core_->run_soon([self = shared_from_this(), this] { launch(); }, true);
}

void ClientStreamCore::launch() {
  if (is_over()) return;  // cancelled already
  if (!early_error_.is_ok()) return fail(early_error_);
  rules_changed();
  core_->invoker().invoke(*this);
}

/// Applies a new service config, whose limits of messages are for unary calls only.
void ClientStreamCore::rules_changed() {
  const MethodRules* const rules = core_->rules().any() ? core_->rules().find(*method) : nullptr;
  if (rules == nullptr) return;
  wait_for_ready = wait_for_ready || rules->config.wait_for_ready.value_or(false);
  if (!rules->config.timeout) return;
  if (started == base::TimePoint{}) started = core_->loop().now();
  deadline = std::min(deadline, base::deadline_after(started, *rules->config.timeout));
}

Status ClientStreamCore::start_on(ClientConnection& connection) {
  if (is_over()) return {};
  return connection.start(*this, *this, first_,
                          {.metadata = &metadata_,
                           .codec = later_codec_,
                           .end = ends_,
                           .previous_attempts = static_cast<std::uint32_t>(retries_)});
}

void ClientStreamCore::fail(Status status) {
  if (status.is_ok()) status = Status(StatusCode::internal, "stream ended without a status");
  status.set_may_have_run(may_have_run_before_);
  finish(std::move(status), {});
}

void ClientStreamCore::on_finished(session::Event& event, const std::string& peer) {
  if (!event.status.is_ok() && try_again(event)) return;
  // The metadata is taken out before the message is handled: on_message() treats an event's metadata as leading.
  mutable_trailing() = std::exchange(event.metadata, {});
  if (event.has_message) StreamCore::on_message(event);
  const CallTimes times{.started = started, .deadline = deadline, .ended = core_->loop().now()};
  Status status = status_at_peer(*method, std::move(event.status), times, peer);
  if (may_have_run_before_) status.set_may_have_run(true);
  if (status.is_ok()) core_->calls().retry().on_success();
  finish(std::move(status), peer);
}

/// Opens the call again if nothing has come of it but its end, and RetryPolicy allows it.
bool ClientStreamCore::try_again(const session::Event& event) {
  if (is_over() || has_received() || event.has_message || core_->state() == ChannelState::closed) return false;
  const Status& status = event.status;
  const MethodRules* const rules = core_->rules().any() ? core_->rules().find(*method) : nullptr;
  const RetryOptions* const configured = rules != nullptr ? rules->retry() : nullptr;
  const auto& connection = *static_cast<const ClientConnection*>(link());
  const FailedAttempt attempt{.code = status.code(),
                              .origin = status.origin(),
                              .may_have_run = status.may_have_run(),
                              .is_idempotent = is_idempotent_,
                              .is_connection_gone = connection.is_draining() && !connection.is_rejected(),
                              .has_deadline = deadline != base::never,
                              .free_retries = free_retries_,
                              .has_request = sent_.is_complete(),
                              .retries = retries_,
                              .pushback = event.pushback,
                              .configured = configured};
  RetryPolicy& retry = core_->calls().retry();
  const RetryDecision decision = retry.decide(attempt);
  if (decision == RetryDecision::none) return false;
  if (attempt.may_have_run) may_have_run_before_ = true;
  hints.avoided.add(connection.load());
  StreamCore::detach(ends_);
  is_repeated = true;
  const base::Duration pause = decision == RetryDecision::free ? retry.pause_before_free(++free_retries_)
                                                               : pause_before_retry(configured, event);
  if (pause > base::Duration::zero()) {
    core_->invoker().invoke_after(*this, pause);
  } else {
    core_->invoker().invoke(*this);
  }
  return true;
}

base::Duration ClientStreamCore::pause_before_retry(const RetryOptions* configured, const session::Event& event) {
  RetryPolicy& retry = core_->calls().retry();
  ++retries_;
  if (event.pushback) {
    retries_at_pushback_ = retries_;
    return *event.pushback;
  }
  if (configured != nullptr) return retry.pause_before(retries_ - retries_at_pushback_, *configured);
  return retry.pause_before(retries_, core_->invoker().pick(*method, hints) != nullptr);
}

void ClientStreamCore::on_sent(const session::OutgoingMessage& message) {
  if (has_received()) {
    sent_.give_up();
  } else {
    sent_.add(message);
  }
}

void ClientStreamCore::on_attached() {
  for (const session::OutgoingMessage& message : sent_.all()) {
    if (const Status status = session()->send(id(), message, nullptr, false); !status.is_ok()) {
      return on_write_failed(status);
    }
  }
}

void ClientStreamCore::finish(Status status, const std::string& peer) {
  const std::shared_ptr<call::StreamCore> keep = std::move(self_);
  interception_.finish(core_->preparation().interceptors(), peer, mutable_trailing(), status);
  {
    const std::lock_guard lock(response_info_mutex_);
    if (ResponseInfo* const info = std::exchange(response_info_, nullptr)) {
      *info = ResponseInfo{leading(), trailing(), peer};
    }
  }
  end(std::move(status));
}

void ClientStreamCore::cancel() {
  // If the call is over already, the server need not be notified at once.
  const bool is_urgent = !is_over();
  auto cancel_if_open = [self = shared_from_this(), this] {
    drop_messages();
    if (!is_over()) cancel_call();
  };
  core_->run_soon(std::move(cancel_if_open), is_urgent);
}

void ClientStreamCore::release() {
  {
    const std::lock_guard lock(response_info_mutex_);
    response_info_ = nullptr;
  }
  cancel();
}

void ClientStreamCore::cancel_call() {
  end_call(Status(StatusCode::cancelled, "call " + method->name + ": cancelled by the caller"));
}

void ClientStreamCore::on_read_failed() {
  if (!is_over()) end_call(about_call(*method, read_error()));
}

void ClientStreamCore::on_write_failed(const Status& status) {
  if (is_over()) return;
  drop_messages();
  end_call(about_call(*method, status));
}

void ClientStreamCore::end_call(Status status) {
  const bool waited = core_->invoker().remove(*this);
  if (!waited && session() != nullptr) {
    static_cast<ClientConnection*>(link())->cancel(*this, StatusCode::cancelled);
  }
  if (link() == nullptr) status.set_may_have_run(may_have_run_before_);
  finish(std::move(status), {});
}

Status ClientStreamCore::after_end() const {
  return status().is_ok() ? Status(StatusCode::cancelled, "use stream: the call is over") : status();
}

}  // namespace trunkline::client
