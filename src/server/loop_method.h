// SPDX-License-Identifier: MIT
// LoopMethod: one method as one loop serves it - what is looked up once, and messages to be reused.
#pragma once

#include "server/method.h"
#include "server/method_tally.h"
#include "session/event.h"
#include "session/session.h"

#include <trunkline/codec.h>

#include <memory>
#include <vector>

namespace trunkline::server {

/// Used on its loop's thread only.
class LoopMethod : public std::enable_shared_from_this<LoopMethod> {
 public:
  /// Messages that were larger are not kept for reuse.
  static constexpr std::size_t max_kept_bytes = 1 << 20;

  LoopMethod(std::shared_ptr<Method> method, const CodecRegistry& codecs);

  Method& method() const noexcept { return *method_; }
  const std::shared_ptr<Method>& shared() const noexcept { return method_; }
  const MethodShape& shape() const noexcept { return shape_; }
  bool runs_plain() const noexcept { return shape_.execution == Execution::plain; }

  /// Unary: a pair of messages whose request's content is unspecified and whose response is ready for the handler.
  std::unique_ptr<CallMessages> take_messages();
  /// `payload_bytes`: the larger of what was received and sent.
  void give_back(std::unique_ptr<CallMessages> messages, std::size_t payload_bytes) noexcept;

  /// Decodes the message of a call or message event. Error: invalid_argument, or unimplemented if the codec does not
  /// know the type.
  Status decode(const session::Event& event, CallMessages& messages) const;
  /// The response on its way out, answered by the codec of the request if that had one. Views `messages`.
  session::Outgoing outgoing(const CallMessages& messages, const Codec* request_codec) const;

  std::shared_ptr<MethodTally> tally;  ///< null until a call has been counted

 private:
  Status decode_slow(const session::Event& event, CallMessages& messages) const;

  std::shared_ptr<Method> method_;
  const MethodShape& shape_;
  const Codec* request_direct_;    // null if the request has no direct form
  const Codec* response_default_;  // for requests without a codec
  bool request_is_slice_;
  bool response_is_slice_;
  std::vector<std::unique_ptr<CallMessages>> kept_;
};

}  // namespace trunkline::server
