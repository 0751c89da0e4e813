// SPDX-License-Identifier: MIT
// Gives streams their turns, as far as the windows of the peer go.
#include "http/http2/send_queue.h"

#include "http/http2/frame.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace trunkline::http::http2 {

namespace {

/// Places of streams that have gone are not worth a search until there are this many.
constexpr std::size_t few_places = 64;
/// A frame that is shorter was cut by a window, not by the length of a message.
constexpr std::size_t worthwhile_bytes = 1024;

}  // namespace

void SendQueue::write_header(Stream& stream, std::size_t size, bool is_end) {
  static_cast<void>(stream.send_window.take(static_cast<std::uint32_t>(size)));
  static_cast<void>(window_.take(static_cast<std::uint32_t>(size)));
  sent_bytes_ += size;
  ++worthwhile_frames_;
  std::byte* const out = output_.reserve(frame_header_bytes);
  http2::write_frame_header({.length = static_cast<std::uint32_t>(size),
                             .type = FrameType::data,
                             .flags = is_end ? flag::end_stream : std::uint8_t{0},
                             .stream = stream.id},
                            out);
  output_.commit(frame_header_bytes);
}

void SendQueue::push(Stream& stream, Slice part, bool ends_message) {
  queued_bytes_ += part.size();
  stream.queued_bytes += part.size();
  if (stream.queue.empty()) stream.ticket = ++tickets_;
  stream.queue.push_back({std::move(part), ends_message});
  make_ready(stream);
}

void SendQueue::drop_queue(Stream& stream) noexcept {
  set_held_back(stream, 0);
  queued_bytes_ -= std::exchange(stream.queued_bytes, 0);
  sent_of_fronts_ -= std::exchange(stream.sent_of_front, 0);
  stream.queue.clear();
}

void SendQueue::make_ready(Stream& stream) {
  if (stream.is_ready) return;
  const bool has_window = stream.send_window.available() > 0;
  set_held_back(stream, !has_window && stream.follows ? stream.queued_bytes + stream.sent_of_front : 0);
  if (!has_window || !stream.has_queue()) return;
  if (places() >= 2 * streams_.size() + few_places) drop_places_of_gone();
  stream.is_ready = true;
  can_pump_ = true;
  if (!is_long(stream)) return ready_.push_back(stream.id);
  long_.push_back({stream.ticket, stream.id});
  std::push_heap(long_.begin(), long_.end(), std::greater<>());
}

/// Drops the places of streams that have gone. Each stream has one place at most.
void SendQueue::drop_places_of_gone() {
  const auto has_gone = [this](std::uint32_t id) { return streams_.find(id) == nullptr; };
  for (std::size_t left = ready_.size(); left > 0; --left) {
    const std::uint32_t id = ready_.pop_front();
    if (!has_gone(id)) ready_.push_back(id);
  }
  std::erase_if(long_, [&](const LongMessage& message) { return has_gone(message.id); });
  std::make_heap(long_.begin(), long_.end(), std::greater<>());
}

Stream* SendQueue::take_next() {
  while (active_.size() < most_long_at_once && !long_.empty()) {
    std::pop_heap(long_.begin(), long_.end(), std::greater<>());
    active_.push_back(long_.back().id);
    long_.pop_back();
  }
  is_long_next_ = !active_.empty() && (ready_.empty() || !is_long_next_);
  return streams_.find(is_long_next_ ? active_.pop_front() : ready_.pop_front());
}

void SendQueue::pump() {
  can_pump_ = false;
  while (has_ready()) {
    if (window_.available() == 0) return;
    if (output_.size() >= target()) {
      can_pump_ = true;
      return;
    }
    Stream* const stream = take_next();
    if (stream == nullptr) continue;
    stream->is_ready = false;
    // SETTINGS may have shut the stream's window meanwhile.
    if (!stream->has_queue() || stream->send_window.available() == 0) {
      make_ready(*stream);
      continue;
    }
    const bool was_long = is_long_next_;
    const auto ticket = stream->ticket;
    if (!write_some(*stream)) {
      on_sent_(owner_, *stream);
    } else if (was_long && stream->ticket == ticket && stream->send_window.available() > 0) {
      // The long message keeps its place until it is sent, even when little of it is left.
      stream->is_ready = true;
      active_.push_back(stream->id);
    } else {
      make_ready(*stream);
    }
  }
}

bool SendQueue::write_some(Stream& stream) {
  Slice& message = stream.queue.front().bytes;
  const std::size_t size = std::min({message.size(), max_frame_bytes(), std::size_t{stream.send_window.available()},
                                     std::size_t{window_.available()}});
  const bool is_last = size == message.size() && stream.queue.size() == 1;
  write_header(stream, size, is_last && stream.ends_with_queue);
  output_.append(message.subslice(0, size));
  message.remove_prefix(size);
  queued_bytes_ -= size;
  stream.queued_bytes -= size;
  stream.sent_of_front += size;
  sent_of_fronts_ += size;
  if (message.empty()) {
    sent_of_fronts_ -= std::exchange(stream.sent_of_front, 0);
    stream.follows = stream.queue.pop_front().ends_message || stream.follows;
    stream.ticket = ++tickets_;
  } else if (size < worthwhile_bytes) {
    --worthwhile_frames_;
  }
  return stream.has_queue();
}

bool SendQueue::add_window(Stream& stream, std::uint32_t bytes) {
  if (!stream.send_window.add(bytes)) return false;
  make_ready(stream);
  return true;
}

bool SendQueue::adjust(Stream& stream, std::uint32_t old_initial, std::uint32_t new_initial) {
  if (!stream.send_window.adjust(old_initial, new_initial)) return false;
  make_ready(stream);
  return true;
}

}  // namespace trunkline::http::http2
