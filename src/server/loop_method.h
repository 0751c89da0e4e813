// SPDX-License-Identifier: MIT
// LoopMethod: one method as one loop serves it, with its codecs and the messages that its calls reuse.
#pragma once

#include "server/method_metrics.h"
#include "server/registered_method.h"
#include "session/event.h"
#include "session/session.h"

#include <trunkline/codec.h>

#include <memory>
#include <vector>

namespace trunkline::server {

/// A method that only the loop's thread uses. The loop holds it until the method is removed, and so do its open calls.
class LoopMethod : public std::enable_shared_from_this<LoopMethod> {
 public:
  /// Messages whose payload was larger are not reused, because they may keep the memory they took.
  static constexpr std::size_t max_reused_bytes = 1 << 20;

  LoopMethod(std::shared_ptr<RegisteredMethod> method, const CodecRegistry& codecs);

  RegisteredMethod& method() const noexcept { return *method_; }
  const MethodShape& shape() const noexcept { return shape_; }
  bool runs_plain() const noexcept { return shape_.execution == Execution::plain; }

  /// Returns messages for a unary call: a request, whose content is unspecified, and a response that is cleared for the
  /// handler. Throws what constructors of the user's types throw.
  std::unique_ptr<CallMessages> take_messages();
  /// Takes messages back for reuse. `payload_bytes` is the size of the request.
  void give_back(std::unique_ptr<CallMessages> messages, std::size_t payload_bytes) noexcept;

  /// Decodes the message of a call event or message event. Errors: invalid_argument; unimplemented (the codec does not
  /// know the type); resource_exhausted (over a limit of the codec).
  Status decode(const session::Event& event, CallMessages& messages) const;
  /// Returns the response as it is to be sent, in the codec of the request if that had one. It views `messages`.
  session::OutgoingMessage outgoing(const CallMessages& messages, const Codec* request_codec) const;

  /// The metrics of the method; null until a call has been counted. LoopMetrics sets it.
  std::shared_ptr<MethodMetrics> metrics;

 private:
  Status decode_slow(const session::Event& event, CallMessages& messages) const;

  std::shared_ptr<RegisteredMethod> method_;
  const MethodShape& shape_;
  /// The codec that the request's type parses itself; null if there is none.
  const Codec* request_direct_;
  /// The codec of the response to a request that had no codec.
  const Codec* response_default_;
  bool request_is_slice_;
  bool response_is_slice_;
  std::vector<std::unique_ptr<CallMessages>> reusable_;
};

}  // namespace trunkline::server
