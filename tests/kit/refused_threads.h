// SPDX-License-Identifier: MIT
// RefusedThreads: while it exists, the system refuses to start threads.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace trunkline::kit {

class RefusedThreads {
 public:
  RefusedThreads() {
    ::pthread_getattr_default_np(&outer_);
    pthread_attr_t endless;
    ::pthread_attr_init(&endless);
    // A stack that is larger than the address space.
    ::pthread_attr_setstacksize(&endless, std::size_t{1} << 47);
    ::pthread_setattr_default_np(&endless);
    ::pthread_attr_destroy(&endless);
  }
  ~RefusedThreads() {
    ::pthread_setattr_default_np(&outer_);
    ::pthread_attr_destroy(&outer_);
  }
  RefusedThreads(const RefusedThreads&) = delete;
  RefusedThreads& operator=(const RefusedThreads&) = delete;

 private:
  pthread_attr_t outer_{};
};

}  // namespace trunkline::kit
