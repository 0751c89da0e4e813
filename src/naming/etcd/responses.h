// SPDX-License-Identifier: MIT
// Reads the responses of etcd from messages of protobuf. Fields that are not needed, or missing, are skipped.
#pragma once

#include "naming/etcd/key_value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::naming::etcd {

/// The response of Auth/Authenticate.
struct AuthenticateResponse {
  static AuthenticateResponse read(std::string_view message);

  std::string token{};
};

/// The response of KV/Range.
struct RangeResponse {
  static RangeResponse read(std::string_view message);

  /// The revision of the store when the keys were read.
  std::uint64_t revision = 0;
  std::vector<KeyValue> keys{};
};

/// A response of Watch/Watch.
struct WatchResponse {
  static WatchResponse read(std::string_view message);

  /// The revision of the store when the response was sent.
  std::uint64_t revision = 0;
  /// True if the watch has begun.
  bool is_created = false;
  /// True if the watch has ended.
  bool is_cancelled = false;
  std::string cancel_reason{};
  /// If it is not 0, changes before this revision are lost.
  std::uint64_t compact_revision = 0;
  /// The changes in the order in which they happened.
  std::vector<KeyValue> changes{};
};

/// The response of Lease/LeaseGrant and Lease/LeaseKeepAlive.
struct LeaseResponse {
  static LeaseResponse read(std::string_view message);

  std::uint64_t id = 0;
  /// The time that the lease has left, in seconds; 0 or less: there is no such lease any more.
  std::int64_t seconds_left = 0;
};

}  // namespace trunkline::naming::etcd
