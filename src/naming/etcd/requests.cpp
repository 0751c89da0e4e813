// SPDX-License-Identifier: MIT
// The numbers of the fields, request by request.
#include "naming/etcd/requests.h"

#include "base/protobuf_fields.h"

namespace trunkline::naming::etcd {

using base::append_protobuf_bytes;
using base::append_protobuf_varint;

std::string authenticate_request(std::string_view user, std::string_view password) {
  std::string message;
  append_protobuf_bytes(1, user, message);
  append_protobuf_bytes(2, password, message);
  return message;
}

std::string range_request(std::string_view prefix) {
  std::string message;
  append_protobuf_bytes(1, prefix, message);
  append_protobuf_bytes(2, end_of_prefix(prefix), message);
  return message;
}

std::string watch_request(std::string_view prefix, std::uint64_t revision) {
  std::string create;
  append_protobuf_bytes(1, prefix, create);
  append_protobuf_bytes(2, end_of_prefix(prefix), create);
  append_protobuf_varint(3, revision, create);
  std::string message;
  append_protobuf_bytes(1, create, message);
  return message;
}

std::string put_request(std::string_view key, std::string_view value, std::uint64_t lease) {
  std::string message;
  append_protobuf_bytes(1, key, message);
  append_protobuf_bytes(2, value, message);
  append_protobuf_varint(3, lease, message);
  return message;
}

std::string grant_request(std::uint64_t seconds) {
  std::string message;
  append_protobuf_varint(1, seconds, message);
  return message;
}

std::string keep_alive_request(std::uint64_t lease) {
  std::string message;
  append_protobuf_varint(1, lease, message);
  return message;
}

std::string revoke_request(std::uint64_t lease) { return keep_alive_request(lease); }

std::string end_of_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (end.empty()) return std::string(1, '\0');
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace trunkline::naming::etcd
