// SPDX-License-Identifier: MIT
// The responses of etcd, read from messages of protobuf. What is not needed, or missing, is skipped.
#pragma once

#include "naming/etcd/key_value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::naming::etcd {

/// Of Auth/Authenticate.
struct AuthenticateResponse {
  static AuthenticateResponse read(std::string_view message);

  std::string token{};
};

/// Of KV/Range.
struct RangeResponse {
  static RangeResponse read(std::string_view message);

  /// Of the store when the keys were read.
  std::uint64_t revision = 0;
  std::vector<KeyValue> keys{};
};

/// Of Watch/Watch.
struct WatchResponse {
  static WatchResponse read(std::string_view message);

  /// Of the store when the response was sent.
  std::uint64_t revision = 0;
  /// The watch has begun.
  bool is_created = false;
  /// The watch has ended.
  bool is_cancelled = false;
  std::string cancel_reason{};
  /// Not 0: changes before this revision are lost.
  std::uint64_t compact_revision = 0;
  /// In the order in which they happened.
  std::vector<KeyValue> changes{};
};

/// Of Lease/LeaseGrant and Lease/LeaseKeepAlive.
struct LeaseResponse {
  static LeaseResponse read(std::string_view message);

  std::uint64_t id = 0;
  /// 0 or less: there is no such lease any more.
  std::int64_t seconds_left = 0;
};

}  // namespace trunkline::naming::etcd
