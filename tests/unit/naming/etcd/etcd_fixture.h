// SPDX-License-Identifier: MIT
// EtcdFixture: an etcd whose answers the test gives, and a loop whose time it moves.
#pragma once

#include "base/protobuf_fields.h"
#include "kit/manual_clock.h"
#include "naming/etcd/etcd_target.h"
#include "naming/etcd/key_value.h"
#include "net/loop.h"
#include "unit/naming/etcd/scripted_calls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::naming::etcd {

class EtcdFixture : public ::testing::Test {
 protected:
  static constexpr BackoffOptions backoff{.initial = std::chrono::milliseconds(100),
                                          .maximum = std::chrono::milliseconds(1000),
                                          .multiplier = 2,
                                          .jitter = 0,
                                          .seed = 1};

  static EtcdTarget target(const std::string& uri) { return EtcdTarget::parse(Target::parse(uri).value()).value(); }
  std::unique_ptr<EtcdCalls> calls(std::size_t members) { return std::make_unique<ScriptedCalls>(script, members); }

  static std::string header(std::uint64_t revision) {
    std::string content, message;
    base::append_protobuf_varint(3, revision, content);
    base::append_protobuf_bytes(1, content, message);
    return message;
  }
  static std::string key_value(const KeyValue& key) {
    std::string message;
    base::append_protobuf_bytes(1, key.key, message);
    base::append_protobuf_varint(3, key.revision, message);
    base::append_protobuf_bytes(5, key.value, message);
    return message;
  }
  static std::string keys(std::uint64_t revision, const std::vector<KeyValue>& all) {
    std::string message = header(revision);
    for (const KeyValue& key : all) base::append_protobuf_bytes(2, key_value(key), message);
    return message;
  }
  static std::string created(std::uint64_t revision) {
    std::string message = header(revision);
    base::append_protobuf_varint(3, 1, message);
    return message;
  }
  static std::string changes(const std::vector<KeyValue>& all) {
    std::string message = header(all.back().revision);
    for (const KeyValue& key : all) {
      std::string event;
      base::append_protobuf_varint(1, key.is_deleted ? 1 : 0, event);
      base::append_protobuf_bytes(2, key_value(key), event);
      base::append_protobuf_bytes(11, event, message);
    }
    return message;
  }
  static std::string cancelled(std::uint64_t compact_revision, std::string_view reason) {
    std::string message = header(1);
    base::append_protobuf_varint(4, 1, message);
    base::append_protobuf_varint(5, compact_revision, message);
    base::append_protobuf_bytes(6, reason, message);
    return message;
  }
  static std::string token(std::string_view text) {
    std::string message;
    base::append_protobuf_bytes(2, text, message);
    return message;
  }
  static std::string lease(std::uint64_t id, std::uint64_t seconds) {
    std::string message;
    base::append_protobuf_varint(2, id, message);
    base::append_protobuf_varint(3, seconds, message);
    return message;
  }

  net::Loop& loop() { return net::Loop::of(*event_loop); }
  void settle() {
    while (event_loop->poll()) {
    }
  }
  void advance(base::Duration by) {
    clock.advance(by);
    settle();
  }
  /// The calls since the last time.
  std::vector<std::string> asked() { return std::exchange(script.log, {}); }

  kit::ManualClock clock;
  std::unique_ptr<EventLoop> event_loop = net::Loop::make_event_loop({}, &clock);
  EtcdScript script;
};

}  // namespace trunkline::naming::etcd
