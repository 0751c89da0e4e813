// SPDX-License-Identifier: MIT
// Operations of a client's stream.
#include "client_stream.h"

#include <utility>

namespace trunkline::python {

ClientStreamEnd::~ClientStreamEnd() {
  if (!pump_->birthplace().is_here()) {
    // Letting go of it would take locks that stayed in the parent process.
    static_cast<void>(new Stream(*std::move(stream_)));
    return;
  }
  stream_.reset();
  // The peer is to hear of it also if nobody waits for anything.
  if (!pump_->net_loop().is_current()) pump_->lead_once([] {});
}

std::shared_ptr<StreamOperation> ClientStreamEnd::operation(const std::shared_ptr<Inbox>& inbox,
                                                            const py::handle& tag) {
  pump_->birthplace().require("stream");
  auto made = std::make_shared<StreamOperation>(pump_, shared_from_this());
  if (inbox != nullptr) made->deliver_to(inbox, tag);
  return made;
}

auto ClientStreamEnd::handler(StreamOperation& operation) {
  return operation.handler([stream = &*stream_](Metadata& leading, Metadata& trailing) {
    leading = stream->leading();
    trailing = stream->trailing();
  });
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_read(const std::shared_ptr<Inbox>& inbox,
                                                             const py::handle& tag) {
  auto begun = operation(inbox, tag);
  begun->tell_codec(codec_read_);
  stream_->async_read(handler(*begun));
  return begun;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_write(const py::handle& message, bool last,
                                                              const std::shared_ptr<Inbox>& inbox,
                                                              const py::handle& tag) {
  auto begun = operation(inbox, tag);
  const OutgoingBytes bytes(message);
  const Payload payload{bytes.slice(), codec_};
  if (last) {
    stream_->async_write_last(payload, handler(*begun));
  } else {
    stream_->async_write(payload, handler(*begun));
  }
  return begun;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_close_writes(const std::shared_ptr<Inbox>& inbox,
                                                                     const py::handle& tag) {
  auto begun = operation(inbox, tag);
  stream_->async_close_writes(handler(*begun));
  return begun;
}

std::shared_ptr<StreamOperation> ClientStreamEnd::begin_finish(const std::shared_ptr<Inbox>& inbox,
                                                               const py::handle& tag) {
  auto begun = operation(inbox, tag);
  stream_->async_finish(handler(*begun));
  return begun;
}

void ClientStreamEnd::cancel() {
  if (!pump_->birthplace().is_here()) return;
  const ReleasedGil released;
  stream_->cancel();
  pump_->lead_once([] {});
}

}  // namespace trunkline::python
