// SPDX-License-Identifier: MIT
// UnaryCalls: the fast path of unary calls, the general path, completion and cancellation.
#include "client/unary_calls.h"

#include "call/message_coding.h"
#include "client/call_status.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace trunkline::client {

namespace {
/// Held requests up to this size are copied into the output. The output refers to longer ones.
constexpr std::size_t copied_bytes = 4096;
}  // namespace

UnaryCalls::UnaryCalls(Parts parts)
    : parts_(std::move(parts)),
      retry_(parts_.options),
      max_short_bytes_(std::min(detail::HeldRequest::max_short_bytes, parts_.options.max_retained_request_bytes)),
      ended_(parts_.loop, parts_.run_completions, parts_.lifecycle),
      hedging_{parts_.loop, parts_.lifecycle, parts_.invoker, parts_.rules, retry_, ended_} {}

void UnaryCalls::begin(detail::CallOperation& operation, const Method& method, MessageView request,
                       const CallOptions& options) {
  operation.is_idempotent_ = options.idempotent || method.is_idempotent();
  if (!parts_.loop.is_current() || !try_begin_direct(operation, method, request, options)) {
    begin_with_details(operation, method, request, options);
  }
}

// --- the fast path ---

bool UnaryCalls::try_begin_direct(detail::CallOperation& operation, const Method& method, MessageView request,
                                  const CallOptions& options) {
  CallPreparation& preparation = parts_.preparation;
  if (!preparation.interceptors().empty() || operation.cancel_number != 0 || !options.metadata.empty() ||
      options.response_info != nullptr || !options.compressor.empty() || !options.routing_key.empty()) {
    return false;
  }
  operation.method_ = preparation.methods().find_on_loop(method);
  if (operation.method_ == nullptr || rules_of(*operation.method_) != nullptr) return false;
  const CallPreparation::Coding* const coding = preparation.coding_of(request.type, options.codec);
  if (coding == nullptr) return false;
  operation.deadline_ = preparation.deadline_of(options, operation.started_);
  if (operation.deadline_ != base::never && operation.deadline_ <= operation.started_) return false;
  ClientConnection* const connection = parts_.invoker.pick_directly(*operation.method_, {});
  if (connection == nullptr) return false;

  session::OutgoingMessage message{
      .codec = coding->codec, .compressor = preparation.default_compressor(), .message = request};
  operation.codec_ = message.codec;
  operation.wait_for_ready_ = options.wait_for_ready;
  if (operation.request_stays) operation.live_request_ = request;
  if (!try_hold(operation, *coding, message)) {
    if (Status encoded = hold_request(operation, *coding, message); !encoded.is_ok()) [[unlikely]]
      return end_unsent(operation, encoded);
  }
  const Status started = connection->start(operation, message, nullptr);
  if (!started.is_ok()) [[unlikely]]
    return end_unsent(operation, started);
  if (operation.one_way) ended_.push(operation);
  return true;
}

/// Returns true if the request may be held for a retry, which needs it. A request that stays is at hand then. Others
/// are encoded once and held: those of idempotent calls at any length, all others up to max_retained_request_bytes.
inline bool UnaryCalls::may_be_held(const detail::CallOperation& operation, const Codec* codec) const noexcept {
  return !operation.request_stays && !operation.one_way && codec != nullptr && retry_.needs_requests();
}

/// Returns true if a request is held whatever its length, if it may be held at all.
inline bool UnaryCalls::is_held_anyway(const detail::CallOperation& operation) const noexcept {
  return operation.is_idempotent_ && retry_.is_enabled();
}

/// Handles the usual cases: the request is short, or need not be held. False: hold_request() has to encode it.
inline bool UnaryCalls::try_hold(detail::CallOperation& operation, const CallPreparation::Coding& coding,
                                 session::OutgoingMessage& message) try {
  if (!coding.is_direct) return false;
  if (!may_be_held(operation, message.codec)) return true;
  const MessageView request = message.message;
  const std::size_t size = request.type->size(request.object);
  if (size > max_short_bytes_) return size > parts_.options.max_retained_request_bytes && !is_held_anyway(operation);
  request.type->write(request.object, operation.held_request_.hold_short(size));
  message.message = {&coding.held_type, &operation.held_request_};
  return true;
} catch (...) {
  return false;
}

Status UnaryCalls::hold_request(detail::CallOperation& operation, const CallPreparation::Coding& coding,
                                session::OutgoingMessage& message) {
  const bool may_be_held = this->may_be_held(operation, message.codec);
  const bool is_held_anyway = may_be_held && this->is_held_anyway(operation);
  const MessageView request = message.message;
  // A codec of the user's may begin a call while it encodes, which changes `coding`.
  const bool is_direct = coding.is_direct;
  message.message = {};
  if (Status status = call::encode_message(message.codec, request, message.payload); !status.is_ok()) return status;
  const std::size_t size = message.payload.size();
  if (!may_be_held || !(is_held_anyway || size <= parts_.options.max_retained_request_bytes)) return {};
  operation.held_request_.hold(std::move(message.payload));
  message = {.codec = message.codec, .compressor = message.compressor};
  if (is_direct && size <= copied_bytes) {
    message.message = {&coding.held_type, &operation.held_request_};
  } else {
    message.payload = operation.held_request_.slice();
  }
  return {};
}

/// Ends a call that could not be sent. Returns true, because the call has begun and ended.
bool UnaryCalls::end_unsent(detail::CallOperation& operation, const Status& status) {
  operation.status = about_call(*operation.method_, status);
  operation.status.set_may_have_run(false);
  ended_.push(operation);
  return true;
}

// --- the general path ---

void UnaryCalls::begin_with_details(detail::CallOperation& operation, const Method& method, MessageView request,
                                    const CallOptions& options) {
  CallDetails& details = *CallDetailsPool::make(*this, *this, ended_, operation);
  operation.details_ = &details;
  // Without a loop, this runs inside a handler that complete_all() has called.
  const bool is_here = parts_.lifecycle.is_detached() || parts_.loop.is_current();
  try {
    details.early_error = prepare(details, method, request, options);
    if (!is_here) details.keep_channel = parts_.keep_channel();
  } catch (...) {
    operation.details_ = nullptr;
    CallDetailsPool::free(&details);
    throw;
  }
  if (is_here) return launch(details);
  details.task.run = &launch_posted;
  parts_.loop.post(&details.task);
}

Status UnaryCalls::prepare(CallDetails& details, const Method& method, MessageView request,
                           const CallOptions& options) {
  CallPreparation& preparation = parts_.preparation;
  detail::CallOperation& operation = details.operation;
  operation.method_ = details.method = preparation.entry_of(method, details.own_method);
  details.deadline = preparation.deadline_of(options, details.started);
  details.wait_for_ready = operation.wait_for_ready_ = options.wait_for_ready;
  details.waits_for_room = parts_.options.pending_policy == PendingPolicy::wait;
  details.metadata = options.metadata;
  details.response_info = options.response_info;
  details.hints = CallPreparation::hints_of(options);
  Status status = preparation.choose_coding(options, request, details.message.codec, details.message.compressor);
  if (status.is_ok()) {
    if (operation.request_stays) {
      details.message.message = request;
    } else {
      status = call::encode_message(details.message.codec, request, details.message.payload);
    }
  }
  if (!status.is_ok()) return about_call(*details.method, status);
  status =
      preparation.intercept(details.interception, *details.method, details.deadline, details.started, details.metadata);
  operation.deadline_ = details.deadline;
  operation.started_ = details.started;
  return status;
}

void UnaryCalls::launch_posted(net::PostedTask* task) {
  CallDetails& details = *static_cast<CallDetails::DetailsTask*>(task)->details;
  UnaryCalls& self = details.calls;
  const std::shared_ptr<void> keep = std::move(details.keep_channel);
  self.launch(details);
  // The channel's destructor runs the tasks that were left in the loop.
  if (self.parts_.lifecycle.is_detached()) self.complete_all();
}

void UnaryCalls::launch(CallDetails& details) {
  detail::CallOperation& operation = details.operation;
  try {
    if (operation.cancel_number != 0) cancellable_.emplace(operation.cancel_number, &operation);
  } catch (const std::bad_alloc&) {
    details.early_error = {StatusCode::resource_exhausted, "start call: no memory"};
  }
  if (parts_.rules.any()) apply_rules(details);
  if (details.early_error.is_ok()) {
    if (!try_hedge(details)) parts_.invoker.invoke(details);
    return;
  }
  details.early_error.set_may_have_run(false);
  details.fail(std::move(details.early_error));
}

// --- the end of a call ---

void UnaryCalls::response_begun(detail::CallOperation& operation, const Metadata& leading) {
  if (operation.details_ == nullptr) return;
  CallDetails& details = *operation.details_;
  if (operation.is_hedge_) return details.hedged->response_begun(operation, leading);
  if (!leading.empty()) details.leading = leading;
  // The call is committed to this attempt: https://github.com/grpc/proposal/blob/master/A6-client-retries.md.
  details.has_response_begun = true;
  details.attempt_timer.cancel();
}

void UnaryCalls::response_received(detail::CallOperation& operation) {
  operation.details_->hedged->response_received(operation);
}

void UnaryCalls::call_finished_with_details(detail::CallOperation& operation, session::Event& event,
                                            const ClientConnection& connection) {
  if (operation.is_hedge_) return operation.details_->hedged->attempt_finished(operation, event, connection);
  if (operation.details_ != nullptr) operation.details_->attempt_timer.cancel();
  if (!operation.status.is_ok()) {
    if (try_retry(operation, connection, {.pushback = event.pushback})) return;
    const CallTimes times{.started = operation.started_, .deadline = operation.deadline_, .ended = parts_.loop.now()};
    operation.status = status_at_peer(*operation.method_, std::move(operation.status), times, connection.peer());
  }
  if (CallDetails* const details = operation.details_) {
    details->trailing = std::move(event.metadata);
    details->peer = connection.peer();
  }
  ended_.push(operation);
}

bool UnaryCalls::try_retry(detail::CallOperation& operation, const ClientConnection& connection,
                           const AttemptEnd& end) {
  const Status& status = operation.status;
  const MethodRules* const rules = rules_of(*operation.method_);
  const RetryOptions* const configured = rules != nullptr ? rules->retry() : nullptr;
  const FailedAttempt attempt{
      .code = status.code(),
      .origin = status.origin(),
      .may_have_run = status.may_have_run(),
      .is_idempotent = operation.is_idempotent_,
      .is_connection_gone = connection.is_draining() && !connection.is_rejected(),
      .has_deadline = operation.deadline_ != base::never,
      .free_retries = operation.free_retries_,
      .has_request = operation.details_ != nullptr || operation.request_stays || operation.held_request_.is_held() ||
                     operation.codec_ == nullptr,
      .retries = operation.retries_,
      .pushback = end.pushback,
      .has_timed_out = end.has_timed_out,
      .has_response_begun = operation.details_ != nullptr && operation.details_->has_response_begun,
      .configured = configured,
  };
  const RetryDecision decision = parts_.lifecycle.is_closed() ? RetryDecision::none : retry_.decide(attempt);
  if (decision == RetryDecision::none) return false;
  if (attempt.may_have_run) operation.may_have_run_before_ = true;
  operation.status = Status();
  operation.has_response_ = false;
  CallDetails& details = details_of(operation);
  details.is_repeated = true;
  details.leading = Metadata();
  details.has_response_begun = false;
  details.hints.avoided.add(connection.load());
  base::Duration pause{};
  if (decision == RetryDecision::free) {
    pause = retry_.pause_before_free(++operation.free_retries_);
  } else {
    pause = pause_before_retry(details, configured, end);
  }
  if (pause > base::Duration::zero()) {
    parts_.invoker.invoke_after(details, pause);
  } else {
    parts_.invoker.invoke(details);
  }
  return true;
}

base::Duration UnaryCalls::pause_before_retry(CallDetails& details, const RetryOptions* configured,
                                              const AttemptEnd& end) {
  const int retry = ++details.operation.retries_;
  if (end.pushback) {
    details.retries_at_pushback = retry;
    return *end.pushback;
  }
  if (configured != nullptr) return retry_.pause_before(retry - details.retries_at_pushback, *configured);
  return retry_.pause_before(retry, parts_.invoker.pick(*details.method, details.hints) != nullptr);
}

void UnaryCalls::attempt_started(CallDetails& details) {
  parts_.loop.timers().schedule(details.attempt_timer,
                                base::deadline_after(parts_.loop.now(), details.attempt_timeout));
}

void UnaryCalls::attempt_timed_out(CallDetails& details) {
  detail::CallOperation& operation = details.operation;
  ClientConnection* const connection = operation.connection_;
  if (connection == nullptr) return;
  connection->cancel(operation, StatusCode::cancelled, balance::Outcome::failed);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(details.attempt_timeout).count();
  operation.status = about_call(
      *details.method, Status(StatusCode::deadline_exceeded, "no response of " + connection->peer() + " after " +
                                                                 std::to_string(ms) + " ms, the last attempt"));
  if (try_retry(operation, *connection, {.has_timed_out = true})) return;
  ended_.push(operation);
}

// --- the service config ---

void UnaryCalls::apply_rules(CallDetails& details) {
  const MethodRules* const rules = parts_.rules.find(*details.method);
  if (rules == nullptr) return;
  detail::CallOperation& operation = details.operation;
  const MethodConfig& config = rules->config;
  if (config.timeout) {
    if (details.started == base::TimePoint{}) details.started = parts_.loop.now();
    details.deadline = std::min(details.deadline, base::deadline_after(details.started, *config.timeout));
    operation.started_ = details.started;
    operation.deadline_ = details.deadline;
  }
  details.wait_for_ready = operation.wait_for_ready_ = details.wait_for_ready || config.wait_for_ready.value_or(false);
  operation.max_response_bytes_ = config.max_response_bytes.value_or(UINT32_MAX);
  details.attempt_timeout = base::Duration::zero();
  if (config.retry && config.retry->attempt_timeout) details.attempt_timeout = *config.retry->attempt_timeout;
  if (config.max_request_bytes && details.early_error.is_ok()) {
    details.early_error = limit_request(details, *config.max_request_bytes);
  }
}

Status UnaryCalls::limit_request(CallDetails& details, std::uint32_t max_bytes) const {
  session::OutgoingMessage& message = details.message;
  if (message.message.object != nullptr) {
    const MessageView request = std::exchange(message.message, {});
    Status status = call::encode_message(message.codec, request, message.payload);
    if (!status.is_ok()) return about_call(*details.method, status);
  }
  if (message.payload.size() <= max_bytes) return {};
  return about_call(*details.method,
                    Status(StatusCode::resource_exhausted,
                           "the request has " + std::to_string(message.payload.size()) +
                               " bytes, maxRequestMessageBytes of the service config is " + std::to_string(max_bytes)));
}

/// Hedges the call. Returns false if it is not hedged.
bool UnaryCalls::try_hedge(CallDetails& details) {
  MethodRules* const rules = rules_of(*details.method);
  if (rules == nullptr || rules->hedging == nullptr || details.operation.one_way || parts_.options.ordered)
    return false;
  if (rules->hedges_idempotent_only && !details.operation.is_idempotent_) return false;
  details.hedged =
      decltype(details.hedged)(new HedgedCall(hedging_, details, *rules), [](HedgedCall* hedged) { delete hedged; });
  details.hedged->begin();
  return true;
}

/// Returns the details of a call that is retried. They are made now if the call took the fast path.
CallDetails& UnaryCalls::details_of(detail::CallOperation& operation) {
  if (operation.details_ != nullptr) return *operation.details_;
  CallDetails& details = *CallDetailsPool::make(*this, *this, ended_, operation);
  operation.details_ = &details;
  details.method = operation.method_;
  details.deadline = operation.deadline_;
  details.started = operation.started_;
  details.wait_for_ready = operation.wait_for_ready_;
  details.waits_for_room = parts_.options.pending_policy == PendingPolicy::wait;
  details.message.codec = operation.codec_;
  details.message.compressor = parts_.preparation.default_compressor();
  if (operation.request_stays) {
    details.message.message = operation.live_request_;
  } else {
    details.message.payload = operation.held_request_.slice();
  }
  return details;
}

/// Completes a call, except one that took the fast path and for which a thread waits.
void UnaryCalls::complete(detail::CallOperation& operation) {
  if (operation.cancel_number != 0) cancellable_.erase(operation.cancel_number);
  if (operation.may_have_run_before_ && !operation.status.is_ok()) operation.status.set_may_have_run(true);
  if (CallDetails* const details = std::exchange(operation.details_, nullptr)) {
    details->interception.finish(parts_.preparation.interceptors(), details->peer, details->trailing, operation.status);
    if (details->response_info != nullptr) {
      *details->response_info =
          ResponseInfo{std::move(details->leading), std::move(details->trailing), std::move(details->peer)};
    }
    CallDetailsPool::free(details);
  }
  if (operation.status.is_ok()) retry_.on_success();
  operation.complete(operation);
}

void UnaryCalls::complete_all() noexcept {
  while (!ended_.empty()) parts_.log.guard([this] { complete_one(); });
}

// --- cancellation ---

void UnaryCalls::cancel(std::uint64_t cancel_number) {
  const auto found = cancellable_.find(cancel_number);
  if (found != cancellable_.end()) cancel(*found->second);
}

void UnaryCalls::cancel(detail::CallOperation& operation) {
  if (operation.has_ended_) return;
  Status status(StatusCode::cancelled, "call " + operation.method_->name + ": cancelled by the caller");
  if (operation.details_ != nullptr) operation.details_->attempt_timer.cancel();
  if (operation.details_ != nullptr && operation.details_->hedged != nullptr) {
    if (!operation.details_->hedged->abandon()) status.set_may_have_run(operation.may_have_run_before_);
  } else if (operation.connection_ != nullptr) {
    operation.connection_->cancel(operation, StatusCode::cancelled);
  } else {
    status.set_may_have_run(operation.may_have_run_before_);
    parts_.invoker.remove(*operation.details_);
  }
  operation.status = std::move(status);
  ended_.push(operation);
}

}  // namespace trunkline::client
