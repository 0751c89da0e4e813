// SPDX-License-Identifier: MIT
// A call on its way back: repeated, or told to interceptors and its caller. And calls given up.
#include "client/channel_core.h"

#include <string>
#include <utility>

namespace trunkline::client {

void ChannelCore::take_leading(CallOperation& operation, const Metadata& leading) {
  if (operation.details_ != nullptr) operation.details_->leading = leading;
}

void ChannelCore::call_finished_with_details(CallOperation& operation, session::Event& event,
                                             const ClientConnection& connection) {
  if (!operation.status.is_ok()) {
    if (may_repeat(operation) && budget_.try_take()) return repeat(operation);
    operation.status = describe(*operation.method_, std::move(operation.status), operation.deadline_,
                                operation.started_, connection.peer());
  }
  if (CallDetails* const details = operation.details_) {
    details->trailing = std::move(event.metadata);
    details->peer = connection.peer();
  }
  end_soon(operation);
}

/// The last step of every call but the plainest.
void ChannelCore::end(CallOperation& operation) {
  if (operation.ran_ && !operation.status.is_ok()) operation.status.set_may_have_run(true);
  if (CallDetails* const details = std::exchange(operation.details_, nullptr)) {
    details->interception.finish(interceptors_, details->peer, details->trailing, operation.status);
    if (details->reply != nullptr) {
      *details->reply = ReplyInfo{std::move(details->leading), std::move(details->trailing), std::move(details->peer)};
    }
    CallDetailsPool::free(details);
  }
  if (operation.status.is_ok()) budget_.on_success();
  operation.complete(operation);
}

bool ChannelCore::may_repeat(const CallOperation& operation) const noexcept {
  const Status& status = operation.status;
  // Not what a server sheds: that would be more load.
  if (status.code() != StatusCode::unavailable || !repeats_ || operation.repeats_ >= options_.max_retries ||
      closed_.load(std::memory_order_relaxed)) {
    return false;
  }
  const bool was_lost = operation.idempotent_ && status.origin() == StatusOrigin::transport;
  if (status.may_have_run() && !was_lost) return false;
  return operation.details_ != nullptr || operation.request_stays || operation.is_kept_ || operation.codec_ == nullptr;
}

void ChannelCore::repeat(CallOperation& operation) {
  ++operation.repeats_;
  if (operation.status.may_have_run()) operation.ran_ = true;
  operation.status = Status();
  operation.answered_ = false;
  CallDetails* details = operation.details_;
  if (details == nullptr) {
    details = operation.details_ = CallDetailsPool::make(*this, operation);
    details->method = operation.method_;
    details->deadline = operation.deadline_;
    details->started = operation.started_;
    details->wait_for_ready = operation.patient_;
    details->waits_for_room = options_.pending_policy == PendingPolicy::wait;
    details->message.codec = operation.codec_;
    details->message.compressor = default_compressor_;
    if (operation.request_stays) {
      details->message.message = operation.live_request_;
    } else {
      details->message.payload = operation.kept_request_;
    }
  }
  // A server that is there and does not want it is given time; a lost one is looked for at once.
  if (pool_->pick() != nullptr) return details->repeat_after(repeat_backoff_.after(operation.repeats_));
  invoke(*details);
}

Status ChannelCore::describe(const MethodEntry& method, Status status, base::TimePoint deadline,
                             base::TimePoint started, const std::string& peer) const {
  if (status.is_ok() || status.origin() == StatusOrigin::peer) return status;
  const bool may_have_run = status.may_have_run();
  if (status.code() == StatusCode::deadline_exceeded && deadline != base::never) {
    status = deadline_status(method, deadline - started, "the answer of " + peer);
  } else {
    status =
        about_call(method, Status(status.code(), std::string(status.message()) + " (" + peer + ")", status.origin()));
  }
  status.set_may_have_run(may_have_run);
  return status;
}

// --- giving up ---

void ChannelCore::cancel_on_loop(std::uint64_t cancel_number) {
  const auto found = cancellable_.find(cancel_number);
  if (found == cancellable_.end()) return;
  cancel_operation(*found->second);
}

void ChannelCore::cancel_operation(CallOperation& operation) {
  Status status(StatusCode::cancelled, "call " + operation.method_->name + ": cancelled by the caller");
  if (operation.connection_ != nullptr) {
    operation.connection_->cancel(operation, StatusCode::cancelled);
  } else {
    status.set_may_have_run(operation.ran_);
    pending_.remove(*operation.details_);
    operation.details_->stop_waiting();
  }
  operation.status = std::move(status);
  end_soon(operation);
}

}  // namespace trunkline::client
