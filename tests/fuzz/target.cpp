// SPDX-License-Identifier: MIT
// URIs of channels: what errors show of them is printable, bounded and without passwords, and what a dns URI is taken
// for is within the documented limits.
#include "naming/dns/dns_target.h"

#include "fuzz/requirement.h"

#include <trunkline/target.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

using trunkline::Endpoint;
using trunkline::Result;
using trunkline::Target;
using trunkline::fuzz::require;
using trunkline::naming::dns::DnsTarget;

namespace {

constexpr std::size_t max_shown_bytes = 1024;

bool is_shown(std::string_view text) {
  return text.size() <= max_shown_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void check_dns(const Target& target) {
  const Result<DnsTarget> parsed = DnsTarget::parse(target);
  if (!parsed) return;
  require(!parsed->host.empty());
  require(parsed->port != 0 || parsed->uses_srv);
  require(!parsed->uses_srv || !parsed->is_numeric());
  require(parsed->min_refresh >= std::chrono::milliseconds(1) && parsed->min_refresh <= std::chrono::hours(24));
  const std::string name = parsed->host_name(443);
  require(parsed->is_numeric() ? name.empty() : name.ends_with(":443"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view uri(reinterpret_cast<const char*>(data), size);
  const Result<Target> target = Target::parse(uri);
  if (!target) {
    require(target.status().code() == trunkline::StatusCode::invalid_argument);
    return 0;
  }
  require(is_shown(target->text));
  if (target->is_endpoint) {
    const Result<Endpoint> again = Endpoint::parse(target->endpoint.to_string());
    require(again.is_ok());
    require(*again == target->endpoint);
    return 0;
  }
  if (target->authority.find('@') != std::string::npos) require(target->text.find("://...@") != std::string::npos);
  check_dns(*target);
  return 0;
}
