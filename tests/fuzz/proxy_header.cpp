// SPDX-License-Identifier: MIT
// Headers of the PROXY protocol: never more bytes than there are, and the same header however the bytes arrive.
#include "net/proxy_header.h"

#include "fuzz/requirement.h"

#include <cstddef>
#include <cstdint>

using trunkline::ByteSpan;
using trunkline::Result;
using trunkline::fuzz::require;
using trunkline::net::ProxyHeader;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
  const Result<ProxyHeader> whole = ProxyHeader::read(bytes);
  if (!whole.is_ok()) return 0;
  require(whole->size <= size);
  require(whole->size > 0 || size < ProxyHeader::max_binary_bytes);
  for (std::size_t end = 0; end < whole->size; ++end) {
    const Result<ProxyHeader> part = ProxyHeader::read(bytes.first(end));
    require(part.is_ok());
    require(part->size == 0);
  }
  return 0;
}
