// SPDX-License-Identifier: MIT
// ProtocolTable: the protocols that a server or channel speaks, and which of them a new connection uses.
#pragma once

#include "session/protocol.h"

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session {

/// The rows are asked in the order in which they were added. A table is built once, and then any thread may read it.
class ProtocolTable {
 public:
  /// Returns a table of the protocols that the library speaks.
  static ProtocolTable with_defaults();

  /// Adds a row. No other row of the table may have its name.
  void add(const Protocol& protocol);

  /// Returns null if the table has no such protocol.
  const Protocol* find(std::string_view name) const noexcept;

  /// Returns the names by which TLS negotiates the protocols that have one, in the order of the table.
  std::vector<std::string> alpn_names() const;

  struct Detection {
    /// The protocol is null as long as none is known, or if none matches.
    const Protocol* protocol = nullptr;
    /// The choice is final. Otherwise further bytes decide.
    bool is_decided = false;
  };
  /// Finds the protocol of a client that has negotiated `alpn` (empty if nothing) and sent `first_bytes`. A row that
  /// TLS has negotiated needs no bytes. Otherwise the first row that matches counts, once no earlier row can.
  Detection detect(std::string_view alpn, ByteSpan first_bytes) const noexcept;

 private:
  std::vector<Protocol> protocols_;
};

}  // namespace trunkline::session
