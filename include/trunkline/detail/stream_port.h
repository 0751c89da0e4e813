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

/// One read, write or wait on a stream. Its owner keeps it alive until it is complete. It completes once, on the
/// stream's loop and not inside begin(), except where `is_initiating` says otherwise.
class StreamOperation {
 public:
  using Complete = void (*)(StreamOperation& operation);

  explicit StreamOperation(Complete on_complete) noexcept : complete(on_complete) {}
  StreamOperation(const StreamOperation&) = delete;
  StreamOperation& operator=(const StreamOperation&) = delete;

  /// May destroy the operation.
  Complete complete;
  /// For a read: where the message goes.
  MutableMessageView into{};
  /// The outcome.
  Status status;
  /// For a read: false at the end of the stream.
  bool has_message = false;
  /// For the runtime while a thread waits.
  void* waiter = nullptr;
  /// There is no loop to wait for: complete() is called on a thread that is inside begin().
  bool is_initiating = false;

 private:
  friend class call::CompletionQueue;
  friend class call::StreamCore;
  // 0: the operation cannot be cancelled on its own.
  std::uint64_t cancel_number_ = 0;
  StreamOperation* next_ = nullptr;
  Slice payload_;
  const Codec* codec_ = nullptr;
  const Compressor* compressor_ = nullptr;
  Metadata leading_;
};

enum class StreamAction : std::uint8_t {
  read,
  write,
  /// Writes the last message and closes this side.
  write_last,
  close_writes,
  /// For the client: waits for the status of the call.
  finish,
  /// For the client: waits for leading metadata, a message or the end of the call, whichever comes first.
  await_leading,
};

class StreamPort;

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

/// One end of a stream. Any thread. At most one action of each kind may be in progress; further ones fail at once with
/// failed_precondition.
class TRUNKLINE_API StreamPort {
 public:
  virtual ~StreamPort() = default;
  /// `message` is encoded before this returns.
  virtual void begin(StreamOperation& operation, StreamAction action, MessageView message = {}) = 0;
  /// The same on a thread that waits until the operation is done; `complete` is not called.
  virtual void run(StreamOperation& operation, StreamAction action, MessageView message = {}) = 0;
  /// To be called before begin(): a function that cancels this one operation. On the client it cancels the whole call.
  virtual OperationCanceller canceller_of(StreamOperation& operation) = 0;
  /// See OperationCanceller.
  virtual void cancel_operation(std::uint64_t number) = 0;
  /// For the client: cancels the call. Operations in progress end with cancelled.
  virtual void cancel() = 0;
  /// The same, because the user destroyed the stream: afterwards the runtime touches no object of the user except
  /// operations in progress.
  virtual void release() = 0;
  /// For the client: complete once a message or the end has been read or await_leading has completed, or once finish()
  /// has completed, respectively.
  virtual const Metadata& leading() const noexcept = 0;
  virtual const Metadata& trailing() const noexcept = 0;
};

/// The port of the stream that a MethodHandler receives.
TRUNKLINE_API StreamPort& port_of(call::ServerStreamCore& stream) noexcept;

}  // namespace trunkline::detail
