// SPDX-License-Identifier: MIT
// ClientStreamEnd: the client's end of a streaming call.
#pragma once

#include "stream_operation.h"

#include <trunkline/client_stream.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::python {

/// A stream whose operations deliver their outcome to an inbox. Without an inbox the caller waits for the outcome.
class ClientStreamEnd : public std::enable_shared_from_this<ClientStreamEnd> {
 public:
  using Stream = ClientStream<Payload, Payload>;

  /// `is_closed` says whether the channel is closed. It is read with the GIL, and set before the channel is destroyed.
  ClientStreamEnd(std::shared_ptr<Pump> pump, std::shared_ptr<const bool> is_closed, std::string_view codec)
      : pump_(std::move(pump)), is_closed_(std::move(is_closed)), codec_(codec) {}
  ~ClientStreamEnd();
  ClientStreamEnd(const ClientStreamEnd&) = delete;
  ClientStreamEnd& operator=(const ClientStreamEnd&) = delete;

  /// Returns the object into which the stream reports; see CallOptions::response_info.
  ResponseInfo& reply() noexcept { return reply_; }
  /// Sets the stream of the call. Must be called before the functions below.
  void open(Stream stream) { stream_ = std::move(stream); }

  std::shared_ptr<StreamOperation> begin_read(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  std::shared_ptr<StreamOperation> begin_write(const py::handle& message, bool last,
                                               const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  std::shared_ptr<StreamOperation> begin_close_writes(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  std::shared_ptr<StreamOperation> begin_finish(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  std::shared_ptr<StreamOperation> begin_await_leading(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  void cancel();

  /// Return the metadata: the leading one once a message or the end has been read or begin_await_leading() has ended,
  /// the trailing one after finish(). Both are empty before.
  py::list leading() const { return told(leading_); }
  py::list trailing() const { return told(trailing_); }
  /// Returns the address of the server after the end of the call; empty before.
  std::string peer() const;
  /// Returns the codec of the message that was read last; empty before a read, and for a message without a codec.
  const char* codec() const noexcept { return codec_read_.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<StreamOperation> operation(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  template <class Begin>
  void start(const Begin& begin) const;
  py::list told(const Metadata& metadata) const;
  void after_read(StreamOperation& read);
  void after_write(StreamOperation& write);
  void after_finish(StreamOperation& finish);
  void learn_metadata(StreamOperation& from);

  std::shared_ptr<Pump> pump_;
  std::shared_ptr<const bool> is_closed_;
  std::string_view codec_;
  std::atomic<const char*> codec_read_{""};
  /// The loop's thread uses it.
  ResponseInfo reply_;
  bool has_read_ = false;
  std::optional<Stream> stream_;
  /// The status of the server has been read.
  std::atomic<bool> has_ended_{false};
  /// Guards the members that follow.
  mutable std::mutex mutex_;
  Metadata leading_;
  Metadata trailing_;
  std::string peer_;
};

}  // namespace trunkline::python
