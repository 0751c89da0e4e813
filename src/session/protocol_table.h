// SPDX-License-Identifier: MIT
// ProtocolTable: the protocols that a server or channel speaks, and which of them a new connection uses.
#pragma once

#include "session/protocol.h"

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session {

/// Rows in the order in which they are asked. Built once and then only read, from any thread.
class ProtocolTable {
 public:
  /// The protocols that the library speaks.
  static ProtocolTable with_defaults();

  /// Needs a name that is not in the table.
  void add(const Protocol& protocol);

  /// Null: not in the table.
  const Protocol* find(std::string_view name) const noexcept;

  /// What TLS negotiates for each protocol that has such a name, in the order of the table.
  std::vector<std::string> alpn_names() const;

  struct Detection {
    /// Null: none yet, or none at all.
    const Protocol* protocol = nullptr;
    /// False: further bytes decide.
    bool is_decided = false;
  };
  /// The protocol of a client that has negotiated `alpn` (empty: nothing) and sent `first_bytes`. A row that TLS has
  /// negotiated needs no bytes; otherwise the first row that matches counts, once no earlier row can match any more.
  Detection detect(std::string_view alpn, ByteSpan first_bytes) const noexcept;

 private:
  std::vector<Protocol> protocols_;
};

}  // namespace trunkline::session
