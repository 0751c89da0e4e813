// SPDX-License-Identifier: MIT
// EtcdClient: makes calls to etcd over channels of gRPC, one for each member.
#pragma once

#include "base/clock.h"
#include "naming/etcd/etcd_calls.h"
#include "naming/etcd/etcd_target.h"
#include "net/loop.h"

#include <trunkline/channel.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace trunkline::naming::etcd {

class EtcdClient final : public EtcdCalls {
 public:
  /// The time after which a call, or an attempt to connect, has failed.
  static constexpr std::chrono::milliseconds patience{5000};
  /// The interval of pings while a stream waits for a member. etcd allows no more than one ping in 5 seconds.
  static constexpr std::chrono::milliseconds ping_interval{10000};

  /// `loop` must outlive the client. Throws std::invalid_argument for TLS options that exclude each other.
  EtcdClient(net::Loop& loop, const EtcdTarget& target);
  ~EtcdClient() override;

  void call(std::string_view method, std::string request, Answered answered) override;
  void open(std::string_view method, std::string first, Received received, Ended ended) override;
  Status send(std::string message) override;
  void abandon() override;
  void set_token(std::string token) override { token_ = std::move(token); }
  void use_next_member() override { current_ = (current_ + 1) % channels_.size(); }
  std::size_t member_count() const override { return channels_.size(); }

 private:
  using Stream = ClientStream<Slice, Slice>;

  CallOptions call_options() const;
  void read();
  void write(std::string message);
  void stream_ended(Status reason);

  /// The channels to the members, which connect when they are used first.
  std::vector<std::unique_ptr<Channel>> channels_;
  std::size_t current_;
  std::string token_;
  /// The number of the call or stream in progress; handlers of others do nothing. Null after the destructor.
  std::shared_ptr<std::uint64_t> generation_ = std::make_shared<std::uint64_t>(0);
  std::optional<Stream> stream_;
  bool is_writing_ = false;
  Received received_;
  Ended ended_;
};

}  // namespace trunkline::naming::etcd
