// SPDX-License-Identifier: MIT
// StreamCore: one end of a streaming call, with any number of messages each way; the same for clients and servers.
#pragma once

#include "base/counter.h"
#include "call/message_coding.h"
#include "call/stream_host.h"
#include "call/unread_messages.h"
#include "session/held_memory.h"

#include <trunkline/detail/stream_port.h>

#include <array>
#include <atomic>
#include <memory>

namespace trunkline::call {

/// A stream in which operations of the user meet events of the connection: reads wait for messages, writes for room.
///
/// Any thread may call the functions that the user calls; those for the connection are for the loop's thread. Its user
/// keeps it alive, and so does the connection while the session has its context.
///
/// It has more than 40 functions, because the reads, writes and the finish of a stream share its end: each function of
/// StreamPort has a step here, and 7 hooks say in what a client's stream and a server's differ.
class StreamCore : public detail::StreamPort, public std::enable_shared_from_this<StreamCore> {
 public:
  /// The number of bytes that may be written ahead of what the connection has taken before a write waits.
  static constexpr std::size_t write_ahead_bytes = 64 * 1024;

  StreamCore(std::shared_ptr<StreamHost> host, const CodecRegistry& codecs);
  ~StreamCore() override;

  // --- from the connection ---

  /// Notes that the call is open, and that `link` serves it. Sends the writes that waited for that.
  void attach(std::shared_ptr<StreamLink> link, session::CallId id);
  /// Takes a message, leading metadata, or the end of what the peer sends. Messages are held until they are read.
  void on_message(session::Event& event);
  /// Sends a write that waits, as there may be room for it.
  void on_writable();
  session::CallId id() const noexcept { return id_; }
  /// Ends the call. Every operation ends with `status`, but reads first get the messages that have come. An ok status
  /// is the regular end of the stream.
  void end(Status status);
  /// Adds the bytes sent from now on to `sent`, as they go over the wire. `sent` must live as long as the stream is
  /// attached.
  void count_sent(base::Counter& sent) noexcept { sent_bytes_ = &sent; }
  /// Returns true once the call is over. Any thread may call it.
  bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }
  const Status& status() const noexcept { return status_; }

  // --- from the user ---

  void begin(detail::StreamOperation& operation, detail::StreamAction action, MessageView message) override;
  void run(detail::StreamOperation& operation, detail::StreamAction action, MessageView message) override;
  detail::OperationCanceller canceller_of(detail::StreamOperation& operation, detail::StreamAction action) override;
  void cancel_operation(std::uint64_t number) override;
  bool end_offer(std::uint64_t number, bool is_wanted, Slice payload, const Codec* codec) noexcept override;
  void let_go(std::shared_ptr<detail::StreamPort> self) noexcept override;
  const Metadata& leading() const noexcept override { return leading_; }
  const Metadata& trailing() const noexcept override { return trailing_; }

 protected:
  /// Sets the codec of what this side sends. Null: the default of the message's type.
  void set_codec(const Codec* codec) noexcept { codec_.store(codec, std::memory_order_relaxed); }
  const Codec* codec() const noexcept { return codec_.load(std::memory_order_relaxed); }
  bool has_codec() const noexcept { return codec() != nullptr; }
  StreamHost& host() noexcept { return *host_; }
  StreamLink* link() noexcept { return link_.get(); }
  session::Session* session() noexcept { return link_ != nullptr ? link_->session() : nullptr; }
  Metadata& mutable_trailing() noexcept { return trailing_; }
  /// Notes that this side sends nothing after the message that opens the call.
  void set_writes_closed() noexcept { writes_closed_ = true; }
  /// Drops the messages that nobody will read, and returns their credit.
  void drop_messages();
  /// Returns true once a message, leading metadata or the end of what the peer sends has come.
  bool has_received() const noexcept { return received_; }
  /// Has on_sent() called from now on.
  void report_sent() noexcept { reports_sent_ = true; }
  /// Prepares for another attach(), which opens the call again; nothing has been received. `has_opened_closed` says
  /// that the message that opens the call is the last one of this side.
  void detach(bool has_opened_closed) noexcept;
  /// Returns the leading metadata of failed writes, which goes with the next message.
  const Metadata& owed_leading() const noexcept { return owed_leading_; }
  void owe_leading(Metadata&& leading);
  /// Says why no further message can be read although the call goes on or has ended well; ok: they can be read.
  const Status& read_error() const noexcept { return read_error_; }

 private:
  /// Returns the compressor of a message, on the thread that writes it.
  virtual const Compressor* compressor_for_write() { return nullptr; }
  /// Returns the leading metadata that goes with a message, on the thread that writes it, once it is encoded.
  virtual Metadata take_leading() { return {}; }
  /// Returns the status of an operation for whose message a codec threw `text`. `status` lacks that text. Called on the
  /// thread that writes, or the loop's.
  virtual Status on_codec_exception(const Status& status, const std::string& text);
  /// Called on the loop's thread for a message of `bytes` that is about to be read, and came in the unsized form.
  virtual void on_size_known(std::size_t /*bytes*/) {}
  /// Called on the loop's thread when a message cannot be decompressed, and its read has ended with read_error(), as
  /// all further ones do.
  virtual void on_read_failed() {}
  /// Called on the loop's thread when a message could not be encoded or sent, and its write has ended with the status.
  virtual void on_write_failed(const Status& /*status*/) {}
  /// Called on the loop's thread when a message has been sent, but only after report_sent().
  virtual void on_sent(const session::OutgoingMessage& /*message*/) {}
  /// Counts `bytes` of a message that waits for room, as long as the result lives. Called on the loop's thread.
  virtual session::HeldMemory count_waiting(std::size_t /*bytes*/) { return {}; }
  /// Called on the loop's thread when attach() was called, and has sent nothing yet.
  virtual void on_attached() {}
  /// Returns true if this side has a finish action.
  virtual bool may_finish() const noexcept { return false; }
  /// Returns true if a status follows the peer's last message, so that a read behind that message waits for it.
  virtual bool status_follows() const noexcept { return false; }
  /// Returns the status of operations that begin after the end.
  virtual Status after_end() const { return status_; }

  static Status no_loop();
  Status encode(detail::StreamOperation& operation, MessageView message);
  void dispatch(detail::StreamOperation& operation, detail::StreamAction action);
  /// Ends `operation`, which was begun and is not complete, with cancelled.
  void withdraw(detail::StreamOperation& operation);
  void begin_read(detail::StreamOperation& operation);
  void begin_write(detail::StreamOperation& operation, bool last);
  void begin_close(detail::StreamOperation& operation);
  void begin_finish(detail::StreamOperation& operation);
  void begin_await_leading(detail::StreamOperation& operation);
  bool may_write();
  /// Takes the write that waits, which does so no longer.
  detail::StreamOperation& take_write() noexcept {
    write_memory_ = {};
    return *std::exchange(write_, nullptr);
  }
  void send(detail::StreamOperation& operation, bool last);
  bool has_returned();
  UnreadMessages::Message take_returned();
  void deliver(detail::StreamOperation& operation);
  void settle_reads();
  void complete(detail::StreamOperation& operation) {
    if (!operation.leading_.empty()) owe_leading(std::move(operation.leading_));
    host_->completions().push(operation);
  }
  void fail(detail::StreamOperation& operation, StatusCode code, std::string_view text);

  const std::shared_ptr<StreamHost> host_;
  const CodecRegistry& codecs_;
  std::shared_ptr<StreamLink> link_;
  session::CallId id_ = 0;
  std::atomic<const Codec*> codec_{nullptr};
  /// Numbers of reads are odd, those of other operations even.
  std::atomic<std::uint64_t> last_cancel_number_{0};
  /// The numbers of the last reads that were given up, the highest in each place. The thread that gives one up writes
  /// this before the loop learns of it, so that the handler of the read, which the executor of both runs later, gets no
  /// message. One read is under way at a time, but others may have been begun beside it, in error, and be given up too.
  std::array<std::atomic<std::uint64_t>, 4> given_up_reads_{};
  std::atomic<std::uint64_t>& mark_of(std::uint64_t read) noexcept {
    return given_up_reads_[read / 2 % given_up_reads_.size()];
  }
  enum class Offer : std::uint8_t {
    none,
    /// The handler of a read that can be given up has yet to run.
    pending,
    /// It was given up, and `returned_` is the next message.
    returned,
  };
  /// Written by the loop's thread, except from `pending`, where the thread that ends the offer writes it.
  std::atomic<Offer> offer_{Offer::none};
  UnreadMessages::Message returned_;
  /// Messages that readers return from now on are dropped.
  bool drops_returned_ = false;

  UnreadMessages messages_;
  Status read_error_;
  /// True if the peer sends no further message.
  bool peer_ended_ = false;
  bool received_ = false;
  bool reports_sent_ = false;
  /// True if this side sends no further message.
  bool writes_closed_ = false;
  std::atomic<bool> over_{false};
  /// True if the write that waits is the last one of this side.
  bool write_waits_last_ = false;
  /// True if this side was closed before the call had a connection.
  bool close_wanted_ = false;
  /// The number of bytes written since the connection last had room.
  std::size_t written_ahead_ = 0;
  base::Counter* sent_bytes_ = nullptr;
  Status status_;
  // The operations in progress. Each is null if there is none.
  detail::StreamOperation* read_ = nullptr;
  detail::StreamOperation* write_ = nullptr;
  detail::StreamOperation* finish_ = nullptr;
  detail::StreamOperation* await_leading_ = nullptr;
  /// The memory of write_'s message.
  session::HeldMemory write_memory_;
  Metadata owed_leading_;
  Metadata leading_;
  Metadata trailing_;
};

}  // namespace trunkline::call
