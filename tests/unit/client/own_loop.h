// SPDX-License-Identifier: MIT
// OwnLoop: channels with a loop of their own whose server never responds.
#pragma once

#include "client/channel_core.h"

#include <trunkline/channel.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::client {

using namespace std::chrono_literals;
using Text = std::string;
using TextStream = ClientStream<Text, Text>;

/// A wait that fails: what a test waits for happens within a moment, or never.
constexpr auto too_long = 20s;

class SilentConnector final : public Connector {
 public:
  explicit SilentConnector(std::promise<void>& asked) : asked_(asked) {}
  std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
    callback_ = std::move(callback);
    asked_.set_value();
    return nullptr;
  }
  const std::string& target() const noexcept override { return target_; }

 private:
  std::promise<void>& asked_;
  net::DialCallback callback_;
  const std::string target_ = "inproc://silent";
};

class OwnLoop : public ::testing::Test {
 protected:
  OwnLoop() {
    options.log = [this](const LogRecord& record) { log.emplace_back(record.message); };
  }
  std::unique_ptr<Channel> make() {
    asked = std::promise<void>();
    auto made = ChannelCore::make(std::make_unique<net::Loop>(), options,
                                  [this](net::Loop&) { return std::make_unique<SilentConnector>(asked); });
    core = made;
    return std::make_unique<Channel>(std::move(made));
  }
  static auto into(std::promise<Status>& outcome) {
    return [&outcome](Status status) { outcome.set_value(std::move(status)); };
  }

  ChannelOptions options;
  std::vector<std::string> log;
  std::promise<void> asked;
  std::weak_ptr<ChannelCore> core;
};

}  // namespace trunkline::client
