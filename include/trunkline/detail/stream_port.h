// SPDX-License-Identifier: MIT
// StreamPort and StreamOperation: the interface between the typed streams and the untyped runtime.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace trunkline::call {
class CompletionQueue;
class ServerStreamCore;
class StreamCore;
}  // namespace trunkline::call

namespace trunkline::detail {

class StreamPort;

/// A message that a read has been given and that its handler has not seen. The handler takes it when it runs. If the
/// read has been given up by then, or if the handler never runs, the message goes back to the stream, whose next read
/// gets it. An empty one stands for a read that cannot be given up, or that has no message.
class TRUNKLINE_API OfferedMessage {
 public:
  OfferedMessage() noexcept = default;
  /// `number` is that of the read's OperationCanceller. `payload` and `codec` are what the message was decoded from.
  OfferedMessage(std::shared_ptr<StreamPort> port, std::uint64_t number, Slice payload, const Codec* codec) noexcept
      : port_(std::move(port)), number_(number), payload_(std::move(payload)), codec_(codec) {}
  OfferedMessage(OfferedMessage&&) noexcept = default;
  OfferedMessage& operator=(OfferedMessage&&) = delete;
  ~OfferedMessage() {
    if (port_ != nullptr) static_cast<void>(end(false));
  }
  /// To be called right before the handler runs, where it runs. False: the read was given up, and the handler gets
  /// give_up_status().
  bool take() noexcept { return port_ == nullptr || end(true); }
  bool empty() const noexcept { return port_ == nullptr; }

 private:
  bool end(bool is_wanted) noexcept;

  std::shared_ptr<StreamPort> port_;
  std::uint64_t number_ = 0;
  Slice payload_;
  const Codec* codec_ = nullptr;
};

/// The status of an operation that a cancellation slot has ended.
TRUNKLINE_API Status give_up_status();

/// One read, write or wait on a stream. Its owner keeps it alive until it is complete. It completes once, on the
/// stream's loop and not inside begin(), except where `is_initiating` says otherwise.
class StreamOperation {
 public:
  using Complete = void (*)(StreamOperation& operation);

  explicit StreamOperation(Complete on_complete) noexcept : complete(on_complete) {}
  StreamOperation(const StreamOperation&) = delete;
  StreamOperation& operator=(const StreamOperation&) = delete;

  /// Reports the end of the operation, and may destroy it.
  Complete complete;
  /// The message into which a read decodes.
  MutableMessageView into{};
  /// The outcome of the operation.
  Status status;
  /// False if a read has found the end of the stream.
  bool has_message = false;
  /// The runtime's record of the thread that waits.
  void* waiter = nullptr;
  /// There is no loop to wait for: complete() is called on a thread that is inside begin().
  bool is_initiating = false;
  /// For a read: its message, until the handler runs.
  OfferedMessage take_offer() noexcept { return {std::move(offered_by_), cancel_number_, std::move(payload_), codec_}; }

 private:
  friend class call::CompletionQueue;
  friend class call::StreamCore;
  // The number by which the operation is cancelled; 0: it cannot be cancelled on its own.
  std::uint64_t cancel_number_ = 0;
  StreamOperation* next_ = nullptr;
  // The payload, the codec and the compressor belong to the message that is written, or that is offered to a read.
  Slice payload_;
  const Codec* codec_ = nullptr;
  const Compressor* compressor_ = nullptr;
  Metadata leading_;
  // Null: nothing is offered.
  std::shared_ptr<StreamPort> offered_by_;
};

enum class StreamAction : std::uint8_t {
  read,
  write,
  /// The last message is written, and this side is closed.
  write_last,
  close_writes,
  /// The client waits for the status of the call.
  finish,
  /// The client waits for leading metadata, a message or the end of the call, whichever comes first.
  await_leading,
};

/// Cancels one operation of a stream. May be called at any time after the operation has begun, on any thread; does
/// nothing once it is complete. May outlive both the stream and the operation.
class TRUNKLINE_API OperationCanceller {
 public:
  OperationCanceller(std::weak_ptr<StreamPort> port, std::uint64_t number) noexcept
      : port_(std::move(port)), number_(number) {}
  void operator()() const;

 private:
  std::weak_ptr<StreamPort> port_;
  std::uint64_t number_;
};

/// One end of a stream, which any thread may use. At most one action of each kind may be in progress; further ones fail
/// at once with failed_precondition.
class TRUNKLINE_API StreamPort {
 public:
  virtual ~StreamPort() = default;
  /// Begins an action of the stream. `message` is encoded before this returns.
  virtual void begin(StreamOperation& operation, StreamAction action, MessageView message = {}) = 0;
  /// Runs an action on a thread that waits until the operation is done; `complete` is not called.
  virtual void run(StreamOperation& operation, StreamAction action, MessageView message = {}) = 0;
  /// Returns a function that gives up this operation, which `action` is. It must be called before begin().
  virtual OperationCanceller canceller_of(StreamOperation& operation, StreamAction action) = 0;
  /// Gives up the operation with this number, for OperationCanceller.
  virtual void cancel_operation(std::uint64_t number) = 0;
  /// Ends the offer of a message to the read `number`. Returns true if `is_wanted` and the read was not given up.
  /// Otherwise the message goes back, for the next read.
  virtual bool end_offer(std::uint64_t number, bool is_wanted, Slice payload, const Codec* codec) noexcept = 0;
  /// Drops a reference to this object, on any thread.
  virtual void let_go(std::shared_ptr<StreamPort> self) noexcept { self.reset(); }
  /// Cancels the call of a client. Operations in progress end with cancelled.
  virtual void cancel() = 0;
  /// Cancels the call because the user destroyed the stream. Afterwards the runtime touches no object of the user
  /// except operations in progress.
  virtual void release() = 0;
  /// Returns the metadata that the server sent to a client. leading() is complete once a message or the end has been
  /// read or await_leading has completed, and trailing() once finish() has completed.
  virtual const Metadata& leading() const noexcept = 0;
  virtual const Metadata& trailing() const noexcept = 0;
};

/// Returns the port of the stream that a MethodHandler receives.
TRUNKLINE_API StreamPort& port_of(call::ServerStreamCore& stream) noexcept;

}  // namespace trunkline::detail
