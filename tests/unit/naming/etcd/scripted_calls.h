// SPDX-License-Identifier: MIT
// ScriptedCalls: an etcd whose answers the test gives.
#pragma once

#include "naming/etcd/etcd_calls.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::naming::etcd {

/// What has been asked of etcd, which outlives those who ask.
struct EtcdScript {
  /// The call or stream in progress; empty: there is none.
  std::string method;
  std::string request;
  std::string token;
  std::size_t member = 0;
  std::vector<std::string> sent;
  /// All calls and streams, each with its member: "0 etcdserverpb.KV/Range".
  std::vector<std::string> log;
  EtcdCalls::Answered answered;
  EtcdCalls::Received received;
  EtcdCalls::Ended ended;

  void answer(Result<Slice> response) {
    method.clear();
    std::exchange(answered, nullptr)(std::move(response));
  }
  void answer(const std::string& message) { answer(Result<Slice>(Slice::copy_of(message))); }
  void fail(StatusCode code, std::string_view text) { answer(Result<Slice>(Status(code, text))); }
  /// A message of the stream.
  void send(const std::string& message) {
    const EtcdCalls::Received receive = received;
    receive(Slice::copy_of(message));
  }
  void end(std::string_view text) {
    method.clear();
    received = nullptr;
    std::exchange(ended, nullptr)({StatusCode::unavailable, text});
  }
};

class ScriptedCalls final : public EtcdCalls {
 public:
  ScriptedCalls(EtcdScript& script, std::size_t members) noexcept : script_(script), members_(members) {}
  ~ScriptedCalls() override { abandon(); }

  void call(std::string_view method, std::string request, Answered answered) override {
    begin(method, std::move(request));
    script_.answered = std::move(answered);
  }
  void open(std::string_view method, std::string first, Received received, Ended ended) override {
    begin(method, std::move(first));
    script_.received = std::move(received);
    script_.ended = std::move(ended);
  }
  Status send(std::string message) override {
    script_.sent.push_back(std::move(message));
    return {};
  }
  void abandon() override {
    script_.method.clear();
    script_.answered = nullptr;
    script_.received = nullptr;
    script_.ended = nullptr;
  }
  void set_token(std::string token) override { script_.token = std::move(token); }
  void use_next_member() override { script_.member = (script_.member + 1) % members_; }
  std::size_t member_count() const override { return members_; }

 private:
  void begin(std::string_view method, std::string request) {
    abandon();
    script_.method = method;
    script_.request = std::move(request);
    script_.sent.clear();
    script_.log.push_back(std::to_string(script_.member) + " " + std::string(method));
  }

  EtcdScript& script_;
  const std::size_t members_;
};

}  // namespace trunkline::naming::etcd
