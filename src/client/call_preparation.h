// SPDX-License-Identifier: MIT
// CallPreparation: determines method, deadline, codec and interceptors of a call before it is sent.
#pragma once

#include "balance/call_hints.h"
#include "base/clock.h"
#include "call/interceptor_chain.h"
#include "client/interception.h"
#include "client/method_table.h"
#include "net/loop.h"

#include <trunkline/call_options.h>
#include <trunkline/channel_options.h>
#include <trunkline/message.h>
#include <trunkline/status.h>

#include <memory>
#include <string>

namespace trunkline::client {

/// Any thread may call the functions, except for coding_of(), but none once the channel is being destroyed.
class CallPreparation {
 public:
  /// `options` must outlive this object.
  CallPreparation(net::Loop& loop, const ChannelOptions& options);

  MethodTable& methods() noexcept { return methods_; }
  const call::InterceptorChain& interceptors() const noexcept { return interceptors_; }
  const Compressor* default_compressor() const noexcept { return default_compressor_; }

  /// Returns the entry of `method` in the channel's table. If the table is full, it returns a new entry, which it puts
  /// into `own`.
  const MethodEntry* entry_of(const Method& method, std::unique_ptr<MethodEntry>& own);
  /// Returns the hints on which the choice of a server depends.
  static balance::CallHints hints_of(const CallOptions& options) noexcept;
  /// Returns the call's deadline, as call_deadline() does. If there is one, sets `started` to the present time.
  base::TimePoint deadline_of(const CallOptions& options, base::TimePoint& started) const;
  /// Chooses the codec and the compressor of the call's requests. The codec is null if the first request is not known
  /// yet (request.type is null). Error: invalid_argument.
  Status choose_coding(const CallOptions& options, MessageView request, const Codec*& codec,
                       const Compressor*& compressor) const;
  /// Runs on_start of the interceptors, if there are any.
  Status intercept(Interception& interception, const MethodEntry& method, base::TimePoint& deadline,
                   base::TimePoint& started, Metadata& metadata) const;

  struct Coding {
    const Codec* codec = nullptr;
    /// True if messages are written directly into the output, or if there are none.
    bool is_direct = false;
    /// The type of a detail::HeldRequest in this codec, if messages are written directly.
    MessageType held_type{};
  };
  /// Returns the codec of requests of `type` under the name in CallOptions::codec; null if there is none. Remembers the
  /// last result, so that names are not looked up for every call. Only the loop's thread calls it.
  const Coding* coding_of(const MessageType* type, std::string_view codec_name) {
    if (type == known_type_ && codec_name == known_codec_name_) return &known_coding_;
    return look_up_coding(type, codec_name);
  }

 private:
  const Coding* look_up_coding(const MessageType* type, std::string_view codec_name);
  base::TimePoint now() const;

  net::Loop& loop_;
  const ChannelOptions& options_;
  const call::InterceptorChain interceptors_;
  const Compressor* const default_compressor_;
  MethodTable methods_;
  const MessageType* known_type_ = nullptr;
  std::string known_codec_name_;
  Coding known_coding_;
};

}  // namespace trunkline::client
