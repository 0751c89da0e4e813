// SPDX-License-Identifier: MIT
// BackgroundCall: a call that the channel makes on a connection for itself.
#pragma once

#include "session/event.h"

namespace trunkline::client {

/// A call that is none of the user's calls: it is not counted, no interceptor sees it, and it does not keep its
/// connection from being idle or drained. Only the loop's thread uses it.
class BackgroundCall {
 public:
  /// Called for leading metadata, or for a message that may be compressed.
  virtual void on_message(session::Event& event) = 0;
  /// Called when the call has ended. The connection may take another one then.
  virtual void on_finished(session::Event& event) = 0;

 protected:
  ~BackgroundCall() = default;
};

}  // namespace trunkline::client
