// SPDX-License-Identifier: MIT
// Steps read from a tape.
#include "fuzz/session_driver.h"

#include "fuzz/requirement.h"
#include "kit/frames.h"
#include "wire/body.h"
#include "wire/preface.h"

#include <algorithm>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// AddressSanitizer retains freed memory for a while. With blocks of up to a mebibyte that would exceed the memory
/// limit of libFuzzer.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "quarantine_size_mb=8";
}
#endif
#endif

namespace trunkline::fuzz {

using session::EventType;

std::uint8_t Tape::byte() noexcept {
  if (size_ == 0) return 0;
  --size_;
  return *data_++;
}

std::uint32_t Tape::number(int bytes) noexcept {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= std::uint32_t{byte()} << (8 * i);
  return value;
}

std::string Tape::text(std::size_t size) {
  size = std::min(size, size_);
  std::string out(reinterpret_cast<const char*>(data_), size);
  data_ += size;
  size_ -= size;
  return out;
}

std::size_t Tape::part_of(std::size_t size) noexcept {
  constexpr std::size_t most_parts = 256;
  const std::size_t drawn = std::size_t{1} + byte() * byte();
  return std::max(drawn, size / most_parts);
}

SessionDriver::SessionDriver(session::Role role, const std::uint8_t* data, std::size_t size)
    : role_(role), tape_(data, size) {
  session::SessionOptions options = kit::plain_options();
  const std::uint8_t shape = tape_.byte();
  options.limits.call_credit_bytes = 65536;
  options.limits.connection_credit_bytes = 1 << 20;
  options.limits.max_frame_bytes = 65536;
  options.limits.max_message_bytes = (shape & 1) != 0 ? 100000 : 1 << 20;
  options.limits.max_unread_bytes = 300000;
  options.limits.max_unsent_bytes = (shape & 2) != 0 ? 200 : 100000;
  options.limits.chunk_bytes = (shape & 4) != 0 ? 1024 : 65536;
  options.limits.read_buffer_bytes = (shape & 8) != 0 ? 0 : 4096;
  options.limits.keepalive_interval = std::chrono::milliseconds((shape & 16) != 0 ? 100 : 0);
  options.max_concurrent_calls = (shape & 32) != 0 ? 2 : 100;
  options.ordered = (shape & 64) != 0;
  options.compression_threshold = 10;
  end_ = std::make_unique<kit::SessionEnd>(role, options, timers_, clock_.now());
  end_->on_event = [this](session::Event& event) { on_event(event); };
  if ((shape & 128) == 0) feed(kit::greeting({.compressors = {"snappy"}}));
}

void SessionDriver::run() {
  while (!tape_.empty()) step();
  take_output(static_cast<std::size_t>(-1));
  session().transport_closed({});
  end_->turn();
  require(closed_ && session().open_calls() == 0);
  for (const auto& call : calls_) require(!call->is_open);
}

void SessionDriver::step() {
  switch (tape_.byte() % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      return send_frame();
    case 4:
      return feed(tape_.text(tape_.byte()));
    case 5:
      return feed(kit::preface());
    case 6:
      return take_output(tape_.number(2));
    case 7:
      return take_output(static_cast<std::size_t>(-1));
    case 8:
    case 9:
      return role_ == session::Role::client ? start_call() : end_call();
    case 10:
      return send_message();
    case 11:
      return end_call();
    case 12:
      return release_one();
    case 13:
      return advance(std::chrono::milliseconds(tape_.byte() * 8));
    case 14:
      if (tape_.byte() % 8 == 0) session().drain();
      return end_->turn();
    default:
      if (tape_.byte() % 32 == 0) session().close(Status(StatusCode::internal, "closed by the tape"));
      return end_->turn();
  }
}

/// A frame with a correct length. Everything else comes from the tape.
void SessionDriver::send_frame() {
  kit::FrameSpec frame{.type = static_cast<wire::FrameType>(tape_.byte()), .flags = tape_.byte()};
  const std::uint8_t coding = tape_.byte();
  frame.codec = coding & 3;
  frame.compressor = coding >> 6;
  frame.call = tape_.number((coding & 4) != 0 ? 4 : 1);
  frame.number = tape_.number((coding & 8) != 0 ? 4 : 1);
  const std::uint8_t fields = (coding & 16) != 0 ? tape_.byte() : 0;
  if ((fields & 1) != 0) frame.method = "m/" + std::to_string(fields >> 5);
  if ((fields & 2) != 0) frame.timeout_us = tape_.number(2) * 1000u;
  if ((fields & 4) != 0) frame.message_bytes = tape_.number((fields & 8) != 0 ? 4 : 2);
  if ((fields & 16) != 0) frame.metadata.add("name", "value");
  if (fields == 0) frame.flags &= (coding & 32) != 0 ? 0xFFu : 0xFEu;
  frame.body = tape_.text(tape_.byte());
  if ((coding & 32) != 0) frame.body.resize(frame.body.size() + tape_.number(2) % 70000u, 'x');
  feed(frame.bytes());
}

void SessionDriver::feed(std::string_view bytes) {
  const std::size_t part = tape_.part_of(bytes.size());
  while (!bytes.empty()) {
    const std::size_t taken = end_->feed(bytes.substr(0, part), clock_.now());
    if (taken == 0) return take_output(static_cast<std::size_t>(-1));
    static_cast<void>(watch_.saw(role_ == session::Role::client ? wire::Sender::server : wire::Sender::client,
                                 bytes.substr(0, taken)));
    bytes.remove_prefix(taken);
    end_->turn();
  }
}

void SessionDriver::take_output(std::size_t most) {
  const std::string bytes = end_->take_output(most);
  check_output(bytes);
  end_->turn();
}

void SessionDriver::check_output(std::string_view bytes) {
  const wire::Sender self = role_ == session::Role::client ? wire::Sender::client : wire::Sender::server;
  require(watch_.saw(self, bytes).empty());
  output_ += bytes;
  std::size_t at = 0;
  if (!past_preface_ && output_.size() >= wire::preface.size()) {
    require(std::string_view(output_).starts_with(kit::preface()));
    at = wire::preface.size();
    past_preface_ = true;
  }
  while (past_preface_ && output_.size() - at >= wire::header_bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(output_.data() + at);
    const wire::FrameHeader header = wire::read_header(begin);
    Status why;
    require(wire::check_header(header, self, why) == wire::FrameVerdict::accept);
    if (output_.size() - at - wire::header_bytes < header.length) break;
    const ByteSpan body(begin + wire::header_bytes, header.length);
    if (header.has(wire::flag::headers)) {
      wire::FrameBody parts;
      wire::HeaderBlock block;
      require(wire::split_body(header, body, 1 << 20, parts).is_ok());
      require(wire::read_header_block(parts.fields, header.type, block).is_ok());
    }
    at += wire::header_bytes + header.length;
  }
  output_.erase(0, at);
}

void SessionDriver::on_event(session::Event& event) {
  require(!closed_);
  if (event.context != nullptr) require(static_cast<Call*>(event.context)->is_open);
  if (event.context != nullptr) require(static_cast<Call*>(event.context)->id == event.id);
  if (event.has_message) {
    unsigned sum = 0;  // every byte must be readable
    for (const std::byte byte : event.payload) sum += std::to_integer<unsigned>(byte);
    require(sum <= 255 * event.payload.size());
    if (tape_.byte() % 4 == 0) {
      event.is_retained = true;
      retained_.emplace_back(event.id, event.credit);
    }
  }
  switch (event.type) {
    case EventType::call:
      return on_call(event);
    case EventType::finished:
    case EventType::cancelled:
      return on_end(event);
    case EventType::closed:
      closed_ = true;
      return;
    default:
      return;
  }
}

void SessionDriver::on_call(session::Event& event) {
  require(role_ == session::Role::server && !event.method_name.empty());
  switch (tape_.byte() % 4) {
    case 0:
      return;  // the session must finish the call
    case 1:
      static_cast<void>(session().finish(event.id, {}, draw_message(), nullptr, false));
      return;
    default:
      calls_.push_back(std::make_unique<Call>(Call{event.id}));
      session().attach(event.id, calls_.back().get());
  }
}

void SessionDriver::on_end(session::Event& event) {
  require(event.context != nullptr);
  if (!event.needs_finish) static_cast<Call*>(event.context)->is_open = false;
  require(role_ == session::Role::client || !event.status.is_ok());
}

SessionDriver::Call* SessionDriver::pick() {
  const std::size_t start = tape_.byte();
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Call* call = calls_[(start + i) % calls_.size()].get();
    if (call->is_open) return call;
  }
  return nullptr;
}

session::OutgoingMessage SessionDriver::draw_message() {
  const std::uint8_t kind = tape_.byte();
  if (kind % 8 == 0) return {};
  const std::size_t size = kind % 8 == 7 ? tape_.number(2) * 3u : tape_.byte();
  return kit::payload(std::string(size, 'y'), kind >= 128 ? &kit::snappy() : nullptr);
}

void SessionDriver::start_call() {
  if (!session().can_start()) return;
  const std::uint8_t shape = tape_.byte();
  Metadata metadata;
  if ((shape & 1) != 0) metadata.add("name", std::string(tape_.byte(), 'v'));
  auto call = std::make_unique<Call>();
  const std::string name = "m/" + std::to_string(shape % 3);
  session::CallStart begin{.method = {shape % 3u, name},
                           .metadata = &metadata,
                           .end = (shape & 8) == 0,
                           .one_way = (shape & 16) != 0,
                           .context = call.get(),
                           .now = clock_.now()};
  if ((shape & 32) != 0) begin.deadline = clock_.now() + std::chrono::milliseconds(tape_.byte());
  const Result<session::CallId> id = session().start(begin, draw_message());
  if (!id.is_ok()) return end_->turn();
  call->id = *id;
  call->is_open = !begin.one_way;  // a one-way call is over: it must have no event
  calls_.push_back(std::move(call));
  end_->turn();
}

void SessionDriver::send_message() {
  if (Call* call = pick()) {
    const std::uint8_t shape = tape_.byte();
    Metadata leading;
    if ((shape & 2) != 0) leading.add("leading", "value");
    static_cast<void>(session().is_writable(call->id));
    static_cast<void>(session().send(call->id, draw_message(), &leading, (shape & 1) != 0));
  }
  end_->turn();
}

void SessionDriver::end_call() {
  if (Call* call = pick()) {
    call->is_open = false;
    const std::uint8_t shape = tape_.byte();
    if (role_ == session::Role::client) {
      session().cancel(call->id, StatusCode::cancelled);
    } else if ((shape & 1) != 0) {
      static_cast<void>(session().finish(call->id, Status(StatusCode::aborted, "text"), {}, nullptr, (shape & 2) != 0));
    } else {
      Metadata trailing;
      if ((shape & 4) != 0) trailing.add("trailing", "value");
      static_cast<void>(session().finish(call->id, {}, draw_message(), &trailing, false));
    }
  }
  end_->turn();
}

void SessionDriver::release_one() {
  if (retained_.empty()) return;
  session().release(retained_.back().first, retained_.back().second);
  retained_.pop_back();
  end_->turn();
}

void SessionDriver::advance(base::Duration by) {
  clock_.advance(by);
  timers_.advance(clock_.now());
  end_->turn();
}

}  // namespace trunkline::fuzz
