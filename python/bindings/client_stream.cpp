// SPDX-License-Identifier: MIT
// ClientStreamEnd: the operations of a client's stream.
#include "client_stream.h"

#include <utility>

namespace trunkline::python {

ClientStreamEnd::~ClientStreamEnd() {
  if (!stream_.has_value()) return;
  if (!pump_->fork_guard().is_here()) {
    // Releasing it would take locks that exist in the parent process only.
    static_cast<void>(new Stream(*std::move(stream_)));
    return;
  }
  std::optional<ReleasedGil> released;
  if (holds_gil() && *is_closed_) released.emplace();  // as in start()
  stream_.reset();
  // Runs the loop, so that the peer is told even if no thread waits for anything.
  if (has_ended_.load(std::memory_order_relaxed) || pump_->net_loop().is_current()) return;
  if (!released && holds_gil()) released.emplace();
  try {
    pump_->lead_once([] {});
  } catch (const std::exception&) {
    // A turn of the loop has failed, which a destructor cannot report.
  }
}

std::shared_ptr<StreamOperation> ClientStreamEnd::operation(const std::shared_ptr<Inbox>& inbox,
                                                            const py::handle& tag) {
  pump_->fork_guard().require("stream");
  auto made = std::make_shared<StreamOperation>(pump_, shared_from_this());
  if (inbox != nullptr) made->deliver_to(inbox, tag);
  return made;
}

/// Calls `begin`, which begins an operation of the stream. Once the channel is closed, the operation may have to wait
/// for another thread that is inside a compressor in Python (DetachedStreams), so it begins without the GIL. Before
/// that it is only posted to the loop.
template <class Begin>
void ClientStreamEnd::start(const Begin& begin) const {
  std::optional<ReleasedGil> released;
  if (*is_closed_) released.emplace();
  begin();
}

/// Copies the metadata for other threads. Runs on the loop's thread, as the functions below do.
void ClientStreamEnd::learn_metadata(StreamOperation& from) {
  if (!from.is_ok()) from.set_reply({stream_->leading(), stream_->trailing(), reply_.peer});
  const std::lock_guard lock(mutex_);
  leading_ = stream_->leading();
  trailing_ = stream_->trailing();
  peer_ = reply_.peer;
}

void ClientStreamEnd::after_read(StreamOperation& read) {
  if (read.has_message() && std::exchange(has_read_, true)) return;
  learn_metadata(read);
  if (read.is_ok() && !read.has_message()) has_ended_.store(true, std::memory_order_relaxed);
}

void ClientStreamEnd::after_write(StreamOperation& write) {
  if (!write.is_ok()) learn_metadata(write);
}

void ClientStreamEnd::after_finish(StreamOperation& finish) {
  learn_metadata(finish);
  if (finish.is_ok()) has_ended_.store(true, std::memory_order_relaxed);
}

py::list ClientStreamEnd::told(const Metadata& metadata) const {
  pump_->fork_guard().require("stream");
  Metadata copy;
  {
    const std::lock_guard lock(mutex_);
    copy = metadata;
  }
  return metadata_to_python(copy);
}

std::string ClientStreamEnd::peer() const {
  pump_->fork_guard().require("stream");
  const std::lock_guard lock(mutex_);
  return peer_;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_read(const std::shared_ptr<Inbox>& inbox,
                                                             const py::handle& tag) {
  auto begun = operation(inbox, tag);
  begun->tell_codec(codec_read_);
  start([&] { stream_->async_read(begun->handler([this](StreamOperation& read) { after_read(read); })); });
  return begun;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_write(const py::handle& message, bool last,
                                                              const std::shared_ptr<Inbox>& inbox,
                                                              const py::handle& tag) {
  auto begun = operation(inbox, tag);
  const OutgoingBytes bytes(message);
  const Payload payload{bytes.slice(), codec_};
  auto handler = begun->handler([this](StreamOperation& write) { after_write(write); });
  start([&] {
    if (last) {
      stream_->async_write_last(payload, std::move(handler));
    } else {
      stream_->async_write(payload, std::move(handler));
    }
  });
  return begun;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_close_writes(const std::shared_ptr<Inbox>& inbox,
                                                                     const py::handle& tag) {
  auto begun = operation(inbox, tag);
  start([&] { stream_->async_close_writes(begun->handler([this](StreamOperation& write) { after_write(write); })); });
  return begun;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_finish(const std::shared_ptr<Inbox>& inbox,
                                                               const py::handle& tag) {
  auto begun = operation(inbox, tag);
  start([&] { stream_->async_finish(begun->handler([this](StreamOperation& finish) { after_finish(finish); })); });
  return begun;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_await_leading(const std::shared_ptr<Inbox>& inbox,
                                                                      const py::handle& tag) {
  auto begun = operation(inbox, tag);
  start([&] { stream_->async_await_leading(begun->handler([this](StreamOperation& wait) { learn_metadata(wait); })); });
  return begun;
}

void ClientStreamEnd::cancel() {
  if (!pump_->fork_guard().is_here()) return;
  const ReleasedGil released;
  stream_->cancel();
  pump_->lead_once([] {});
}

}  // namespace trunkline::python
