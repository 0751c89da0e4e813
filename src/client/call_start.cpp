// SPDX-License-Identifier: MIT
// A call on its way out: straight to a connection if nothing stands in the way, else step by step.
#include "call/call_deadline.h"
#include "call/inherited_deadline.h"
#include "call/message_coding.h"
#include "client/channel_core.h"

#include <trunkline/server_context.h>

#include <string>
#include <utility>

namespace trunkline::client {

void ChannelCore::begin(CallOperation& operation, const Method& method, MessageView request,
                        const CallOptions& options) {
  operation.idempotent_ = options.idempotent || method.is_idempotent();
  if (!loop_.is_current() || !try_begin_direct(operation, method, request, options)) {
    begin_with_details(operation, method, request, options);
  }
}

Status ChannelCore::refusal(const Method& method) {
  const Status reason = ensure_runner();
  if (reason.is_ok()) return {};
  Status refused(reason.code(), "call " + std::string(method.name()) + ": " + std::string(reason.message()));
  refused.set_may_have_run(false);
  return refused;
}

bool ChannelCore::complete_without_thread(CallOperation& operation, const Method& method) {
  operation.status = refusal(method);
  if (operation.status.is_ok()) return false;
  complete_in_place(operation);
  return true;
}

void ChannelCore::run(CallOperation& operation, const Method& method, MessageView request, const CallOptions& options) {
  struct Blocked {
    CallOperation& operation;
    LoopDriver& driver;
    BlockedCall call;
    static void finish(CallOperation& ended) {
      auto& self = *static_cast<Blocked*>(ended.waiter);
      self.driver.finish(self.call);
    }
  };
  Blocked blocked{.operation = operation, .driver = driver_, .call = {}};
  operation.waiter = &blocked;
  operation.complete = &Blocked::finish;
  operation.request_stays = true;
  // Before the thread becomes the loop's, to which no handler's deadline belongs.
  drive(blocked.call, [&] { begin(operation, method, request, options); });
}

// --- the direct way ---

bool ChannelCore::try_begin_direct(CallOperation& operation, const Method& method, MessageView request,
                                   const CallOptions& options) {
  if (!all_direct_ || !pending_.empty() || operation.cancel_number != 0 || !options.metadata.empty() ||
      options.reply != nullptr || !options.compressor.empty()) {
    return false;
  }
  operation.method_ = methods_.find_on_loop(method);
  if (operation.method_ == nullptr) return false;
  if (request.type != known_type_ || options.codec != known_codec_name_) {
    if (request.type == nullptr) return false;
    const Result<const Codec*> codec = call::choose_codec(options_.codecs, options.codec, *request.type);
    if (!codec) return false;
    known_codec_name_ = options.codec;
    known_type_ = request.type;
    known_codec_ = *codec;
    is_known_direct_ = *codec == nullptr || call::is_direct(**codec, *request.type);
  }
  operation.deadline_ = deadline_of(options, operation.started_);
  if (operation.deadline_ != base::never && operation.deadline_ <= operation.started_) return false;
  ClientConnection* const connection = pool_->pick();
  if (connection == nullptr) return false;

  session::Outgoing message;
  message.codec = known_codec_;
  message.compressor = default_compressor_;
  operation.patient_ = options.wait_for_ready;
  Status status = keep_request(operation, request, message);
  if (status.is_ok()) status = connection->start(operation, message, nullptr);
  if (!status.is_ok()) {
    operation.status = about_call(*operation.method_, status);
    operation.status.set_may_have_run(false);
    end_soon(operation);
    return true;
  }
  if (operation.one_way) end_soon(operation);
  return true;
}

/// Fills in the message - encoded, unless it can be written straight into the output -, and keeps what a repetition
/// will need: a request that stays is there for it, that of an idempotent call is encoded once for all attempts. To do
/// so for every call would cost too much.
Status ChannelCore::keep_request(CallOperation& operation, MessageView request, session::Outgoing& message) {
  operation.codec_ = message.codec;
  message.message = request;
  if (operation.request_stays) {
    operation.live_request_ = request;
  } else if (operation.idempotent_ && repeats_ && !operation.one_way && message.codec != nullptr) {
    if (Status status = call::encode_message(message.codec, request, operation.kept_request_); !status.is_ok()) {
      return status;
    }
    operation.is_kept_ = true;
    message.message = {};
    message.payload = operation.kept_request_;
    return {};
  }
  if (is_known_direct_) return {};
  message.message = {};
  return call::encode_message(message.codec, request, message.payload);
}

// --- step by step ---

const MethodEntry* ChannelCore::entry_of(const Method& method, std::unique_ptr<MethodEntry>& own) {
  if (const MethodEntry* const entry = methods_.find(method)) return entry;
  own = std::make_unique<MethodEntry>();
  own->name = method.name();
  return own.get();
}

base::TimePoint ChannelCore::deadline_of(const CallOptions& options, base::TimePoint& started) const {
  const base::TimePoint inherited =
      options.parent != nullptr ? options.parent->deadline() : call::InheritedDeadline::current();
  if (!options.timeout && !options.deadline && !options_.default_timeout && inherited == base::never) {
    return base::never;
  }
  // A handler may have run for long since the turn's clock was read.
  if (is_on_loop() && (options.timeout || options_.default_timeout)) loop_.refresh_now();
  started = is_on_loop() ? loop_.now() : base::Clock::now();
  return call::call_deadline(options.timeout, options.deadline, options_.default_timeout, inherited, started);
}

Status ChannelCore::choose_coding(const CallOptions& options, MessageView request, const Codec*& codec,
                                  const Compressor*& compressor) const {
  codec = nullptr;
  if (request.type != nullptr) {
    Result<const Codec*> chosen = call::choose_codec(options_.codecs, options.codec, *request.type);
    if (!chosen) return std::move(chosen).status();
    codec = *chosen;
  } else if (!options.codec.empty() && options_.codecs.find(options.codec) == nullptr) {
    return {StatusCode::invalid_argument,
            "encode message: codec '" + std::string(options.codec) + "' is not in the registry of this side"};
  }
  if (options.compressor.empty()) {
    compressor = default_compressor_;
    return {};
  }
  Result<const Compressor*> chosen = call::choose_compressor(options_.compressors, options.compressor);
  if (!chosen) return std::move(chosen).status();
  compressor = *chosen;
  return {};
}

Status ChannelCore::intercept(Interception& interception, const MethodEntry& method, base::TimePoint& deadline,
                              base::TimePoint& started, Metadata& metadata) const {
  if (interceptors_.empty()) return {};
  if (started == base::TimePoint{}) started = is_on_loop() ? loop_.now() : base::Clock::now();
  return interception.start(interceptors_, method.name, started, deadline, metadata);
}

void ChannelCore::begin_with_details(CallOperation& operation, const Method& method, MessageView request,
                                     const CallOptions& options) {
  CallDetails& details = *CallDetailsPool::make(*this, operation);
  operation.details_ = &details;
  try {
    details.early_error = prepare(details, method, request, options);
  } catch (...) {
    operation.details_ = nullptr;
    CallDetailsPool::free(&details);
    throw;
  }
  if (detached_) {
    // By a handler that is told so from end_calls_detached(), which goes on with it.
    return launch(details);
  }
  if (is_on_loop()) return launch(details);
  details.keep_core = shared_from_this();
  details.task.run = [](net::Task* task) {
    CallDetails& posted = *static_cast<CallDetails::PostedTask*>(task)->details;
    const std::shared_ptr<ChannelCore> core = std::move(posted.keep_core);
    if (!core->detached_) return core->launch(posted);
    core->launch(posted);
    core->end_calls_detached();
  };
  loop_.post(&details.task);
}

Status ChannelCore::prepare(CallDetails& details, const Method& method, MessageView request,
                            const CallOptions& options) {
  CallOperation& operation = details.operation;
  operation.method_ = details.method = entry_of(method, details.own_method);
  details.deadline = deadline_of(options, details.started);
  details.wait_for_ready = operation.patient_ = options.wait_for_ready;
  details.waits_for_room = options_.pending_policy == PendingPolicy::wait;
  details.metadata = options.metadata;
  details.reply = options.reply;
  Status status = choose_coding(options, request, details.message.codec, details.message.compressor);
  if (status.is_ok()) {
    if (operation.request_stays) {
      details.message.message = request;
    } else {
      status = call::encode_message(details.message.codec, request, details.message.payload);
    }
  }
  if (!status.is_ok()) return about_call(*details.method, status);
  status = intercept(details.interception, *details.method, details.deadline, details.started, details.metadata);
  operation.deadline_ = details.deadline;
  operation.started_ = details.started;
  return status;
}

void ChannelCore::launch(CallDetails& details) {
  CallOperation& operation = details.operation;
  if (operation.cancel_number != 0) cancellable_.emplace(operation.cancel_number, &operation);
  if (details.early_error.is_ok()) return invoke(details);
  details.early_error.set_may_have_run(false);
  details.fail(std::move(details.early_error));
}

void ChannelCore::invoke(Attempt& attempt) {
  Status refusal;
  if (closed_.load(std::memory_order_relaxed)) {
    refusal = Status(StatusCode::failed_precondition, "call " + attempt.method->name + ": the channel is closed");
  } else if (attempt.deadline != base::never && attempt.deadline <= loop_.now()) {
    refusal = deadline_status(*attempt.method, attempt.deadline - attempt.started, {});
    refusal = Status(refusal.code(), std::string(refusal.message()) + ", before it was sent");
  } else if (pending_.empty()) {
    if (ClientConnection* const connection = pool_->pick()) {
      refusal = attempt.start_on(*connection);
      if (refusal.is_ok()) return;
      refusal = about_call(*attempt.method, refusal);
    }
  }
  if (refusal.is_ok() && pool_->is_failing() && !attempt.wait_for_ready) {
    refusal = about_call(*attempt.method,
                         Status(StatusCode::unavailable, pool_->last_error().message(), StatusOrigin::transport));
  }
  if (!refusal.is_ok()) {
    refusal.set_may_have_run(false);
    return attempt.fail(std::move(refusal));
  }
  pending_.push(attempt);
  connect_if_wanted();
}

}  // namespace trunkline::client
