// SPDX-License-Identifier: MIT
// Pumps a session.
#include "kit/session_end.h"

#include "codec/bytes_codec.h"
#include "compression/snappy_compressor.h"

#include <algorithm>
#include <array>

namespace trunkline::kit {

const CodecRegistry& bytes_codecs() {
  static const CodecRegistry registry = CodecRegistry().add(std::make_shared<codec::BytesCodec>());
  return registry;
}

const CompressorRegistry& snappy_compressors() {
  static const CompressorRegistry registry =
      CompressorRegistry().add(std::make_shared<compression::SnappyCompressor>());
  return registry;
}

const Codec& bytes_codec() { return *bytes_codecs().find("bytes"); }
const Compressor& snappy() { return *snappy_compressors().find("snappy"); }

session::SessionOptions plain_options() {
  // Windows that grow would add pings to what tests count.
  return {.limits = {.max_call_credit_bytes = 0}, .codecs = &bytes_codecs(), .compressors = &snappy_compressors()};
}

session::OutgoingMessage payload(std::string_view bytes, const Compressor* compressor) {
  return {.codec = &bytes_codec(), .compressor = compressor, .payload = Slice::copy_of(bytes)};
}

session::OutgoingMessage direct(const std::string& text) {
  return {.codec = &bytes_codec(), .message = MessageView::of(text)};
}

SessionEnd::SessionEnd(session::Role role, const session::SessionOptions& options, base::TimerWheel& timers,
                       base::TimePoint now, std::shared_ptr<session::MemoryAccount> account,
                       const session::Protocol& protocol)
    : options_(options),
      session_(protocol.make_session({.role = role,
                                      .options = options_,
                                      .timers = timers,
                                      .owner = *this,
                                      .now = now,
                                      .account = std::move(account)})) {}

std::size_t SessionEnd::feed(std::string_view bytes, base::TimePoint now) {
  std::array<MutableByteSpan, 2> room;
  const std::size_t count = session_->prepare_receive(room);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = std::min(room[i].size(), bytes.size() - taken);
    if (size > 0) std::memcpy(room[i].data(), bytes.data() + taken, size);
    taken += size;
    if (size < room[i].size()) break;
  }
  if (taken > 0) session_->received(taken, now);
  return taken;
}

void SessionEnd::turn() {
  if (in_turn_) return;
  in_turn_ = true;
  while (session_->next(event_)) {
    if (event_.is_compressed && on_compressed) {
      on_compressed(event_);
      continue;
    }
    if (event_.is_compressed && !decompress()) continue;
    if (on_event) on_event(event_);
  }
  in_turn_ = false;
}

bool SessionEnd::decompress() {
  Status status = session_->decompress(event_);
  // A further message of a call is left as it is: its content will be found to be wrong.
  if (status.is_ok() || event_.type != session::EventType::call) return true;
  if (session_->is_ordered()) {
    event_.status = std::move(status);
    return true;
  }
  static_cast<void>(session_->finish(event_.id, status, {}, nullptr, true));
  return false;
}

std::string SessionEnd::take_output(std::size_t most) {
  std::string out;
  while (out.size() < most && session_->has_output()) {
    std::array<ByteSpan, 8> spans;
    const std::size_t count = session_->gather(spans);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count && out.size() < most; ++i) {
      const std::size_t size = std::min(spans[i].size(), most - out.size());
      out += as_text(spans[i].first(size));
      taken += size;
      if (size < spans[i].size()) break;
    }
    if (taken == 0) break;
    session_->wrote(taken);
  }
  return out;
}

}  // namespace trunkline::kit
