// SPDX-License-Identifier: MIT
// answer_ttl(): says for how long the answers of a DNS message hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace trunkline::naming::dns {

/// Returns the lowest time to live, in seconds, of the answers in `message` (RFC 1035 section 4), which c-ares does not
/// tell for SRV records; nullopt if there are no answers, or the message is malformed.
std::optional<std::uint32_t> answer_ttl(std::span<const unsigned char> message) noexcept;

}  // namespace trunkline::naming::dns
