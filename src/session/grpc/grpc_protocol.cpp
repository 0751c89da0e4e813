// SPDX-License-Identifier: MIT
// Recognises a connection of HTTP/2, and makes its session.
#include "session/grpc/grpc_protocol.h"

#include "http/http2/frame.h"
#include "session/grpc/grpc_client_session.h"
#include "session/grpc/grpc_server_session.h"

#include <algorithm>
#include <cassert>
#include <memory>

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

template <ClientProtocol protocol>
std::unique_ptr<Session> make_client_session(const SessionParameters& parameters) {
  assert(parameters.role == Role::client);
  return std::make_unique<GrpcClientSession>(parameters, protocol);
}

}  // namespace

const Protocol& protocol() noexcept {
  static constexpr Protocol row{.name = "grpc", .alpn = "h2", .match = &match, .make_session = &make_session};
  return row;
}

const Protocol& connect_protocol() noexcept {
  static constexpr Protocol row{
      .name = "connect", .alpn = "h2", .match = &match, .make_session = &make_client_session<ClientProtocol::connect>};
  return row;
}

const Protocol& grpc_web_protocol() noexcept {
  static constexpr Protocol row{.name = "grpc-web",
                                .alpn = "h2",
                                .match = &match,
                                .make_session = &make_client_session<ClientProtocol::grpc_web>};
  return row;
}

}  // namespace trunkline::session::grpc
