// SPDX-License-Identifier: MIT
// ClientStreamCore: a streaming call from its opening to its status.
#pragma once

#include "call/stream_core.h"
#include "client/attempt.h"
#include "client/interception.h"

#include <trunkline/call_options.h>

#include <memory>
#include <mutex>
#include <string>

namespace trunkline::client {

class ChannelCore;

/// Opened once by the channel. Reads and writes may be begun at once; they wait until the call has a connection.
class ClientStreamCore final : public call::StreamCore, public Attempt {
 public:
  ClientStreamCore(std::shared_ptr<ChannelCore> core, const Method& called, const CallOptions& options, bool ends,
                   MessageView first);
  ~ClientStreamCore() override;

  /// Any thread, once.
  void open();

  Status start_on(ClientConnection& connection) override;
  void fail(Status status) override;
  /// The session's last event of the call.
  void on_finished(session::Event& event, const std::string& peer);
  /// Any thread.
  void cancel() override;
  void let_go() override;

 private:
  void launch();
  void give_up(Status status);
  void finish(Status status, const std::string& peer);
  bool may_finish() const noexcept override { return true; }
  bool status_follows() const noexcept override { return true; }
  void on_operation_cancelled(call::StreamOperation&) override { cancel(); }
  const Compressor* compressor_for_write() override { return compressor_; }
  Status after_end() const override;

  const std::shared_ptr<ChannelCore> core_;
  std::shared_ptr<call::StreamCore> self_;  // while the channel or the session knows it
  std::unique_ptr<MethodEntry> own_method_;
  const Compressor* compressor_ = nullptr;
  const bool ends_;
  session::Outgoing first_;
  Metadata metadata_;
  std::mutex reply_mutex_;
  ReplyInfo* reply_;  // the user's; null once it is filled in or the user has gone
  Status early_error_;
  Interception interception_;
};

}  // namespace trunkline::client
