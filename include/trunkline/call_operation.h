// SPDX-License-Identifier: MIT
// CallOperation: one unary or one-way call under way, as the runtime sees it.
#pragma once

#include <trunkline/call_options.h>
#include <trunkline/message.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>

namespace trunkline {
class Codec;
}

namespace trunkline::client {

class CallDetails;
class ChannelCore;
class ClientConnection;
struct MethodEntry;

/// Stays its owner's, and must live until `complete` is called: once, on the channel's loop, and from inside the
/// function that began it only if that says so.
class CallOperation {
 public:
  using Complete = void (*)(CallOperation& operation);

  CallOperation(Complete on_complete, MutableMessageView into) noexcept : complete(on_complete), response(into) {}
  CallOperation(const CallOperation&) = delete;
  CallOperation& operator=(const CallOperation&) = delete;

  Complete complete;  ///< may destroy the operation
  MutableMessageView response;
  Status status;                    ///< the outcome
  std::uint64_t cancel_number = 0;  ///< from Channel; 0: this call cannot be cancelled
  bool one_way = false;             ///< complete once it is on its way, `response` is not used
  bool request_stays = false;  ///< a thread waits: the request is unchanged until then, and `complete` just wakes it
  void* waiter = nullptr;      ///< the runtime's, while a thread waits
  bool is_initiating = false;  ///< no loop to wait for: complete() is called by a thread that is inside begin()

 private:
  friend class CallDetails;
  friend class ChannelCore;
  friend class ClientConnection;

  bool answered_ = false;
  bool patient_ = false;
  bool is_kept_ = false;
  bool idempotent_ = false;
  bool ran_ = false;  // maybe: in an attempt before the last
  int repeats_ = 0;
  std::uint32_t id_ = 0;
  ClientConnection* connection_ = nullptr;  // while it is open there
  const MethodEntry* method_ = nullptr;
  const Codec* codec_ = nullptr;
  CallDetails* details_ = nullptr;  // what only some calls need
  MessageView live_request_{};      // valid if request_stays
  Slice kept_request_;              // encoded, for a repetition
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  std::chrono::steady_clock::time_point started_{};  // known if there is a deadline
  CallOperation* next_ = nullptr;
};

}  // namespace trunkline::client
