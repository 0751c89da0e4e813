// SPDX-License-Identifier: MIT
// How a connection of HTTP/2 is recognised.
#include "session/grpc/grpc_protocol.h"

#include "http/http2/frame.h"
#include "session/grpc/grpc_client_session.h"
#include "session/grpc/grpc_server_session.h"

#include <algorithm>

namespace trunkline::session::grpc {
namespace {

ProtocolMatch match(ByteSpan first_bytes) noexcept {
  const std::string_view preface = http::http2::client_preface;
  const std::size_t size = std::min(first_bytes.size(), preface.size());
  if (as_text(first_bytes.first(size)) != preface.substr(0, size)) return ProtocolMatch::no;
  return size == preface.size() ? ProtocolMatch::yes : ProtocolMatch::undecided;
}

std::unique_ptr<Session> make_session(const SessionParameters& parameters) {
  if (parameters.role == Role::client) return std::make_unique<GrpcClientSession>(parameters);
  return std::make_unique<GrpcServerSession>(parameters);
}

}  // namespace

const Protocol& protocol() noexcept {
  static constexpr Protocol row{.name = "grpc", .alpn = "h2", .match = &match, .make_session = &make_session};
  return row;
}

}  // namespace trunkline::session::grpc
