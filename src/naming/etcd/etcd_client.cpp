// SPDX-License-Identifier: MIT
// EtcdClient: the channels to the members, and the stream that is open.
#include "naming/etcd/etcd_client.h"

#include "base/random_seed.h"
#include "call/inherited_deadline.h"
#include "client/channel_core.h"
#include "naming/endpoint_source.h"
#include "naming/etcd/etcd_message_codec.h"

#include <utility>

namespace trunkline::naming::etcd {

namespace {

ChannelOptions channel_options(const TlsOptions& tls) {
  ChannelOptions options;
  options.log = nullptr;  // EtcdSession logs what it means for names.
  options.tls = tls;
  options.codecs = CodecRegistry().add(std::make_shared<EtcdMessageCodec>());
  options.connect_timeout = EtcdClient::patience;
  options.limits.handshake_timeout = EtcdClient::patience;
  options.limits.keepalive_interval = EtcdClient::ping_interval;
  options.limits.keepalive_timeout = EtcdClient::patience;
  // The callers decide when to try again, and where.
  options.max_retries = 0;
  options.backoff.maximum = options.backoff.initial;
  return options;
}

}  // namespace

EtcdClient::EtcdClient(net::Loop& loop, const EtcdTarget& target) {
  for (const Endpoint& member : target.members) {
    ChannelOptions options = channel_options(target.tls);
    const auto source = endpoint_source(member, options);
    channels_.push_back(std::make_unique<Channel>(client::ChannelCore::make(loop, std::move(options), source)));
  }
  // A random member is the first, so that many clients use all members.
  current_ = static_cast<std::size_t>(base::random_seed() % channels_.size());
}

EtcdClient::~EtcdClient() { abandon(); }

CallOptions EtcdClient::call_options() const {
  CallOptions options;
  options.codec = "protobuf";
  if (!token_.empty()) options.metadata.add("token", token_);
  // A member that has lost the others refuses calls and ends streams then, instead of leaving them without an answer.
  options.metadata.add("hasleader", "true");
  return options;
}

void EtcdClient::call(std::string_view method, std::string request, Answered answered) {
  abandon();
  // The thread may be in a handler, whose deadline is not that of this call.
  const call::InheritedDeadline::Scope scope(base::never);
  Channel& channel = *channels_[current_];
  CallOptions options = call_options();
  options.timeout = patience;
  channel.async_call<Slice>(
      channel.method(method), Slice::from_string(std::move(request)), options,
      [current = generation_, generation = *generation_, answered = std::move(answered)](Result<Slice> response) {
        if (*current == generation) answered(std::move(response));
      });
}

void EtcdClient::open(std::string_view method, std::string first, Received received, Ended ended) {
  abandon();
  const call::InheritedDeadline::Scope scope(base::never);
  Channel& channel = *channels_[current_];
  stream_ = channel.stream<Slice, Slice>(channel.method(method), call_options());
  received_ = std::move(received);
  ended_ = std::move(ended);
  write(std::move(first));
  read();
}

Status EtcdClient::send(std::string message) {
  if (!stream_ || is_writing_) {
    return {StatusCode::failed_precondition, "write to etcd: the message before has not been sent"};
  }
  write(std::move(message));
  return {};
}

void EtcdClient::write(std::string message) {
  is_writing_ = true;
  stream_->async_write(Slice::from_string(std::move(message)),
                       [this, current = generation_, generation = *generation_](const Status& status) {
                         // If it fails, the read fails too.
                         if (*current == generation && status.is_ok()) is_writing_ = false;
                       });
}

void EtcdClient::read() {
  stream_->async_read([this, current = generation_, generation = *generation_](Result<std::optional<Slice>> message) {
    if (*current != generation) return;
    if (!message) return stream_ended(std::move(message).status());
    if (!message->has_value()) {
      return stream_ended({StatusCode::unavailable, "etcd has ended the stream", StatusOrigin::peer});
    }
    // The copy of the callback outlives what it calls.
    const Received received = received_;
    received(**std::move(message));
    if (*current == generation) read();
  });
}

void EtcdClient::stream_ended(Status reason) {
  const Ended ended = std::move(ended_);
  abandon();
  ended(std::move(reason));
}

void EtcdClient::abandon() {
  ++*generation_;
  stream_.reset();
  is_writing_ = false;
  received_ = nullptr;
  ended_ = nullptr;
}

}  // namespace trunkline::naming::etcd
