// SPDX-License-Identifier: MIT
// StreamPort and StreamOperation: how the typed streams reach the untyped runtime.
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

/// One read, write or wait of a stream's user. It stays its owner's, and must live until it is completed. That happens
/// once, on the stream's loop and not inside begin(), except where `is_initiating` says otherwise.
class StreamOperation {
 public:
  using Complete = void (*)(StreamOperation& operation);

  explicit StreamOperation(Complete on_complete) noexcept : complete(on_complete) {}
  StreamOperation(const StreamOperation&) = delete;
  StreamOperation& operator=(const StreamOperation&) = delete;

  Complete complete;           ///< may destroy the operation
  MutableMessageView into{};   ///< read: where the message goes
  Status status;               ///< the outcome
  bool has_message = false;    ///< read: false if there are no more
  void* waiter = nullptr;      ///< the runtime's, while a thread waits
  bool is_initiating = false;  ///< no loop to wait for: complete() is called by a thread that is inside begin()

 private:
  friend class CompletionQueue;
  friend class StreamCore;
  std::uint64_t cancel_number_ = 0;  // 0: it cannot be cancelled alone
  StreamOperation* next_ = nullptr;
  Slice payload_;
  const Codec* codec_ = nullptr;
  const Compressor* compressor_ = nullptr;
  Metadata leading_;
};

enum class StreamAction : std::uint8_t {
  read,
  write,
  write_last,  ///< and ends this side
  close_writes,
  finish,  ///< client: waits for the call's status
};

class StreamPort;

/// Cancels one operation of a stream, at any time after it has begun and on any thread; does nothing once it is
/// complete. May outlive both.
class TRUNKLINE_API OperationCanceller {
 public:
  OperationCanceller(std::weak_ptr<StreamPort> port, std::uint64_t number) noexcept
      : port_(std::move(port)), number_(number) {}
  void operator()() const;

 private:
  std::weak_ptr<StreamPort> port_;
  std::uint64_t number_;
};

/// One end of a stream. Any thread; at most one read, one write and one finish at a time, others fail at once with
/// failed_precondition.
class TRUNKLINE_API StreamPort {
 public:
  virtual ~StreamPort() = default;
  /// `message` is encoded before this returns.
  virtual void begin(StreamOperation& operation, StreamAction action, MessageView message = {}) = 0;
  /// The same on a thread that waits until it is done; `complete` is not called.
  virtual void run(StreamOperation& operation, StreamAction action, MessageView message = {}) = 0;
  /// Before begin(): what cancels this one operation. A client gives the whole call up.
  virtual OperationCanceller canceller_of(StreamOperation& operation) = 0;
  /// See OperationCanceller.
  virtual void cancel_operation(std::uint64_t number) = 0;
  /// Gives the call up (client). Operations under way end with cancelled.
  virtual void cancel() = 0;
  /// The same, and its user has gone: nothing of the user's is touched afterwards but operations under way.
  virtual void let_go() = 0;
  /// Client: complete once a message or the end has been read, and once finish() has ended, respectively.
  virtual const Metadata& leading() const noexcept = 0;
  virtual const Metadata& trailing() const noexcept = 0;
};

/// What a MethodHandler for streams is given, as a port.
TRUNKLINE_API StreamPort& port_of(ServerStreamCore& stream) noexcept;

}  // namespace trunkline::call
