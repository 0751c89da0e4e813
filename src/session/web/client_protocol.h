// SPDX-License-Identifier: MIT
// ClientProtocol: what a client speaks over HTTP.
#pragma once

#include <cstdint>

namespace trunkline::session::web {

enum class ClientProtocol : std::uint8_t { grpc, grpc_web, connect };

}  // namespace trunkline::session::web
