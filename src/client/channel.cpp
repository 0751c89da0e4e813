// SPDX-License-Identifier: MIT
// Channel: forwards its public functions to a ChannelCore.
#include <trunkline/channel.h>

#include "client/channel_core.h"
#include "client/client_stream_core.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trunkline {

Channel::Channel(std::shared_ptr<client::ChannelCore> core) noexcept : core_(std::move(core)) {}

Channel::~Channel() {
  if (core_->is_of_this_process()) {
    core_->shut_down();
    return;
  }
  // The core is never destroyed: the parent's threads are not there to release its locks, or to be joined.
  static auto* const leaked = new std::vector<std::shared_ptr<client::ChannelCore>>;
  leaked->push_back(std::move(core_));
}

Method Channel::method(std::string_view name) { return core_->preparation().methods().handle(name); }

MutableMessageView Channel::no_response() noexcept {
  static Empty empty;
  return MutableMessageView::of(empty);
}

std::uint64_t Channel::next_cancel_number() noexcept { return core_->calls().next_cancel_number(); }

void detail::cancel_call(const std::weak_ptr<client::ChannelCore>& core, std::uint64_t cancel_number) {
  if (const std::shared_ptr<client::ChannelCore> alive = core.lock()) alive->cancel(cancel_number);
}

void Channel::begin(detail::CallOperation& operation, const Method& method, MessageView request,
                    const CallOptions& options) {
  if (core_->complete_if_refused(operation, method)) return;
  core_->begin(operation, method, request, options);
}

Status Channel::run(const Method& method, MessageView request, MutableMessageView response,
                    const CallOptions& options) {
  detail::CallOperation operation(nullptr, response);
  core_->run(operation, method, request, options);
  return std::move(operation.status);
}

Status Channel::run_oneway(const Method& method, MessageView request, const CallOptions& options) {
  detail::CallOperation operation(nullptr, no_response());
  operation.one_way = true;
  // The call is complete before its bytes are written: the loop has to run after this function has returned.
  if (Status refused = core_->refusal(method); !refused.is_ok()) return refused;
  core_->run(operation, method, request, options);
  return std::move(operation.status);
}

std::shared_ptr<detail::StreamPort> Channel::open_stream(const Method& method, const CallOptions& options,
                                                         MessageView first, bool ends) {
  auto stream = std::make_shared<client::ClientStreamCore>(core_, method, options, ends, first);
  stream->open();
  return stream;
}

ChannelState Channel::state() const noexcept { return core_->state(); }

MemoryUsage Channel::memory_usage() const noexcept {
  return {.used_bytes = core_->memory().used(), .max_bytes = core_->memory().max_bytes()};
}

Status Channel::wait_for_ready(std::chrono::nanoseconds timeout) { return core_->wait_for_ready(timeout); }

std::vector<ServerState> Channel::servers() const { return core_->servers(); }

Status Channel::close(std::chrono::nanoseconds timeout) { return core_->close(timeout); }

asio::any_io_executor Channel::executor() {
  if (Status refused = core_->ensure_runner(); !refused.is_ok()) throw StatusError(std::move(refused));
  return core_->loop().context().get_executor();
}

}  // namespace trunkline
