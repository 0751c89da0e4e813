// SPDX-License-Identifier: MIT
// BackgroundCall: a call that the channel makes on a connection for itself.
#pragma once

#include "session/event.h"

namespace trunkline::client {

/// It is none of the user's calls: it is not counted, no interceptor sees it, and it does not keep its connection from
/// being idle or drained. Loop's thread.
class BackgroundCall {
 public:
  /// Leading metadata, or a message that may be compressed.
  virtual void on_message(session::Event& event) = 0;
  /// The call has ended. The connection may take another one.
  virtual void on_finished(session::Event& event) = 0;

 protected:
  ~BackgroundCall() = default;
};

}  // namespace trunkline::client
