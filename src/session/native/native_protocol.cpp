// SPDX-License-Identifier: MIT
// Recognises a connection of the native protocol, and makes its session.
#include "session/native/native_protocol.h"

#include "session/native/native_session.h"
#include "wire/preface.h"

#include <algorithm>

namespace trunkline::session::native {
namespace {

ProtocolMatch match(ByteSpan first_bytes) noexcept {
  const std::size_t size = std::min(first_bytes.size(), wire::preface.size());
  if (!std::equal(first_bytes.begin(), first_bytes.begin() + static_cast<std::ptrdiff_t>(size), wire::preface.begin()))
    return ProtocolMatch::no;
  return size == wire::preface.size() ? ProtocolMatch::yes : ProtocolMatch::undecided;
}

std::unique_ptr<Session> make_session(const SessionParameters& parameters) {
  return std::make_unique<NativeSession>(parameters.role, parameters.options, parameters.timers, parameters.owner,
                                         parameters.now, parameters.account);
}

}  // namespace

const Protocol& protocol() noexcept {
  static constexpr Protocol row{
      .name = "native", .alpn = "trunkline/1", .match = &match, .make_session = &make_session};
  return row;
}

}  // namespace trunkline::session::native
