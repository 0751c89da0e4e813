// SPDX-License-Identifier: MIT
// PeerLimits: the table of peer addresses.
#include "server/peer_limits.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace trunkline::server {

std::string PeerLimits::key_of(std::string_view address) {
  const std::size_t scheme = address.find("://");
  const std::string_view name = address.substr(0, scheme);
  if (scheme == std::string_view::npos || (name != "tcp" && name != "tls")) return {};
  std::string_view host = address.substr(scheme + 3);
  if (host.empty() || host.front() != '[') return std::string(host.substr(0, host.rfind(':')));
  host = host.substr(1, host.find(']') - 1);
  const std::string text(host.substr(0, host.find('%')));
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return text;
  // An IPv4 address in IPv6 form is a host, not a network.
  const bool is_mapped = std::all_of(bytes.begin(), bytes.begin() + 10, [](unsigned char byte) { return byte == 0; });
  if (!is_mapped) std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  std::array<char, INET6_ADDRSTRLEN> network{};
  return ::inet_ntop(AF_INET6, bytes.data(), network.data(), network.size()) != nullptr ? network.data() : text;
}

std::shared_ptr<PeerShare> PeerLimits::share_of(std::string_view address) {
  std::string key = key_of(address);
  if (key.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  if (shares_.size() >= sweep_at_) sweep();
  std::weak_ptr<PeerShare>& entry = shares_[std::move(key)];
  std::shared_ptr<PeerShare> share = entry.lock();
  if (share == nullptr) {
    entry = share = std::make_shared<PeerShare>();
    share->memory = make_account();
  }
  return share;
}

std::shared_ptr<session::MemoryAccount> PeerLimits::account_of(const std::shared_ptr<PeerShare>& share) const {
  if (share == nullptr) return local_memory_;
  // The address keeps its account as long as anything is counted there.
  return {share, share->memory.get()};
}

std::shared_ptr<session::MemoryAccount> PeerLimits::make_account() const {
  if (memory_percent_ >= 100) return nullptr;
  return std::make_shared<session::MemoryAccount>(budget_, memory_percent_);
}

void PeerLimits::sweep() {
  std::erase_if(shares_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max<std::size_t>(64, 2 * shares_.size());
}

}  // namespace trunkline::server
