// SPDX-License-Identifier: MIT
// Recognises a connection of HTTP/1.1, and makes its session.
#include "session/http1/http1_protocol.h"

#include "session/http1/http1_client_session.h"
#include "session/http1/upgradable_session.h"
#include "wire/detector.h"

#include <cassert>
#include <memory>
#include <optional>

namespace trunkline::session::http1 {
namespace {

/// A client begins with a method and the beginning of a target.
ProtocolMatch match(ByteSpan first_bytes) noexcept {
  const std::optional<wire::DetectedProtocol> detected = wire::detect(first_bytes);
  if (!detected) return ProtocolMatch::undecided;
  return *detected == wire::DetectedProtocol::http1 ? ProtocolMatch::yes : ProtocolMatch::no;
}

/// Only servers make this session, because a channel does not look for this row.
std::unique_ptr<Session> make_session(const SessionParameters& parameters) {
  return std::make_unique<UpgradableSession>(parameters);
}

template <web::ClientProtocol protocol>
std::unique_ptr<Session> make_client_session(const SessionParameters& parameters) {
  assert(parameters.role == Role::client);
  return std::make_unique<Http1ClientSession>(parameters, protocol);
}

}  // namespace

const Protocol& protocol() noexcept {
  static constexpr Protocol row{
      .name = "http/1.1", .alpn = "http/1.1", .has_pings = false, .match = &match, .make_session = &make_session};
  return row;
}

const Protocol& connect_protocol() noexcept {
  static constexpr Protocol row{.name = "connect",
                                .alpn = "http/1.1",
                                .has_pings = false,
                                .match = &match,
                                .make_session = &make_client_session<web::ClientProtocol::connect>,
                                .has_one_call = true};
  return row;
}

const Protocol& grpc_web_protocol() noexcept {
  static constexpr Protocol row{.name = "grpc-web",
                                .alpn = "http/1.1",
                                .has_pings = false,
                                .match = &match,
                                .make_session = &make_client_session<web::ClientProtocol::grpc_web>,
                                .has_one_call = true};
  return row;
}

}  // namespace trunkline::session::http1
