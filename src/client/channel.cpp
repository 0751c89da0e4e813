// SPDX-License-Identifier: MIT
// The public face of a ChannelCore.
#include <trunkline/channel.h>

#include "client/channel_core.h"

#include <utility>
#include <vector>

namespace trunkline {

namespace {

client::ChannelCore::MakeConnector connector_to(std::string_view uri, const ChannelOptions& options) {
  Result<Endpoint> endpoint = Endpoint::parse(uri);
  return [endpoint = std::move(endpoint).value(), &options](net::Loop& loop) -> std::unique_ptr<client::Connector> {
    net::DialOptions dial;
    dial.transport = options.transport;
    dial.tls = options.tls;
    dial.connect_timeout = options.connect_timeout;
    return std::make_unique<client::EndpointConnector>(loop, endpoint, std::move(dial));
  };
}

}  // namespace

Channel::Channel(std::string_view uri, ChannelOptions options) {
  const auto connector = connector_to(uri, options);
  auto loop = std::make_unique<net::Loop>(options.loop);
  core_ = client::ChannelCore::make(std::move(loop), options, connector);
}

Channel::Channel(EventLoop& loop, std::string_view uri, ChannelOptions options) {
  const auto connector = connector_to(uri, options);
  core_ = client::ChannelCore::make(net::Loop::of(loop), options, connector);
}

Channel::Channel(std::shared_ptr<client::ChannelCore> core) noexcept : core_(std::move(core)) {}

Channel::~Channel() {
  if (core_->is_of_this_process()) {
    core_->shut_down();
    return;
  }
  // What would let go of its locks, or end its thread, is not there: it is never destroyed.
  static auto* const left = new std::vector<std::shared_ptr<client::ChannelCore>>;
  left->push_back(std::move(core_));
}

Method Channel::method(std::string_view name) { return core_->methods().handle(name); }

MutableMessageView Channel::no_response() noexcept {
  static Empty empty;
  return MutableMessageView::of(empty);
}

std::uint64_t Channel::next_cancel_number() noexcept { return core_->next_cancel_number(); }

void client::cancel_call(const std::weak_ptr<ChannelCore>& core, std::uint64_t cancel_number) {
  if (const std::shared_ptr<ChannelCore> alive = core.lock()) alive->cancel(cancel_number);
}

void Channel::begin(client::CallOperation& operation, const Method& method, MessageView request,
                    const CallOptions& options) {
  if (core_->complete_if_refused(operation, method)) return;
  core_->begin(operation, method, request, options);
}

Status Channel::run(const Method& method, MessageView request, MutableMessageView response,
                    const CallOptions& options) {
  client::CallOperation operation(nullptr, response);
  core_->run(operation, method, request, options);
  return std::move(operation.status);
}

Status Channel::run_oneway(const Method& method, MessageView request, const CallOptions& options) {
  client::CallOperation operation(nullptr, no_response());
  operation.one_way = true;
  // Nobody waits for what is still to be written.
  if (Status refused = core_->refusal(method); !refused.is_ok()) return refused;
  core_->run(operation, method, request, options);
  return std::move(operation.status);
}

std::shared_ptr<call::StreamPort> Channel::open_stream(const Method& method, const CallOptions& options,
                                                       MessageView first, bool ends) {
  return core_->open_stream(method, options, first, ends);
}

ChannelState Channel::state() const noexcept { return core_->state(); }

Status Channel::wait_for_ready(std::chrono::nanoseconds timeout) { return core_->wait_for_ready(timeout); }

Status Channel::close(std::chrono::nanoseconds timeout) { return core_->close(timeout); }

asio::any_io_executor Channel::executor() {
  if (Status refused = core_->ensure_runner(); !refused.is_ok()) throw StatusError(std::move(refused));
  return core_->loop().context().get_executor();
}

}  // namespace trunkline
