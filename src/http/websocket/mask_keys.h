// SPDX-License-Identifier: MIT
// MaskKeys: draws keys that nobody can predict, as the frames of clients need them (RFC 6455, section 10.3).
#pragma once

#include <trunkline/slice.h>

#include <array>
#include <cstddef>

namespace trunkline::http::websocket {

/// A pool of keys for one thread. It asks the system's random source once for many keys.
class MaskKeys {
 public:
  /// Fills `out` with random bytes. Throws std::system_error if the system has none.
  void draw(MutableByteSpan out);

 private:
  std::array<std::byte, 256> pool_;
  std::size_t left_ = 0;
};

}  // namespace trunkline::http::websocket
