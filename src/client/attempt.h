// SPDX-License-Identifier: MIT
// Attempt: a call on its way to a connection, whatever its kind.
#pragma once

#include "base/timer_wheel.h"
#include "client/method_table.h"

#include <trunkline/status.h>

namespace trunkline::client {

class ClientConnection;

/// Loop's thread only.
class Attempt {
 public:
  virtual ~Attempt() = default;
  /// The connection can start it. An error ends it; no trace is left on the connection.
  virtual Status start_on(ClientConnection& connection) = 0;
  /// It ends without having been sent.
  virtual void fail(Status status) = 0;

  const MethodEntry* method = nullptr;
  base::TimePoint deadline = base::never;
  base::TimePoint started{};  ///< known if there is a deadline
  bool wait_for_ready = false;
  bool waits_for_room = false;

 protected:
  Attempt() noexcept
      : timer_([](base::Timer&, void* self,
                  base::TimePoint) { static_cast<Attempt*>(self)->expire_(*static_cast<Attempt*>(self)); },
               this) {}

 private:
  friend class PendingQueue;
  Attempt* previous_ = nullptr;
  Attempt* next_ = nullptr;
  bool queued_ = false;
  void* queue_ = nullptr;
  void (*expire_)(Attempt& attempt) = nullptr;
  base::Timer timer_;
};

}  // namespace trunkline::client
