// SPDX-License-Identifier: MIT
// ClientStreamCore: a streaming call from its opening to its status.
#pragma once

#include "client/attempt.h"
#include "client/connected_stream.h"
#include "client/interception.h"
#include "client/retry_policy.h"
#include "client/sent_messages.h"

#include <trunkline/call_options.h>

#include <memory>
#include <mutex>
#include <string>

namespace trunkline::client {

class ChannelCore;

/// A stream that the channel makes and opens once. Reads and writes may begin before the call has a connection; they
/// wait for it. It is used on the loop's thread, except where noted, and may outlive the channel: see DetachedStreams.
class ClientStreamCore final : public ConnectedStream, public Attempt {
 public:
  /// Makes the stream. `first` is sent with the start of the call. If `ends` is set, no further message follows it.
  ClientStreamCore(std::shared_ptr<ChannelCore> core, const Method& called, const CallOptions& options, bool ends,
                   MessageView first);
  ~ClientStreamCore() override;

  /// Opens the stream. Any thread may call it, once.
  void open();

  Status start_on(ClientConnection& connection) override;
  void fail(Status status) override;
  void rules_changed() override;
  void on_finished(session::Event& event, const std::string& peer) override;
  /// Cancels the call. Any thread may call it.
  void cancel() override;
  /// Releases the stream, as the user has destroyed it. Any thread may call it.
  void release() override;

 private:
  const Codec* codec_of(const MessageType& type, std::string_view name) const;
  void launch();
  void cancel_call();
  void end_call(Status status);
  bool try_again(const session::Event& event);
  base::Duration pause_before_retry(const RetryOptions* configured, const session::Event& event);
  void on_sent(const session::OutgoingMessage& message) override;
  /// Sends the messages that an earlier connection had been given.
  void on_attached() override;
  void finish(Status status, const std::string& peer);
  bool may_finish() const noexcept override { return true; }
  bool status_follows() const noexcept override { return true; }
  void on_read_failed() override;
  /// Ends the call, since without the message the server would take the others for the whole.
  void on_write_failed(const Status& status) override;
  const Compressor* compressor_for_write() override { return compressor_; }
  Status after_end() const override;

  const std::shared_ptr<ChannelCore> core_;
  /// Keeps the stream alive while the channel or the session refers to it.
  std::shared_ptr<call::StreamCore> self_;
  std::unique_ptr<MethodEntry> own_method_;
  const Compressor* compressor_ = nullptr;
  const bool ends_;
  session::OutgoingMessage first_;
  /// The codec of later messages, if there is no first one and the codec is known.
  const Codec* later_codec_ = nullptr;
  SentMessages sent_;
  const bool is_idempotent_;
  int free_retries_ = 0;
  int retries_ = 0;
  /// The number of retries before the last pushback of the server: the pauses grow anew from there.
  int retries_at_pushback_ = 0;
  /// True if an attempt before the last one may have run.
  bool may_have_run_before_ = false;
  Metadata metadata_;
  /// Guards response_info_.
  std::mutex response_info_mutex_;
  /// The user's object. Null once it is filled in, or once the user has released the stream.
  ResponseInfo* response_info_;
  /// The error with which the call failed while it was being prepared.
  Status early_error_;
  Interception interception_;
};

}  // namespace trunkline::client
