// SPDX-License-Identifier: MIT
// The names that the library's threads have in debuggers and in tools such as top.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace trunkline::base {

/// Names the calling thread "trunk-<purpose>-<index>", which the system cuts at 15 bytes.
inline void set_thread_name(std::string_view purpose, std::size_t index) {
  std::string name = "trunk-" + std::string(purpose) + "-" + std::to_string(index);
  name.resize(std::min<std::size_t>(name.size(), 15));
  static_cast<void>(::pthread_setname_np(::pthread_self(), name.c_str()));
}

}  // namespace trunkline::base
