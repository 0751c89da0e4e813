// SPDX-License-Identifier: MIT
// StreamCore: the operations and events of a stream.
#include "call/stream_core.h"

#include <string>
#include <utility>

namespace trunkline {

void detail::OperationCanceller::operator()() const {
  std::shared_ptr<StreamPort> port = port_.lock();
  if (port == nullptr) return;
  StreamPort& stream = *port;
  stream.cancel_operation(number_);
  stream.let_go(std::move(port));
}

bool detail::OfferedMessage::end(bool is_wanted) noexcept {
  StreamPort& port = *port_;
  const bool is_taken = port.end_offer(number_, is_wanted, std::move(payload_), codec_);
  port.let_go(std::move(port_));
  return is_taken;
}

Status detail::give_up_status() { return {StatusCode::cancelled, "use stream: the operation was cancelled"}; }

namespace call {

StreamCore::StreamCore(std::shared_ptr<StreamHost> host, const CodecRegistry& codecs)
    : host_(std::move(host)), codecs_(codecs) {}

StreamCore::~StreamCore() = default;

Status StreamCore::no_loop() { return {StatusCode::cancelled, "use stream: its server or channel is gone"}; }

// --- the user's side, any thread ---

void StreamCore::begin(detail::StreamOperation& operation, detail::StreamAction action, MessageView message) {
  if (message.type != nullptr) operation.status = encode(operation, message);
  if (host_->is_on_loop()) return dispatch(operation, action);
  if (host_->has_no_loop()) {
    operation.status = no_loop();
    return host_->complete_unbegun(operation);
  }
  if (Status refused = host_->ensure_runner(); !refused.is_ok()) {
    operation.status = std::move(refused);
    return host_->complete_unbegun(operation);
  }
  host_->post([self = shared_from_this(), &operation, action] { self->dispatch(operation, action); });
}

void StreamCore::run(detail::StreamOperation& operation, detail::StreamAction action, MessageView message) {
  if (message.type != nullptr) operation.status = encode(operation, message);
  if (host_->has_no_loop()) {
    operation.status = no_loop();
    return;
  }
  if (host_->run(operation, [&] { dispatch(operation, action); })) return;
  operation.status = Status(StatusCode::failed_precondition,
                            "use stream: a blocking read or write on the loop's own thread would never end; await it");
}

detail::OperationCanceller StreamCore::canceller_of(detail::StreamOperation& operation, detail::StreamAction action) {
  operation.cancel_number_ = last_cancel_number_.fetch_add(2, std::memory_order_relaxed) + 2;
  if (action == detail::StreamAction::read) ++operation.cancel_number_;
  return {weak_from_this(), operation.cancel_number_};
}

bool StreamCore::end_offer(std::uint64_t number, bool is_wanted, Slice payload, const Codec* codec) noexcept {
  if (is_wanted && mark_of(number).load(std::memory_order_acquire) != number) {
    offer_.store(Offer::none, std::memory_order_release);
    return true;
  }
  returned_ = {.payload = std::move(payload), .codec = codec};
  offer_.store(Offer::returned, std::memory_order_release);
  return false;
}

/// This may be the last reference to the stream, or become it at any moment, and the thread that of another executor:
/// the loop destroys the stream.
void StreamCore::let_go(std::shared_ptr<detail::StreamPort> self) noexcept {
  if (host_->is_on_loop()) return;
  try {
    const std::shared_ptr<StreamHost> host = host_;
    host->post([kept = std::move(self)] {});
  } catch (...) {
    // There is no memory for the task, and the stream ends here.
  }
}

// Gives up an operation. Tasks run in order, so it has been dispatched by then. If nothing keeps it, it is complete.
void StreamCore::cancel_operation(std::uint64_t number) {
  if (number % 2 == 1) {
    // The slot of an earlier read may emit late. That must not undo what a later one has said.
    std::atomic<std::uint64_t>& mark = mark_of(number);
    std::uint64_t known = mark.load(std::memory_order_relaxed);
    while (known < number && !mark.compare_exchange_weak(known, number, std::memory_order_acq_rel)) {
    }
  }
  host_->post([self = shared_from_this(), number] {
    for (detail::StreamOperation* const kept : {self->read_, self->write_, self->finish_, self->await_leading_}) {
      if (kept != nullptr && kept->cancel_number_ == number) return self->withdraw(*kept);
    }
  });
}

Status StreamCore::encode(detail::StreamOperation& operation, MessageView message) {
  const Codec* codec = codec_.load(std::memory_order_relaxed);
  if (message.type->kind == MessageKind::none) {
    codec = nullptr;
  } else if (codec == nullptr || !(is_direct(*codec, *message.type) || codec->supports(*message.type))) {
    Result<const Codec*> chosen = choose_codec(codecs_, {}, *message.type);
    if (!chosen) return std::move(chosen).status();
    codec = *chosen;
  }
  operation.codec_ = codec;
  operation.compressor_ = compressor_for_write();
  ThrownText thrown;
  Status status = encode_message(codec, message, operation.payload_, &thrown);
  if (thrown) return on_codec_exception(status, *thrown);
  if (status.is_ok()) operation.leading_ = take_leading();
  return status;
}

Status StreamCore::on_codec_exception(const Status& status, const std::string& text) {
  return {status.code(), std::string(status.message()) + ": " + text};
}

// --- the loop's side ---

void StreamCore::dispatch(detail::StreamOperation& operation, detail::StreamAction action) {
  if (!operation.status.is_ok()) {
    const Status failed = operation.status;
    complete(operation);
    return on_write_failed(failed);
  }
  switch (action) {
    case detail::StreamAction::read:
      return begin_read(operation);
    case detail::StreamAction::write:
      return begin_write(operation, false);
    case detail::StreamAction::write_last:
      return begin_write(operation, true);
    case detail::StreamAction::close_writes:
      return begin_close(operation);
    case detail::StreamAction::finish:
      return begin_finish(operation);
    case detail::StreamAction::await_leading:
      return begin_await_leading(operation);
  }
}

void StreamCore::fail(detail::StreamOperation& operation, StatusCode code, std::string_view text) {
  operation.status = Status(code, text);
  complete(operation);
}

void StreamCore::begin_read(detail::StreamOperation& operation) {
  if (read_ != nullptr || offer_.load(std::memory_order_acquire) == Offer::pending) {
    return fail(operation, StatusCode::failed_precondition, "read stream: another read of this stream is under way");
  }
  if (!read_error_.is_ok()) {
    operation.status = read_error_;
    return complete(operation);
  }
  read_ = &operation;
  settle_reads();
}

void StreamCore::settle_reads() {
  if (read_ == nullptr) return;
  if (has_returned() || !messages_.empty()) return deliver(*std::exchange(read_, nullptr));
  if (!over_ && (!peer_ended_ || status_follows())) return;
  detail::StreamOperation& operation = *std::exchange(read_, nullptr);
  if (over_ && !peer_ended_) operation.status = after_end();
  complete(operation);
}

/// The message of a read that was given up comes before all others.
bool StreamCore::has_returned() {
  if (offer_.load(std::memory_order_acquire) != Offer::returned) return false;
  if (drops_returned_) static_cast<void>(take_returned());
  return !drops_returned_;
}

/// Its credit has been given back.
UnreadMessages::Message StreamCore::take_returned() {
  offer_.store(Offer::none, std::memory_order_relaxed);
  return std::exchange(returned_, {});
}

void StreamCore::deliver(detail::StreamOperation& operation) {
  const bool is_returned = has_returned();
  UnreadMessages::Message message = is_returned ? take_returned() : messages_.pop();
  ThrownText thrown;
  Status corrupt;
  if (message.compressor != nullptr) {
    const auto decompress = message.is_unsized ? &decompress_unsized_message : &decompress_message;
    corrupt = decompress(*message.compressor, message.decompressed_bytes, message.payload, &thrown);
    if (message.is_unsized && corrupt.is_ok()) on_size_known(message.payload.size());
  }
  operation.status = corrupt;
  if (corrupt.is_ok()) operation.status = decode_message(message.codec, message.payload, operation.into, &thrown);
  if (thrown) operation.status = on_codec_exception(operation.status, *thrown);
  operation.has_message = operation.status.is_ok();
  if (session::Session* const open = is_returned ? nullptr : session()) {
    open->release(id_, message.credit);
    link_->flush();
  }
  // A message that cannot be decoded is offered too: the next read of one that was given up learns of that.
  if (corrupt.is_ok() && operation.cancel_number_ != 0) {
    operation.offered_by_ = shared_from_this();
    operation.payload_ = std::move(message.payload);
    operation.codec_ = message.codec;
    offer_.store(Offer::pending, std::memory_order_relaxed);
  }
  if (!corrupt.is_ok()) read_error_ = operation.status;
  complete(operation);
  if (corrupt.is_ok()) return;
  drop_messages();
  on_read_failed();
}

bool StreamCore::may_write() {
  session::Session* const open = session();
  if (open == nullptr) return false;
  if (written_ahead_ < write_ahead_bytes) return true;
  if (!open->is_writable(id_)) return false;
  written_ahead_ = 0;
  return true;
}

void StreamCore::begin_write(detail::StreamOperation& operation, bool last) {
  if (over_) {
    operation.status = status_.is_ok() ? Status(StatusCode::cancelled, "write stream: the call is over") : after_end();
    return complete(operation);
  }
  if (writes_closed_) {
    return fail(operation, StatusCode::failed_precondition, "write stream: this side of the stream has been closed");
  }
  if (write_ != nullptr) {
    return fail(operation, StatusCode::failed_precondition, "write stream: another write of this stream is under way");
  }
  writes_closed_ = last;
  if (may_write()) return send(operation, last);
  write_ = &operation;
  write_waits_last_ = last;
  write_memory_ = count_waiting(operation.payload_.size());
}

void StreamCore::send(detail::StreamOperation& operation, bool last) {
  session::Session& open = *session();
  session::OutgoingMessage message{.codec = operation.codec_, .compressor = operation.compressor_};
  written_ahead_ += operation.payload_.size() + 16;
  message.payload = std::move(operation.payload_);
  if (!operation.leading_.empty()) owe_leading(std::exchange(operation.leading_, {}));
  const Metadata* const leading = owed_leading_.empty() ? nullptr : &owed_leading_;
  const std::uint64_t taken_before = sent_bytes_ != nullptr ? open.payload_bytes_accepted() : 0;
  operation.status = open.send(id_, message, leading, last);
  if (sent_bytes_ != nullptr) sent_bytes_->add(static_cast<std::int64_t>(open.payload_bytes_accepted() - taken_before));
  if (leading != nullptr && operation.status.is_ok()) owed_leading_.clear();
  if (reports_sent_ && operation.status.is_ok()) on_sent(message);
  if (last && !operation.status.is_ok()) writes_closed_ = false;
  link_->flush();
  const Status status = operation.status;
  complete(operation);
  if (!status.is_ok()) on_write_failed(status);
}

void StreamCore::owe_leading(Metadata&& leading) {
  if (owed_leading_.empty()) {
    owed_leading_ = std::move(leading);
  } else {
    for (const Metadata::Entry& entry : leading) owed_leading_.add(entry.name, entry.value);
  }
}

void StreamCore::begin_close(detail::StreamOperation& operation) {
  if (over_ || writes_closed_) return complete(operation);
  if (write_ != nullptr) {
    return fail(operation, StatusCode::failed_precondition, "close writes: a write of this stream is under way");
  }
  writes_closed_ = true;
  if (session::Session* const open = session()) {
    operation.status = open->send(id_, {}, nullptr, true);
    writes_closed_ = operation.status.is_ok();
    link_->flush();
  } else {
    close_wanted_ = true;
  }
  complete(operation);
}

void StreamCore::begin_finish(detail::StreamOperation& operation) {
  if (!may_finish() || finish_ != nullptr) {
    return fail(operation, StatusCode::failed_precondition, "finish stream: it is being finished already");
  }
  if (over_) {
    operation.status = status_.is_ok() ? read_error_ : status_;
    return complete(operation);
  }
  finish_ = &operation;
}

void StreamCore::begin_await_leading(detail::StreamOperation& operation) {
  if (!may_finish() || await_leading_ != nullptr) {
    return fail(operation, StatusCode::failed_precondition, "await leading metadata: it is being awaited already");
  }
  if (received_) return complete(operation);
  if (over_) {
    operation.status = status_;
    return complete(operation);
  }
  await_leading_ = &operation;
}

void StreamCore::withdraw(detail::StreamOperation& operation) {
  operation.status = detail::give_up_status();
  for (detail::StreamOperation** const kept : {&read_, &write_, &finish_, &await_leading_}) {
    if (*kept != &operation) continue;
    if (kept == &write_ && write_waits_last_) writes_closed_ = false;
    if (kept == &write_) write_memory_ = {};
    *kept = nullptr;
    return complete(operation);
  }
}

// --- the connection's side ---

void StreamCore::attach(std::shared_ptr<StreamLink> link, session::CallId id) {
  link_ = std::move(link);
  id_ = id;
  on_attached();
  if (over_) return;
  if (std::exchange(close_wanted_, false)) {
    static_cast<void>(session()->send(id_, {}, nullptr, true));
    link_->flush();
  }
  on_writable();
}

void StreamCore::detach(bool has_opened_closed) noexcept {
  link_ = nullptr;
  id_ = 0;
  written_ahead_ = 0;
  close_wanted_ = writes_closed_ && write_ == nullptr && !has_opened_closed;
}

void StreamCore::on_message(session::Event& event) {
  if (over_) return;
  received_ = true;
  if (!event.metadata.empty()) leading_ = std::move(event.metadata);
  if (await_leading_ != nullptr) complete(*std::exchange(await_leading_, nullptr));
  if (event.end) peer_ended_ = true;
  if (event.has_message && read_error_.is_ok()) {
    event.is_retained = true;
    messages_.push(event);
  }
  settle_reads();
}

void StreamCore::on_writable() {
  if (write_ == nullptr || over_ || !may_write()) return;
  send(take_write(), write_waits_last_);
}

void StreamCore::end(Status status) {
  if (over_) return;
  status_ = std::move(status);
  over_.store(true, std::memory_order_release);
  if (status_.is_ok()) peer_ended_ = true;
  if (!status_.is_ok()) peer_ended_ = false;
  settle_reads();
  if (write_ != nullptr) {
    write_->status = status_.is_ok() ? Status(StatusCode::cancelled, "write stream: the call is over") : status_;
    complete(take_write());
  }
  if (await_leading_ != nullptr) {
    await_leading_->status = status_;
    complete(*std::exchange(await_leading_, nullptr));
  }
  if (finish_ != nullptr) {
    finish_->status = status_;
    complete(*std::exchange(finish_, nullptr));
  }
}

void StreamCore::drop_messages() {
  drops_returned_ = true;
  if (messages_.empty()) return;
  session::Session* const open = session();
  while (!messages_.empty()) {
    const session::MessageCredit credit = messages_.pop().credit;
    if (open != nullptr) open->release(id_, credit);
  }
  if (open != nullptr) link_->flush();
}

}  // namespace call

}  // namespace trunkline
