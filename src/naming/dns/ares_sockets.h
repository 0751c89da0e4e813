// SPDX-License-Identifier: MIT
// AresSockets: one channel of c-ares, whose sockets and timeouts an event loop watches.
#pragma once

// Debian 12 has c-ares 1.18, whose functions later releases call deprecated.
#define CARES_NO_DEPRECATED
#include "base/timer_wheel.h"
#include "net/loop.h"

#include <trunkline/status.h>

#include <ares.h>

#include <map>
#include <memory>
#include <string>

namespace trunkline::naming::dns {

/// Only the loop's thread uses it. c-ares must not be asked to destroy its channel from within its own callbacks, so
/// these must not destroy this object either.
class AresSockets {
 public:
  explicit AresSockets(net::Loop& loop) noexcept;
  /// Destroys the channel. Queries that are under way call back with ARES_EDESTRUCTION.
  ~AresSockets();
  AresSockets(const AresSockets&) = delete;
  AresSockets& operator=(const AresSockets&) = delete;

  /// Reads the configuration of the system. `name_server` is ADDRESS:PORT, or empty for those of the system. Error:
  /// resource_exhausted or internal.
  Status open(const std::string& name_server);
  /// Returns the channel, which is not null after open().
  ares_channel channel() const noexcept { return channel_; }
  /// Sets the timer. Must be called after queries have been started.
  void arm_timer();

 private:
  class Watch;

  static void on_state(void* self, ares_socket_t socket, int readable, int writable);
  void process(ares_socket_t readable, ares_socket_t writable);

  net::Loop& loop_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, std::shared_ptr<Watch>> watches_;
  base::Timer timeout_;
};

}  // namespace trunkline::naming::dns
