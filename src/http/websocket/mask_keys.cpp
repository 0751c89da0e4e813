// SPDX-License-Identifier: MIT
// MaskKeys: refills the pool with getentropy().
#include "http/websocket/mask_keys.h"

#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace trunkline::http::websocket {

void MaskKeys::draw(MutableByteSpan out) {
  assert(out.size() <= pool_.size());
  if (left_ < out.size()) {
    if (getentropy(pool_.data(), pool_.size()) != 0) {
      throw std::system_error(errno, std::generic_category(), "draw a mask: getentropy");
    }
    left_ = pool_.size();
  }
  left_ -= out.size();
  std::memcpy(out.data(), pool_.data() + left_, out.size());
}

}  // namespace trunkline::http::websocket
