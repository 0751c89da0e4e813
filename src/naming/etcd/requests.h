// SPDX-License-Identifier: MIT
// The requests to etcd, as messages of protobuf: etcdserverpb in
// https://github.com/etcd-io/etcd/blob/main/api/etcdserverpb/rpc.proto.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::naming::etcd {

inline constexpr std::string_view authenticate_method = "etcdserverpb.Auth/Authenticate";
inline constexpr std::string_view range_method = "etcdserverpb.KV/Range";
inline constexpr std::string_view put_method = "etcdserverpb.KV/Put";
inline constexpr std::string_view watch_method = "etcdserverpb.Watch/Watch";
inline constexpr std::string_view grant_method = "etcdserverpb.Lease/LeaseGrant";
inline constexpr std::string_view keep_alive_method = "etcdserverpb.Lease/LeaseKeepAlive";
inline constexpr std::string_view revoke_method = "etcdserverpb.Lease/LeaseRevoke";

std::string authenticate_request(std::string_view user, std::string_view password);
/// Returns the request for all keys that begin with `prefix`, which is not empty.
std::string range_request(std::string_view prefix);
/// Returns the request for the changes of these keys, from `revision` on.
std::string watch_request(std::string_view prefix, std::uint64_t revision);
std::string put_request(std::string_view key, std::string_view value, std::uint64_t lease);
/// Returns the request for a lease with an id that etcd chooses.
std::string grant_request(std::uint64_t seconds);
std::string keep_alive_request(std::uint64_t lease);
std::string revoke_request(std::uint64_t lease);

/// Returns the first key after all those that begin with `prefix`; a single 0 if there is none: the end of all keys.
std::string end_of_prefix(std::string_view prefix);

}  // namespace trunkline::naming::etcd
