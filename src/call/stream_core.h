// SPDX-License-Identifier: MIT
// StreamCore: one end of an open call with any number of messages each way, for client and server alike.
#pragma once

#include "base/counter.h"
#include "base/vector_queue.h"
#include "call/message_coding.h"
#include "call/stream_host.h"

#include <trunkline/stream_port.h>

#include <atomic>
#include <memory>

namespace trunkline::call {

/// begin(), run() and cancel() are for any thread, everything else for the loop's. Kept alive by its user and by the
/// connection for as long as the session has its context.
class StreamCore : public StreamPort, public std::enable_shared_from_this<StreamCore> {
 public:
  /// Bytes written ahead of what the connection has taken before a write waits.
  static constexpr std::size_t write_ahead_bytes = 64 * 1024;

  StreamCore(std::shared_ptr<StreamHost> host, const CodecRegistry& codecs);
  ~StreamCore() override;

  // --- from the connection ---

  /// The call is open: `link` serves it. Writes that waited go out.
  void attach(std::shared_ptr<StreamLink> link, session::CallId id);
  /// A message, leading metadata, or the peer's end. Messages are held until they are read.
  void on_message(session::Event& event);
  void on_writable();
  session::CallId id() const noexcept { return id_; }
  /// The call is over: every operation ends with `status`, except that reads first get what has come. An ok status
  /// stands for the end of the stream.
  void end(Status status);
  /// Counts the bytes of what is sent from now on, as they go over the wire. `sent` must live as long as the stream is
  /// attached.
  void count_sent(base::Counter& sent) noexcept { sent_bytes_ = &sent; }
  /// Any thread.
  bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }
  const Status& status() const noexcept { return status_; }

  // --- from the user ---

  void begin(StreamOperation& operation, StreamAction action, MessageView message) override;
  void run(StreamOperation& operation, StreamAction action, MessageView message) override;
  OperationCanceller canceller_of(StreamOperation& operation) override;
  void cancel_operation(std::uint64_t number) override;
  const Metadata& leading() const noexcept override { return leading_; }
  const Metadata& trailing() const noexcept override { return trailing_; }

 protected:
  /// The codec of what this side sends; null: the type's default.
  void set_codec(const Codec* codec) noexcept { codec_.store(codec, std::memory_order_relaxed); }
  bool has_codec() const noexcept { return codec_.load(std::memory_order_relaxed) != nullptr; }
  StreamHost& host() noexcept { return *host_; }
  StreamLink* link() noexcept { return link_.get(); }
  session::Session* session() noexcept { return link_ != nullptr ? link_->session() : nullptr; }
  Metadata& mutable_trailing() noexcept { return trailing_; }
  /// This side ended with the call's opening.
  void set_writes_closed() noexcept { writes_closed_ = true; }
  /// Ends `operation`, which has been begun and is not complete, with cancelled.
  void withdraw(StreamOperation& operation);
  /// Gives back the credit of messages nobody will read.
  void drop_messages();
  /// Leading metadata of writes that came to nothing; goes with the next message.
  const Metadata& owed_leading() const noexcept { return owed_leading_; }
  void owe_leading(Metadata&& leading);

 private:
  struct HeldMessage {
    Slice payload{};
    const Codec* codec = nullptr;
    session::HeldCredit credit{};
  };

  /// On the thread that writes: what goes along with the message.
  virtual const Compressor* compressor_for_write() { return nullptr; }
  /// The same, once the message is encoded.
  virtual Metadata take_leading() { return {}; }
  /// On the thread that writes, or the loop's: the status of an operation whose message a codec threw `text` at.
  /// `status` is without it.
  virtual Status on_codec_exception(const Status& status, const std::string& text);
  /// A finish action on this side; completes it or keeps it. Default: refused.
  virtual bool may_finish() const noexcept { return false; }
  /// True if there may be an error after the peer's last message, which the reader is to be told.
  virtual bool status_follows() const noexcept { return false; }
  /// On the loop's thread: a slot has cancelled `operation`, which is not complete.
  virtual void on_operation_cancelled(StreamOperation& operation) { withdraw(operation); }
  /// What an operation that comes after the end is told.
  virtual Status after_end() const { return status_; }

  Status encode(StreamOperation& operation, MessageView message);
  void dispatch(StreamOperation& operation, StreamAction action);
  void begin_read(StreamOperation& operation);
  void begin_write(StreamOperation& operation, bool last);
  void begin_close(StreamOperation& operation);
  void begin_finish(StreamOperation& operation);
  bool may_write();
  void send(StreamOperation& operation, bool last);
  void deliver(StreamOperation& operation);
  void settle_reads();
  void complete(StreamOperation& operation) {
    if (!operation.leading_.empty()) owe_leading(std::move(operation.leading_));
    host_->completions().push(operation);
  }
  void fail(StreamOperation& operation, StatusCode code, std::string_view text);

  const std::shared_ptr<StreamHost> host_;
  const CodecRegistry& codecs_;
  std::shared_ptr<StreamLink> link_;
  session::CallId id_ = 0;
  std::atomic<const Codec*> codec_{nullptr};
  std::atomic<std::uint64_t> last_cancel_number_{0};

  base::VectorQueue<HeldMessage> messages_;
  bool peer_ended_ = false;
  bool writes_closed_ = false;
  std::atomic<bool> over_{false};
  bool write_waits_last_ = false;
  bool close_wanted_ = false;
  std::size_t written_ahead_ = 0;
  base::Counter* sent_bytes_ = nullptr;
  Status status_;
  StreamOperation* read_ = nullptr;
  StreamOperation* write_ = nullptr;
  StreamOperation* finish_ = nullptr;
  Metadata owed_leading_;
  Metadata leading_;
  Metadata trailing_;
};

}  // namespace trunkline::call
