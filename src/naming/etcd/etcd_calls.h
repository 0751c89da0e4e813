// SPDX-License-Identifier: MIT
// EtcdCalls: makes calls to one member of etcd after the other.
#pragma once

#include <trunkline/result.h>
#include <trunkline/slice.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace trunkline::naming::etcd {

/// Makes one call or stream at a time, to the current member, on the loop's thread. Callbacks are not called inside the
/// function to which they are given, nor after abandon() or the destructor. They may destroy this object.
class EtcdCalls {
 public:
  using Answered = std::function<void(Result<Slice> response)>;
  using Received = std::function<void(Slice message)>;
  using Ended = std::function<void(Status reason)>;

  virtual ~EtcdCalls() = default;

  /// Makes a call, which ends in bounded time.
  virtual void call(std::string_view method, std::string request, Answered answered) = 0;
  /// Opens a stream without an end of its own. `ended` is called once; the reason is never ok.
  virtual void open(std::string_view method, std::string first, Received received, Ended ended) = 0;
  /// Sends a message on the open stream. Error: failed_precondition if the message before is still being written.
  virtual Status send(std::string message) = 0;
  /// Forgets the call or stream in progress, if there is one.
  virtual void abandon() = 0;

  /// Sets the token that calls and streams send from now on; empty: they send none.
  virtual void set_token(std::string token) = 0;
  virtual void use_next_member() = 0;
  virtual std::size_t member_count() const = 0;
};

}  // namespace trunkline::naming::etcd
