// SPDX-License-Identifier: MIT
// ClientStreamEnd: a streaming call as Python's caller sees it.
#pragma once

#include "stream_operation.h"

#include <trunkline/client_stream.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace trunkline::python {

/// Every operation either waits (no inbox), and gives or raises its outcome, or has it delivered.
class ClientStreamEnd : public std::enable_shared_from_this<ClientStreamEnd> {
 public:
  using Stream = ClientStream<Payload, Payload>;

  ClientStreamEnd(std::shared_ptr<Pump> pump, std::string_view codec, Stream stream)
      : pump_(std::move(pump)), codec_(codec), stream_(std::move(stream)) {}
  ~ClientStreamEnd();
  ClientStreamEnd(const ClientStreamEnd&) = delete;
  ClientStreamEnd& operator=(const ClientStreamEnd&) = delete;

  std::shared_ptr<StreamOperation> begin_read(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  std::shared_ptr<StreamOperation> begin_write(const py::handle& message, bool last,
                                               const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  std::shared_ptr<StreamOperation> begin_close_writes(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  std::shared_ptr<StreamOperation> begin_finish(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  void cancel();

  /// After a message or the end was read, and after finish(), respectively.
  py::list leading() const { return metadata_to_python(stream_->leading()); }
  py::list trailing() const { return metadata_to_python(stream_->trailing()); }
  /// Of what was last read; empty before, and for a message that has none.
  const char* codec() const noexcept { return codec_read_.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<StreamOperation> operation(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  auto handler(StreamOperation& operation);

  std::shared_ptr<Pump> pump_;
  std::string_view codec_;
  std::atomic<const char*> codec_read_{""};
  std::optional<Stream> stream_;
};

}  // namespace trunkline::python
