// SPDX-License-Identifier: MIT
// Lists the built-in protocols, and finds the protocol of a connection.
#include "session/protocol_table.h"

#include "session/grpc/grpc_protocol.h"
#include "session/http1/http1_protocol.h"
#include "session/native/native_protocol.h"

#include <cassert>

namespace trunkline::session {

ProtocolTable ProtocolTable::with_defaults() {
  ProtocolTable table;
  table.add(native::protocol());
  table.add(grpc::protocol());
  table.add(http1::protocol());
  return table;
}

void ProtocolTable::add(const Protocol& protocol) {
  assert(find(protocol.name) == nullptr);
  protocols_.push_back(protocol);
}

const Protocol* ProtocolTable::find(std::string_view name) const noexcept {
  for (const Protocol& protocol : protocols_) {
    if (protocol.name == name) return &protocol;
  }
  return nullptr;
}

std::vector<std::string> ProtocolTable::alpn_names() const {
  std::vector<std::string> names;
  for (const Protocol& protocol : protocols_) {
    if (!protocol.alpn.empty()) names.emplace_back(protocol.alpn);
  }
  return names;
}

ProtocolTable::Detection ProtocolTable::detect(std::string_view alpn, ByteSpan first_bytes) const noexcept {
  for (const Protocol& protocol : protocols_) {
    if (!alpn.empty() && protocol.alpn == alpn) return {&protocol, true};
  }
  for (const Protocol& protocol : protocols_) {
    const ProtocolMatch match = protocol.match(first_bytes);
    if (match == ProtocolMatch::yes) return {&protocol, true};
    if (match == ProtocolMatch::undecided) return {nullptr, false};
  }
  return {nullptr, true};
}

}  // namespace trunkline::session
