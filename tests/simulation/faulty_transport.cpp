// SPDX-License-Identifier: MIT
// Delays, partial reads and writes, and breaks.
#include "simulation/faulty_transport.h"

#include <algorithm>
#include <vector>

namespace trunkline::simulation {

namespace {

/// The first `most` bytes of the spans.
template <class Span>
std::vector<Span> shorten(std::span<const Span> spans, std::size_t most) {
  std::vector<Span> out;
  for (const Span& span : spans) {
    const std::size_t size = std::min(span.size(), most);
    if (size > 0) out.push_back(span.first(size));
    most -= size;
  }
  return out;
}

net::IoResult connection_reset() {
  return {.state = net::IoState::failed,
          .error = Status(StatusCode::unavailable, "read: connection reset", StatusOrigin::transport)};
}

}  // namespace

FaultyTransport::FaultyTransport(std::unique_ptr<net::Transport> inner, const TransportFaults& faults)
    : inner_(std::move(inner)),
      faults_(faults),
      random_(faults.seed),
      late_([](base::Timer&, void* self,
               base::TimePoint) { static_cast<FaultyTransport*>(self)->observer_->on_readable(); },
            this) {
  inner_->set_observer(this);
}

void FaultyTransport::count(std::size_t bytes) {
  moved_ += bytes;
  if (broken_ || moved_ < faults_.break_after) return;
  broken_ = true;
  inner_->close();  // the other end sees the end of the stream
  loop().timers().schedule(late_, loop().now());
}

net::IoResult FaultyTransport::read(std::span<const MutableByteSpan> into) {
  if (broken_) return connection_reset();
  const auto spans = shorten(into, 1 + random_.below(faults_.largest_step));
  net::IoResult result = inner_->read({spans.data(), spans.size()});
  count(result.bytes);
  return result;
}

net::IoResult FaultyTransport::write(std::span<const ByteSpan> from) {
  if (broken_) return connection_reset();
  const auto spans = shorten(from, 1 + random_.below(faults_.largest_step));
  net::IoResult result = inner_->write({spans.data(), spans.size()});
  count(result.bytes);
  return result;
}

void FaultyTransport::wait_readable() {
  if (closed_) return;
  if (broken_) {
    loop().timers().schedule(late_, loop().now());
  } else {
    inner_->wait_readable();
  }
}

void FaultyTransport::wait_writable() {
  if (!closed_ && !broken_) inner_->wait_writable();
}

void FaultyTransport::on_readable() {
  if (faults_.delay == base::Duration::zero()) return observer_->on_readable();
  loop().timers().schedule(late_, loop().now() + faults_.delay);
}

void FaultyTransport::close() {
  closed_ = true;
  late_.cancel();
  inner_->close();
}

}  // namespace trunkline::simulation
