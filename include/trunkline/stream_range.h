// SPDX-License-Identifier: MIT
// StreamRange: the messages of a stream as a range, for blocking reads.
#pragma once

#include <trunkline/detail/stream_completion.h>

#include <cstddef>
#include <iterator>

namespace trunkline {

/// A range for `for (Message& message : stream.messages(status))`. It ends at the end of the stream or at an error,
/// which `status` then holds. It can be iterated once; the stream and `status` must outlive it.
template <class Message>
class StreamRange {
 public:
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Message;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(StreamRange* range) : range_(range) {}
    Message& operator*() const noexcept { return *range_->message_; }
    Message* operator->() const noexcept { return &*range_->message_; }
    Iterator& operator++() { return range_->advance(), *this; }
    void operator++(int) { range_->advance(); }
    bool operator==(std::default_sentinel_t) const noexcept { return !range_->message_.has_value(); }

   private:
    StreamRange* range_;
  };

  StreamRange(detail::StreamPort& port, Status& status) : port_(&port), status_(&status) {}
  Iterator begin() { return advance(), Iterator(this); }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  void advance() {
    Result<std::optional<Message>> next = detail::read<Message>(*port_);
    *status_ = next.status();
    message_ = next ? *std::move(next) : std::nullopt;
  }

  detail::StreamPort* port_;
  Status* status_;
  std::optional<Message> message_;
};

}  // namespace trunkline
