// SPDX-License-Identifier: MIT
// The values of gRPC's header fields: timeouts, percent-encoded text, binary metadata and status details.
#pragma once

#include "base/clock.h"

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::session::grpc {

/// grpc-timeout: one to eight digits and a unit. Empty if it is anything else.
std::optional<base::Duration> read_timeout(std::string_view text) noexcept;

/// grpc-message: what is not printable ASCII, and the percent sign, become %XX.
std::string percent_encode(std::string_view text);
/// A percent sign without two hexadecimal digits behind it stands for itself.
std::string percent_decode(std::string_view text);

/// The value of a name that ends in -bin, with or without padding. Empty if it is not base64.
std::optional<std::string> read_binary(std::string_view text);
/// Without padding.
std::string write_binary(std::string_view bytes);

/// The serialized google.rpc.Status for grpc-status-details-bin.
std::string encode_details(const Status& status);

}  // namespace trunkline::session::grpc
