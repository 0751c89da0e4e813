// SPDX-License-Identifier: MIT
// Gives the parts of a gRPC session their turns, and runs its streams, timers and end.
#include "session/grpc/grpc_session.h"

#include "base/exception_text.h"
#include "http/http2/frame_writer.h"
#include "session/decompression.h"
#include "session/grpc/request_reader.h"
#include "session/grpc/response_writer.h"
#include "session/web/encoded_message.h"
#include "session/web/message_limits.h"
#include "session/web/message_prefix.h"
#include "session/web/metadata_fields.h"
#include "session/web/response_body.h"
#include "session/web/text_body.h"
#include "wire/foreign_peer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace trunkline::session::grpc {

namespace {

using http::http2::ErrorCode;
using http::http2::ErrorScope;
using http::http2::Frame;
using http::http2::FrameType;
using http::http2::Setting;
using http::http2::SettingId;
using http::http2::StreamInput;
using http::http2::StreamState;
using http::http2::StreamTransition;
using http::http2::StreamVerdict;
namespace flag = http::http2::flag;

constexpr std::size_t steps_per_pause = 512;
/// A stream takes this much memory beside its messages.
constexpr std::size_t bytes_per_stream = 512;

http::http2::Sender side_of(Role role) noexcept {
  return role == Role::server ? http::http2::Sender::server : http::http2::Sender::client;
}
http::http2::Sender peer_of(Role role) noexcept {
  return role == Role::server ? http::http2::Sender::client : http::http2::Sender::server;
}

/// A list over max_header_bytes ends its call alone, and what is beyond the limit is skipped, if its block is no longer
/// than this. A longer one ends the connection.
constexpr std::uint32_t most_skipped_bytes = 1 << 20;

bool is_http1(std::string_view foreign_peer) noexcept { return foreign_peer == "HTTP/1"; }

}  // namespace

GrpcSession::GrpcSession(const SessionParameters& parameters)
    : role_(parameters.role),
      options_(parameters.options),
      timers_(parameters.timers),
      owner_(parameters.owner),
      now_(parameters.now),
      encodings_(options_.compressors),
      input_(options_.limits.read_buffer_bytes),
      reader_(std::max(4 * options_.limits.max_header_bytes, most_skipped_bytes), peer_of(role_)),
      exchange_(peer_of(role_)),
      flood_(now_),
      queue_(options_.limits, exchange_.peer(), streams_.table(), output_, &on_sent, this),
      windows_(side_of(role_), options_.limits, output_),
      memory_share_(options_.memory, parameters.account),
      memory_(options_.limits, memory_share_, streams_, windows_),
      local_events_(owner_),
      keepalive_(role_, options_.limits, timers_, &on_keepalive_timer, this, now_),
      stall_(options_.limits, timers_, &on_stall_timer, this),
      input_watch_(options_.limits, timers_, &on_input_timer, this),
      memory_retry_(timers_, &on_memory_timer, this) {}

GrpcSession::~GrpcSession() = default;

// --- input ---

std::size_t GrpcSession::prepare_receive(std::array<MutableByteSpan, 2>& out) {
  if (is_stalled_) {
    input_watch_.hold_up();
    return 0;
  }
  // The application of this connection keeps memory used up if it has yet to take this much.
  constexpr std::size_t least_unread = 64 << 10;
  is_paused_for_memory_ = !is_closed_ && memory_share_.is_used_up() && memory_.unread() >= least_unread;
  if (is_paused_for_memory_) {
    input_watch_.hold_up();
    memory_retry_.wait(now_);
    return 0;
  }
  return input_.prepare(out);
}

void GrpcSession::received(std::size_t size, base::TimePoint now) {
  now_ = now;
  keepalive_.received(now);
  input_watch_.received(size);
  input_.commit(size);
}

bool GrpcSession::next(Event& event) {
  settle_current_event(event);
  for (;;) {
    if (!local_events_.empty()) {
      LocalEvent local = local_events_.pop();
      event.type = local.type;
      event.id = local.id;
      event.context = local.context;
      event.status = std::move(local.status);
      return true;
    }
    if (is_closed_) {
      if (take_closing_event(event)) return true;
      memory_share_.set_waiting(MemoryShare::Shortage::nothing);
      count_held();
      return false;
    }
    if (update_stall() && !is_opening_) return end_turn();
    const Step step = read_frame(event);
    if (step == Step::event) return true;
    if (step == Step::needs_input) {
      input_.release_unused();
      return end_turn();
    }
    if (++quiet_steps_ % steps_per_pause == 0) {
      event.clear();
      event.type = EventType::pause;
      event.id = 0;
      return true;
    }
  }
}

GrpcSession::Step GrpcSession::read_frame(Event& event) {
  if (data_stream_ != 0) return take_data(event);
  consume_frame();
  if (is_opening_ && !defers_event()) {
    hand_out(*streams_.unlisted(), event);
    return Step::event;
  }
  Frame frame;
  const auto outcome = reader_.next({input_.data(), input_.size()}, frame_bytes_, frame);
  if (outcome == http::http2::FrameReader::Outcome::error) {
    return fail(reader_.error().code, std::string(reader_.error().reason) + guess_about_server());
  }
  if (outcome == http::http2::FrameReader::Outcome::needs_input) {
    consume_frame();
    input_.need(reader_.needed());
    return take_deferred(event) ? Step::event : Step::needs_input;
  }
  return take_frame(frame, event);
}

void GrpcSession::consume_frame() { input_.consume(std::exchange(frame_bytes_, 0)); }

bool GrpcSession::is_permitted(const http::http2::FrameHeader& header) noexcept {
  if (header.type != FrameType::window_update) return flood_.add(now_);
  return flood_.add_window_update(now_, queue_.worthwhile_frames(), queue_.sent_bytes());
}

GrpcSession::Step GrpcSession::take_frame(const Frame& frame, Event& event) {
  const FrameType type = frame.header.type;
  if (type == FrameType::rst_stream) {
    // The layer above learns of each call before it learns of its end. The frame is read again.
    GrpcStream* const stream = streams_.find(frame.header.stream);
    if (stream != nullptr && is_unseen(*stream)) {
      frame_bytes_ = 0;
      hand_out(*stream, event);
      return Step::event;
    }
  }
  // It depends on what HEADERS say whether they are work.
  const bool is_work = type == FrameType::data && !frame.payload.empty();
  if (is_work) {
    flood_.worked();
  } else if (type != FrameType::headers && !is_permitted(frame.header)) {
    return fail(ErrorCode::enhance_your_calm, "too many frames without a purpose");
  }
  if (frame.error && type != FrameType::headers) {
    GrpcStream* const stream = streams_.find(frame.header.stream);
    // An idle stream cannot be reset (RFC 9113, section 6.4).
    if (streams_.is_idle(frame.header.stream)) return fail(frame.error.code, frame.error.reason);
    if (stream == nullptr) {
      // PRIORITY may come after the end of its stream.
      if (!streams_.may_be_reset(frame.header.stream)) refuse_stream(frame.header.stream, frame.error.code);
      return Step::again;
    }
    return reset_stream(*stream, frame.error.code, frame.error.reason, event);
  }
  switch (type) {
    case FrameType::data:
      return on_data(frame, event);
    case FrameType::headers:
      return on_headers(frame, event);
    case FrameType::rst_stream:
      return on_reset(frame, event);
    case FrameType::settings:
      return on_settings(frame, event);
    case FrameType::window_update:
      return on_window_update(frame, event);
    case FrameType::goaway:
      return on_goaway(frame, event);
    case FrameType::ping:
      return on_ping(frame);
    case FrameType::push_promise:
      return fail(ErrorCode::protocol_error, "the peer has sent PUSH_PROMISE");
    case FrameType::priority: {
      http::http2::Priority priority;
      if (const auto error = http::http2::read_priority(frame.header, frame.payload, priority); !error)
        return Step::again;
      if (GrpcStream* const stream = streams_.find(frame.header.stream)) {
        return reset_stream(*stream, ErrorCode::protocol_error, "a stream depends on itself", event);
      }
      // An idle stream cannot be reset (RFC 9113, section 6.4).
      if (streams_.is_idle(frame.header.stream)) {
        return fail(ErrorCode::protocol_error, "a stream depends on itself");
      }
      if (!streams_.may_be_reset(frame.header.stream)) {
        refuse_stream(frame.header.stream, ErrorCode::protocol_error);
      }
      return Step::again;
    }
    default:
      return Step::again;
  }
}

GrpcSession::Step GrpcSession::on_data(const Frame& frame, Event& event) {
  const http::http2::FrameHeader& header = frame.header;
  const StreamInput input = header.has(flag::end_stream) ? StreamInput::receive_data_end : StreamInput::receive_data;
  if (!windows_.charge(header.length))
    return fail(ErrorCode::flow_control_error, "DATA beyond the connection's window");
  GrpcStream* const stream = streams_.find(header.stream);
  if (stream == nullptr) {
    windows_.give_back(header.length);
    if (streams_.is_idle(header.stream)) return fail(ErrorCode::protocol_error, "DATA on a stream that is idle");
    // A client has cancelled the call, maybe long ago.
    const bool is_late = role_ == Role::client || streams_.may_be_reset(header.stream);
    if (!is_late) refuse_stream(header.stream, ErrorCode::stream_closed);
    return Step::again;
  }
  if (role_ == Role::client && !stream->has_response) {
    windows_.give_back(header.length);
    return reset_stream(*stream, ErrorCode::protocol_error, "DATA before the headers of the response", event);
  }
  const StreamTransition step = transition(stream->state, input);
  if (step.action != StreamVerdict::accept || !http::http2::ReceiveWindows::charge(*stream, header.length)) {
    windows_.give_back(header.length);
    const bool is_late = step.action != StreamVerdict::accept;
    return reset_stream(*stream, is_late ? step.code : ErrorCode::flow_control_error,
                        is_late ? "DATA after END_STREAM" : "DATA beyond the stream's window", event);
  }
  if (!stream->take_content(frame.payload.size(), header.has(flag::end_stream))) {
    windows_.give_back(header.length);
    return reset_stream(*stream, ErrorCode::protocol_error, "content-length is not the size of DATA", event);
  }
  if (!stream->is_finished) sample_bandwidth(header.length);
  stream->state = step.next;
  const auto padding = header.length - static_cast<std::uint32_t>(frame.payload.size());
  windows_.give_back(padding);
  windows_.give_back(*stream, padding);
  data_ = frame.payload;
  data_stream_ = header.stream;
  data_ends_ = header.has(flag::end_stream);
  if (uses_text_ && !stream->is_finished && !decode_text(*stream)) [[unlikely]] {
    return break_call(*stream, {StatusCode::internal, "receive message: the body is not base64"}, event);
  }
  return take_data(event);
}

/// Replaces the data, which are text, with the bytes that they encode. Returns false if they are not base64.
bool GrpcSession::decode_text(GrpcStream& stream) {
  const std::size_t letters = stream.text.held() + data_.size();
  BufferWriter bytes;
  const bool is_base64 = stream.text.decode(as_text(data_), bytes);
  text_data_ = is_base64 ? bytes.take() : Slice();
  data_ = text_data_.bytes();
  // There are more letters than bytes, and nobody else gives them back.
  const auto spent = static_cast<std::uint32_t>(letters - stream.text.held() - data_.size());
  windows_.give_back(spent);
  windows_.give_back(stream, spent);
  return is_base64;
}

GrpcSession::Step GrpcSession::take_data(Event& event) {
  GrpcStream* const stream = streams_.find(data_stream_);
  if (stream == nullptr || stream->is_finished) {
    const bool ends = data_ends_;
    drop_data();
    // A client has one-way calls, whose streams stay until the server ends them.
    return stream != nullptr && ends && role_ == Role::client ? on_peer_end(*stream, event) : Step::again;
  }
  if (stream->is_web() && web::takes_body(stream->format)) return take_body(*stream, event);
  while (!data_.empty()) {
    const Step step = take_message(*stream, event);
    if (step != Step::needs_input) return step;
  }
  const bool ends = std::exchange(data_ends_, false);
  data_stream_ = 0;
  return ends ? on_peer_end(*stream, event) : Step::again;
}

/// Nobody wants what is left of the frame.
void GrpcSession::drop_data() {
  const auto size = static_cast<std::uint32_t>(data_.size());
  windows_.give_back(size);
  if (GrpcStream* const stream = streams_.find(data_stream_)) discard(*stream, size);
  data_ = {};
  data_stream_ = 0;
  data_ends_ = false;
}

/// Takes one message, or a part of one, from the front of the data. needs_input means that it goes on in another frame.
GrpcSession::Step GrpcSession::take_message(GrpcStream& stream, Event& event) {
  web::MessageAssembly& assembly = stream.assembly;
  if (!assembly.has_prefix()) {
    if (stream.outcome != nullptr && stream.outcome->is_of_headers) [[unlikely]]
      return show_headers(stream, event);
    if (!assembly.read_prefix(data_)) return Step::needs_input;
    const std::uint64_t limit = most_bytes(stream);
    if (assembly.flag() > 1 && !is_end_message(stream)) {
      return break_call(stream, {code_of_bad_message(stream), "receive message: bad prefix"}, event);
    }
    if (stream.outcome != nullptr && stream.outcome->status) {
      return break_call(stream, {StatusCode::internal, "receive message: it comes after the end of the response"},
                        event);
    }
    if (assembly.length() > limit) return break_call(stream, web::message_over_limit(assembly.length(), limit), event);
    if ((assembly.flag() & web::compressed_flag) != 0 && stream.received_compressor == nullptr) {
      return break_call(
          stream,
          {StatusCode::internal, "receive message: it is compressed without a grpc-encoding that this side knows"},
          event);
    }
  }
  if (!assembly.is_gathering()) {
    const std::uint32_t length = assembly.length();
    if (data_.size() >= length) {
      const ByteSpan payload = data_.first(length);
      data_ = data_.subspan(length);
      const bool is_compressed = (assembly.flag() & web::compressed_flag) != 0;
      const bool is_end = assembly.flag() > 1;
      static_cast<void>(assembly.take());
      if (is_end) [[unlikely]] {
        windows_.give_back(std::uint32_t{web::message_prefix_bytes} + length);
        windows_.give_back(stream, std::int64_t{web::message_prefix_bytes} + length);
        return take_end(stream, payload, is_compressed, event);
      }
      if (is_compressed) event.compressor = stream.received_compressor;
      constexpr auto prefix = static_cast<std::uint32_t>(web::message_prefix_bytes);
      show_message(stream, payload, data_block(), {prefix + length, prefix + length, web::record_bytes - prefix},
                   event);
      return Step::event;
    }
    if (web::message_prefix_bytes + std::uint64_t{assembly.length()} > reader_.max_frame_bytes()) allow_long_frames();
    memory_.begin(stream, is_request(stream), now_);
  }
  const auto size = static_cast<std::uint32_t>(std::min(assembly.missing(), data_.size()));
  assembly.add(data_.first(size));
  data_ = data_.subspan(size);
  memory_.add(stream, size);
  if (assembly.missing() > 0) return Step::needs_input;
  const std::uint32_t length = assembly.length();
  const std::uint32_t withheld = memory_.end(stream);
  if (assembly.flag() > 1) [[unlikely]] {
    const bool is_compressed = (assembly.flag() & web::compressed_flag) != 0;
    const Slice payload = assembly.take();
    windows_.give_back(stream, withheld);
    return take_end(stream, payload.bytes(), is_compressed, event);
  }
  if (assembly.flag() == 1) event.compressor = stream.received_compressor;
  payload_ = assembly.take();
  show_message(stream, payload_.bytes(), payload_.block(), {0, withheld, length - withheld + web::record_bytes}, event);
  return Step::event;
}

/// There is a message that does not fit into a frame of the size that was announced, and others like it will follow.
/// Connections with short messages keep the size that every peer knows, also for header blocks.
void GrpcSession::allow_long_frames() {
  if (reader_.max_frame_bytes() >= long_frame_bytes) return;
  reader_.raise_max_frame_bytes(long_frame_bytes);
  http::http2::append_settings(std::array{Setting{SettingId::max_frame_size, long_frame_bytes}}, control_);
  write_control();
}

/// The request is a body, which is one message.
GrpcSession::Step GrpcSession::take_body(GrpcStream& stream, Event& event) {
  const bool ends = std::exchange(data_ends_, false);
  data_stream_ = 0;
  if (stream.is_get && !data_.empty()) {
    windows_.give_back(static_cast<std::uint32_t>(std::exchange(data_, {}).size()));
    return break_call(stream, {StatusCode::invalid_argument, "receive message: a GET has content"}, event);
  }
  if (!ends || stream.assembly.is_gathering()) {
    const Step step = gather_body(stream, event);
    return step == Step::needs_input && ends ? end_body(stream, event) : step == Step::needs_input ? Step::again : step;
  }
  const bool may_be_empty = web::may_be_empty(stream.format) && !stream.is_get;
  if (data_.empty() && !may_be_empty) return on_peer_end(stream, event);
  const ByteSpan body = std::exchange(data_, {});
  const auto length = static_cast<std::uint32_t>(body.size());
  if (length > most_bytes(stream)) {
    windows_.give_back(length);
    return refuse_body(stream, length, event);
  }
  event.end = true;
  return show_body(stream, Slice::share(input_.block(), body.data(), body.size()), {length, length, web::record_bytes},
                   event);
}

/// Gathers what has come of a body. needs_input means that all of it was taken.
GrpcSession::Step GrpcSession::gather_body(GrpcStream& stream, Event& event) {
  // A body whose length is not known is expected to have this many bytes. A longer one asks for more room as it comes.
  constexpr std::uint64_t first_expected = 64 << 10;
  const std::uint64_t limit = std::min<std::uint64_t>(most_bytes(stream), 0xFFFFFFFF);
  web::MessageAssembly& assembly = stream.assembly;
  while (!data_.empty()) {
    const std::uint64_t known = assembly.is_gathering() ? assembly.gathered() : 0;
    const std::uint64_t least = known + data_.size();
    const std::uint64_t whole = stream.content_left ? least + *stream.content_left : least;
    if (whole > limit) {
      windows_.give_back(static_cast<std::uint32_t>(std::exchange(data_, {}).size()));
      return refuse_body(stream, whole, event);
    }
    if (whole > reader_.max_frame_bytes()) allow_long_frames();
    if (!assembly.is_gathering()) {
      assembly.expect(static_cast<std::uint32_t>(stream.content_left ? whole : std::min(limit, first_expected)));
      memory_.begin(stream, is_request(stream), now_);
    } else if (assembly.missing() == 0) {
      memory_.extend(stream, static_cast<std::uint32_t>(std::min(limit, 2 * known)), now_);
    }
    const auto size = static_cast<std::uint32_t>(std::min(assembly.missing(), data_.size()));
    assembly.add(data_.first(size));
    data_ = data_.subspan(size);
    memory_.add(stream, size);
  }
  return Step::needs_input;
}

/// Refuses a body that has, or would have, `size` bytes.
GrpcSession::Step GrpcSession::refuse_body(GrpcStream& stream, std::uint64_t size, Event& event) {
  if (role_ == Role::server) {
    constexpr std::uint32_t content_too_large = 413;
    if (stream.web == nullptr) stream.web = std::make_unique<WebResponse>();
    stream.web->http_error = content_too_large;
  }
  return break_call(stream, web::message_over_limit(size, most_bytes(stream)), event);
}

/// All of the body has been gathered.
GrpcSession::Step GrpcSession::end_body(GrpcStream& stream, Event& event) {
  const std::uint32_t withheld = memory_.end(stream);
  payload_ = stream.assembly.take();
  const auto length = static_cast<std::uint32_t>(payload_.size());
  event.end = true;
  return show_body(stream, payload_, {0, withheld, length - withheld + web::record_bytes}, event);
}

GrpcSession::Step GrpcSession::show_body(GrpcStream& stream, Slice body, const MessageCredit& credit, Event& event) {
  if (stream.format == web::Format::grpc_web_text) {
    web::TextBody text;
    Status status = web::read_text_body(body.text(), text);
    if (text.is_compressed && stream.received_compressor == nullptr) {
      status = {StatusCode::internal, "receive message: it is compressed without a grpc-encoding that this side knows"};
    }
    if (!status.is_ok()) {
      event.end = false;
      windows_.give_back(credit.connection_bytes);
      return break_call(stream, status, event);
    }
    body = payload_ = std::move(text.message);
    if (text.is_compressed) event.compressor = stream.received_compressor;
  } else if (!body.empty()) {
    event.compressor = stream.received_compressor;
  }
  show_message(stream, body.bytes(), body.block(), credit, event);
  return Step::event;
}

/// The response has a body, so its headers were no trailers.
GrpcSession::Step GrpcSession::show_headers(GrpcStream& stream, Event& event) {
  event.type = EventType::message;
  event.id = stream.id;
  event.context = stream.context;
  event.metadata = std::move(stream.outcome->metadata);
  *stream.outcome = {};
  return Step::event;
}

GrpcSession::Step GrpcSession::take_end(GrpcStream&, ByteSpan, bool, Event&) { return Step::needs_input; }

/// Returns true if the message whose prefix has been read is the one that ends a client's response.
bool GrpcSession::is_end_message(const GrpcStream& stream) const noexcept {
  return role_ == Role::client && web::is_end_flag(stream.format, stream.assembly.flag());
}

/// The application limits the messages that it gets. A message that says how a call has ended counts as metadata.
std::uint64_t GrpcSession::most_bytes(const GrpcStream& stream) const noexcept {
  const std::uint64_t limit = options_.limits.max_message_bytes;
  if (!stream.is_web() || role_ == Role::server) return limit;
  const bool is_error = stream.outcome != nullptr && stream.outcome->http_status != 0;
  const bool is_outcome = is_error || (web::is_enveloped(stream.format) && is_end_message(stream));
  return is_outcome ? std::max<std::uint64_t>(limit, options_.limits.max_header_bytes) : limit;
}

GrpcSession::Step GrpcSession::on_reset(const Frame& frame, Event& event) {
  const CallId id = frame.header.stream;
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr) {
    if (streams_.is_idle(id)) return fail(ErrorCode::protocol_error, "RST_STREAM on an idle stream");
    // Whatever the client had sent before it learned of the reset is over.
    streams_.note_peer_reset(id);
    return Step::again;
  }
  return on_peer_reset(*stream, http::http2::read_rst_stream(frame.payload), event);
}

GrpcSession::Step GrpcSession::on_settings(const Frame& frame, Event& event) {
  const bool was_open = is_open();
  http::http2::SettingsChange change;
  const http::http2::FrameError error = exchange_.on_settings(frame, change, control_);
  write_control();
  if (error) return fail(error.code, error.reason);
  const http::http2::Settings& peer = exchange_.peer();
  set_peer_max_table_bytes(change.least_table_bytes);
  set_peer_max_table_bytes(peer.header_table_size);
  if (peer.initial_window_size != change.old_window) {
    if (!flood_.add(now_, static_cast<std::uint32_t>(streams_.size() / streams_per_frame))) {
      return fail(ErrorCode::enhance_your_calm, "too many changes of SETTINGS_INITIAL_WINDOW_SIZE");
    }
    for (GrpcStream* stream : streams_.by_age()) {
      if (!queue_.adjust(*stream, change.old_window, peer.initial_window_size)) {
        return fail(ErrorCode::flow_control_error, "SETTINGS_INITIAL_WINDOW_SIZE makes a window too large");
      }
    }
  }
  if (was_open || !is_open()) return Step::again;
  keepalive_.start(now_);
  event.type = EventType::opened;
  event.id = 0;
  if (is_drain_requested_) drain();
  return Step::event;
}

GrpcSession::Step GrpcSession::on_ping(const Frame& frame) {
  // gRPC's clients know this text, and ping less often afterwards.
  if (!frame.header.has(flag::ack) && !allows_ping()) return fail(ErrorCode::enhance_your_calm, "too_many_pings");
  switch (exchange_.on_ping(frame, control_)) {
    case http::http2::PingAnswer::goaway:
      if (!exchange_.has_sent_goaway()) exchange_.write_goaway(last_of_peer(), ErrorCode::no_error, {}, control_);
      break;
    case http::http2::PingAnswer::sample:
      end_sample();
      break;
    case http::http2::PingAnswer::none:
      break;
  }
  write_control();
  return Step::again;
}

void GrpcSession::sample_bandwidth(std::uint32_t bytes) {
  if (!windows_.estimator().add(bytes, now_)) return;
  http::http2::PeerExchange::write_sample(control_);
  write_control();
}

/// A larger window holds for each stream from its next WINDOW_UPDATE on.
void GrpcSession::end_sample() {
  const bool has_memory = !memory_share_.is_short() && !memory_share_.is_wanted();
  static_cast<void>(windows_.estimator().end(now_, has_memory));
  if (windows_.estimator().is_sampling()) http::http2::PeerExchange::write_sample(control_);
}

GrpcSession::Step GrpcSession::on_window_update(const Frame& frame, Event& event) {
  const CallId id = frame.header.stream;
  std::uint32_t increment = 0;
  const http::http2::FrameError error = http::http2::read_window_update(frame.header, frame.payload, increment);
  if (id == 0) {
    if (error) return fail(error.code, error.reason);
    if (queue_.add_window(increment)) return Step::again;
    return fail(ErrorCode::flow_control_error, "WINDOW_UPDATE makes the connection's window too large");
  }
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr) {
    if (streams_.is_idle(id)) return fail(ErrorCode::protocol_error, "WINDOW_UPDATE on an idle stream");
    return Step::again;
  }
  if (error) return reset_stream(*stream, error.code, error.reason, event);
  if (queue_.add_window(*stream, increment)) return Step::again;
  return reset_stream(*stream, ErrorCode::flow_control_error, "WINDOW_UPDATE makes a window too large", event);
}

GrpcSession::Step GrpcSession::on_goaway(const Frame& frame, Event& event) {
  if (const http::http2::FrameError error = exchange_.on_goaway(frame)) return fail(error.code, error.reason);
  event.type = EventType::going_away;
  event.id = 0;
  return Step::event;
}

// --- events ---

void GrpcSession::settle_current_event(Event& event) {
  if (std::exchange(has_credit_, false)) {
    GrpcStream* const stream = streams_.find(credit_call_);
    if (!event.is_queued) windows_.give_back(credit_.connection_bytes);
    if (event.is_retained || event.is_queued) {
      memory_.keep(std::int64_t{credit_.call_bytes} + credit_.further_bytes);
      if (stream != nullptr) stream->debt += credit_.further_bytes;
    } else {
      if (stream != nullptr && credit_.call_bytes > 0) windows_.give_back(*stream, credit_.call_bytes);
    }
  }
  payload_ = {};
  event.clear();
}

void GrpcSession::show_message(GrpcStream& stream, ByteSpan payload, Block* block, const MessageCredit& credit,
                               Event& event) {
  stream.has_message = true;
  has_credit_ = true;
  credit_call_ = stream.id;
  credit_ = credit;
  event.credit = credit;
  event.type = EventType::message;
  event.id = stream.id;
  event.context = stream.context;
  event.has_message = true;
  event.codec = stream.codec;
  event.payload = payload;
  event.wire_bytes = payload.size();
  event.block = block;
  if (event.compressor != nullptr) {
    event.is_compressed = event.is_unsized = true;
    event.decompressed_bytes = most_decompressed(payload.size(), options_.limits);
  }
  // A server's response ends with its trailers.
  if (data_.empty() && data_ends_ && role_ == Role::server) {
    event.end = true;
    data_ends_ = false;
  }
  if (data_.empty() && !data_ends_) data_stream_ = 0;
  if (is_unseen(stream)) hand_out(stream, event);
}

StatusCode GrpcSession::code_of_bad_message(const GrpcStream& stream) const noexcept {
  return role_ == Role::server ? code_of_corrupt_request(stream.format) : StatusCode::internal;
}

Status GrpcSession::decompress(Event& event) {
  if (!event.is_compressed) return {};
  const GrpcStream* const stream = streams_.find(event.id);
  const StatusCode corrupt = stream != nullptr ? code_of_bad_message(*stream) : StatusCode::internal;
  Result<Slice> plain = decompress_unsized(event, corrupt, owner_);
  if (!plain.is_ok()) return std::move(plain).status();
  payload_ = *std::move(plain);
  event.is_compressed = false;
  event.payload = payload_.bytes();
  event.block = payload_.block();
  // Others shall see at once how much memory is left.
  count_held();
  if (const std::size_t size = payload_.size(); size > event.wire_bytes) {
    event.credit.further_bytes += static_cast<std::uint32_t>(size - event.wire_bytes);
    credit_ = event.credit;
  }
  return {};
}

Result<Slice> GrpcSession::decompressed(const Compressor& compressor, ByteSpan payload) try {
  return session::decompress_unsized(compressor, payload, most_decompressed(payload.size(), options_.limits));
} catch (...) {
  return owner_.on_codec_exception("decompress message: " + std::string(compressor.name()),
                                   base::current_exception_text());
}

/// Ends the calls one by one, then the session.
bool GrpcSession::take_closing_event(Event& event) {
  event.clear();
  while (GrpcStream* const stream = closing_.next_call(streams_)) {
    event.context = stream->context;
    event.id = stream->id;
    const bool is_sent = is_offered(*stream);
    const bool is_wanted = role_ == Role::server ? stream->context != nullptr : !stream->is_finished;
    forget(*stream);
    if (!is_wanted) continue;
    event.type = role_ == Role::server ? EventType::cancelled : EventType::finished;
    event.status = closing_.status_of_calls();
    if (!is_sent || was_answered_in_http1_) event.status.set_may_have_run(false);
    return true;
  }
  if (!closing_.take_last(event)) return false;
  input_.reset();
  return true;
}

bool GrpcSession::end_turn() {
  if (memory_.has_waiting()) {
    if (memory_.admit_waiting(now_)) memory_retry_.end();
    if (memory_.has_waiting()) memory_retry_.wait(now_);
    // A peer may interleave more messages than there is room for, and needs a window to go on with one that has room.
    if (memory_.has_unfinished() && windows_.is_used_up_by_waiting() && !memory_share_.is_used_up())
      windows_.open_for_waiting();
  }
  update_memory();
  on_room();
  return false;
}

// --- calls ---

bool GrpcSession::is_writable(CallId id) const noexcept {
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr) return false;
  const bool is_full = output_.size() > options_.limits.max_unsent_bytes;
  if (!stream->has_queue() && !is_full) return true;
  stream->owes_writable = true;
  if (!stream->has_queue()) is_writable_awaited_ = true;
  return false;
}

std::uint64_t GrpcSession::received_of_message(CallId id) const noexcept {
  const GrpcStream* const stream = streams_.find(id);
  return stream != nullptr && stream->assembly.is_gathering() ? stream->assembly.gathered() : 0;
}

void GrpcSession::release(CallId id, const MessageCredit& credit) {
  memory_.keep(-(std::int64_t{credit.call_bytes} + credit.further_bytes));
  if (is_closed_) return;
  if (GrpcStream* const stream = streams_.find(id)) {
    stream->debt -= credit.further_bytes;
    windows_.give_back(*stream, credit.call_bytes);
    memory_.unblock(*stream);
  }
  if (memory_.has_waiting()) owner_.on_session_wake();
}

void GrpcSession::release_queued(CallId id, const MessageCredit& credit) {
  if (!is_closed_) windows_.give_back(credit.connection_bytes);
  release(id, credit);
}

// --- the end of streams ---

std::uint32_t GrpcSession::first_window() const noexcept {
  return http::http2::ReceiveWindows::first_window(side_of(role_), options_.limits);
}

/// Resets the stream because of a stream error.
GrpcSession::Step GrpcSession::reset_stream(GrpcStream& stream, ErrorCode code, std::string_view why, Event& event) {
  refuse_stream(stream.id, code);
  const Status status(StatusCode::internal, "receive: " + std::string(why), StatusOrigin::transport);
  return drop_call(stream, status, event);
}

void GrpcSession::refuse_stream(CallId id, ErrorCode code) {
  http::http2::append_rst_stream(id, code, control_);
  write_control();
  streams_.note_reset(id);
}

void GrpcSession::forget(GrpcStream& stream) {
  if (&stream == streams_.unlisted()) is_opening_ = false;
  queue_.drop(stream);
  memory_.end(stream);
  if (stream.text.held() > 0) windows_.give_back(stream.text.held());
  metadata_bytes_ -= stream.metadata_bytes;
  if (stream.is_refused) --refused_streams_;
  streams_.forget(stream);
}

// --- output ---

std::size_t GrpcSession::gather(std::span<ByteSpan> out) {
  if (queue_.can_pump() && !is_closed_) {
    queue_.pump();
    note_own_output();
    update_memory();
    on_room();
  }
  const std::size_t count = output_.gather(out);
  std::uint64_t offered = written_bytes_;
  for (const ByteSpan& span : out.first(count)) offered += span.size();
  offered_bytes_ = std::max(offered_bytes_, offered);
  return count;
}

void GrpcSession::wrote(std::size_t size) {
  output_.consume(size);
  written_bytes_ += size;
  keepalive_.wrote();
  if (output_.empty() && memory_share_.taken() > 0) count_held();
  if (is_closed_) return;
  const bool is_half_empty = output_.size() <= options_.limits.max_unsent_bytes / 2;
  if (is_writable_awaited_ && is_half_empty) {
    is_writable_awaited_ = false;
    for (GrpcStream* stream : streams_.by_age()) {
      if (!stream->owes_writable || stream->has_queue()) continue;
      stream->owes_writable = false;
      if (stream->context != nullptr) local_events_.notify({EventType::writable, stream->id, stream->context, {}});
    }
  }
  if (is_half_empty) on_room();
  const bool may_read = is_stalled_ && unread_bytes() <= options_.limits.max_unsent_bytes / 2;
  if (may_read || is_drained()) owner_.on_session_wake();
}

/// Returns the compressor for `message`, or null. The peer accepts it, and the headers name it if they have been sent.
const Compressor* GrpcSession::compressor_of(const GrpcStream& stream, const OutgoingMessage& message) const noexcept {
  const Compressor* const wanted = message.compressor;
  if (wanted == nullptr || stream.format >= web::Format::lines) return nullptr;
  const bool is_usable =
      stream.has_sent_headers ? wanted == stream.sent_compressor : encodings_.contains(stream.accepted, *wanted);
  return is_usable ? wanted : nullptr;
}

/// Returns false and writes nothing if the message has to be encoded first, or to wait.
bool GrpcSession::try_write_in_place(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading,
                                     bool is_end) {
  const MessageType* const type = message.message.type;
  if (type == nullptr || type->size == nullptr || stream.codec->name() != type->direct_codec) return false;
  if (!web::is_enveloped(stream.format) || uses_text_) return false;
  const std::size_t size = type->size(message.message.object);
  const std::size_t whole = web::message_prefix_bytes + size;
  const Compressor* const compressor = compressor_of(stream, message);
  if (!queue_.may_write(stream, whole)) return false;
  if (compressor != nullptr && size >= options_.compression_threshold) return false;
  if (!stream.has_sent_headers) write_headers(stream, leading, compressor);
  queue_.write_frame_header(stream, whole, is_end);
  std::byte* const out = output_.reserve(whole);
  web::write_message_prefix({.length = static_cast<std::uint32_t>(size)}, out);
  if (size > 0) type->write(message.message.object, out + web::message_prefix_bytes);
  output_.commit(whole);
  payload_bytes_accepted_ += size;
  if (is_end) note_end_sent(stream);
  return true;
}

Status GrpcSession::write_message(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading,
                                  bool is_end) {
  if (try_write_in_place(stream, message, leading, is_end)) return {};
  const CallId id = stream.id;
  Slice payload;
  bool is_compressed = false;
  const Compressor* const compressor = compressor_of(stream, message);
  if (Status status = encode(*stream.codec, message, compressor, payload, is_compressed); !status.is_ok())
    return status;
  // The application's codec may run the loop, and the call may have ended meanwhile.
  if (is_closed_ || streams_.find(id) != &stream || stream.is_finished || stream.has_ended())
    return {StatusCode::cancelled, "send message: the call is over"};
  if (!stream.has_sent_headers) write_headers(stream, leading, compressor);
  write_encoded(stream, std::move(payload), is_compressed, is_end);
  return {};
}

/// The headers have been written.
void GrpcSession::write_encoded(GrpcStream& stream, Slice payload, bool is_compressed, bool is_end) {
  payload_bytes_accepted_ += payload.size();
  if (stream.format == web::Format::connect_unary) return write_content(stream, std::move(payload), is_end);
  if (!web::is_enveloped(stream.format) || uses_text_) {
    BufferWriter message;
    web::append_message(uses_text_ ? web::Format::grpc_web_text : stream.format, payload.bytes(), is_compressed,
                        message);
    return write_content(stream, message.take(), is_end);
  }
  std::byte prefix[web::message_prefix_bytes];
  web::write_message_prefix(
      {.flags = std::uint8_t{is_compressed}, .length = static_cast<std::uint32_t>(payload.size())}, prefix);
  if (queue_.may_write(stream, sizeof(prefix) + payload.size())) {
    queue_.write_frame_header(stream, sizeof(prefix) + payload.size(), is_end);
    output_.append(ByteSpan(prefix));
    output_.append(std::move(payload));
    if (is_end) note_end_sent(stream);
    return;
  }
  queue_.push(stream, Slice::copy_of(ByteSpan(prefix)), payload.empty());
  if (!payload.empty()) queue_.push(stream, std::move(payload));
  stream.ends_with_queue = is_end;
}

Status GrpcSession::encode(const Codec& codec, const OutgoingMessage& message, const Compressor* compressor, Slice& out,
                           bool& is_compressed, bool in_any_case) {
  web::EncodedMessage encoded;
  Status status =
      encoded.encode(message, {.codec = codec, .compressor = compressor, .in_any_case = in_any_case}, options_, owner_);
  out = std::move(encoded.payload);
  is_compressed = encoded.is_compressed;
  return status;
}

/// The headers have been written. An end without content needs no window, and has nothing to wait with.
void GrpcSession::write_content(GrpcStream& stream, Slice content, bool is_end) {
  const bool is_bare_end = is_end && content.empty() && !stream.has_queue();
  if (!is_bare_end && !queue_.may_write(stream, content.size())) {
    if (!content.empty()) queue_.push(stream, std::move(content));
    stream.ends_with_queue = is_end;
    return;
  }
  queue_.write_frame_header(stream, content.size(), is_end);
  output_.append(std::move(content));
  if (is_end) note_end_sent(stream);
}

void GrpcSession::note_end_sent(GrpcStream& stream) noexcept {
  stream.ends_with_queue = false;
  stream.state = transition(stream.state, StreamInput::send_data_end).next;
}

void GrpcSession::notify_writable(GrpcStream& stream) {
  if (!stream.owes_writable) return;
  if (output_.size() > options_.limits.max_unsent_bytes) {
    is_writable_awaited_ = true;
    return;
  }
  stream.owes_writable = false;
  if (stream.context != nullptr) local_events_.notify({EventType::writable, stream.id, stream.context, {}});
}

void GrpcSession::write_control() {
  output_.append(control_.bytes());
  control_.clear();
}

/// Returns ok if the metadata can be sent to the peer.
Status GrpcSession::check_metadata(std::string_view what, const Metadata* metadata) const {
  if (metadata == nullptr || metadata->empty()) return {};
  if (const Status status = web::check_sendable(*metadata); !status.is_ok()) {
    // A client would take invalid_argument to be about its request.
    return {StatusCode::internal, status.message()};
  }
  return check_list(what, *metadata);
}

/// Returns ok if the list of fields is no longer than the peer says it takes. A server sends no more than a client
/// takes for certain, because the status of the call would be lost.
Status GrpcSession::check_list(std::string_view what, const Metadata& metadata) const {
  constexpr std::size_t other_fields = 512;
  const std::size_t announced = exchange_.peer().max_header_list_size;
  const std::size_t limit = role_ == Role::server ? web::certain_list_bytes(announced) : announced;
  if (ResponseWriter::list_bytes(metadata) + other_fields <= limit) return {};
  std::string text = std::string(what) + " metadata exceeds ";
  if (limit < announced) text += std::to_string(limit) + " bytes, which is safe for ";
  text += "the peer's SETTINGS_MAX_HEADER_LIST_SIZE " + std::to_string(announced);
  return {StatusCode::resource_exhausted, text};
}

void GrpcSession::on_sent(void* owner, http::http2::Stream& stream) {
  static_cast<GrpcSession*>(owner)->on_queue_sent(static_cast<GrpcStream&>(stream));
}

// --- timers ---

void GrpcSession::on_deadline(base::Timer&, void* owner, base::TimePoint now) {
  auto& stream = *static_cast<GrpcStream*>(owner);
  auto& self = *static_cast<GrpcSession*>(stream.owner);
  self.now_ = std::max(self.now_, now);
  try {
    self.on_stream_deadline(stream);
    self.owner_.on_session_wake();
  } catch (...) {
    // Without its timer the call might never end.
    const std::string text = base::current_exception_text();
    self.end_connection(ErrorCode::internal_error, text, text);
  }
}

void GrpcSession::on_keepalive_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<GrpcSession*>(owner);
  // A pong waits in the socket while nothing is read for want of memory.
  const bool is_listening = self.owner_.is_listening() && !self.is_paused_for_memory_;
  const bool has_calls = self.open_calls() > self.owner_.background_calls();
  const Keepalive::Action action = self.keepalive_.on_timer(now, {.is_listening = is_listening,
                                                                  .is_stalled = self.is_stalled_,
                                                                  .has_calls = has_calls,
                                                                  .may_rest = self.role_ == Role::server});
  if (action == Keepalive::Action::none) return;
  if (action == Keepalive::Action::time_out) {
    const std::string_view text = "keepalive: no response within keepalive_timeout";
    self.end_connection(ErrorCode::no_error, text, text);
    return;
  }
  http::http2::PeerExchange::write_keepalive(self.control_);
  self.write_control();
  self.owner_.on_session_wake();
}

void GrpcSession::on_memory_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<GrpcSession*>(owner);
  self.now_ = std::max(self.now_, now);
  if (!self.memory_share_.is_used_up()) self.is_paused_for_memory_ = false;
  self.owner_.on_session_wake();
}

void GrpcSession::on_stall_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<GrpcSession*>(owner);
  self.now_ = std::max(self.now_, now);
  const bool waits_for_window = self.output_.empty() && self.queue_.queued_bytes() > 0;
  const std::uint64_t taken = self.queue_.sent_bytes() + (waits_for_window ? 0 : self.written_bytes_);
  const StallWatch::Seen seen{.unsent = self.held_for_peer(),
                              .held_back = self.queue_.held_back_bytes(),
                              .is_wanted = self.memory_share_.is_short_for_holders(),
                              .taken = taken};
  if (self.stall_.on_timer(now, seen) == StallWatch::Action::none) return;
  const std::string_view text = "send: the peer takes nothing within stall_timeout";
  self.end_connection(ErrorCode::enhance_your_calm, text, text);
}

void GrpcSession::on_input_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<GrpcSession*>(owner);
  self.now_ = std::max(self.now_, now);
  constexpr std::uint32_t least_window = 64 << 10;
  const bool is_reading = self.owner_.is_listening() && !self.is_stalled_ && !self.is_paused_for_memory_;
  if (!is_reading || self.windows_.left() < least_window || self.is_message_window_shut()) self.input_watch_.hold_up();
  const InputWatch::Seen seen{
      .is_incomplete = self.memory_.has_unfinished() || self.reader_.is_in_block() || self.input_.size() > 0,
      .has_message = self.memory_.has_unfinished(),
      .is_wanted = self.memory_share_.is_wanted(),
      .message_bytes = self.memory_.progress()};
  if (self.input_watch_.on_timer(now, seen) == InputWatch::Action::none) return;
  const std::string_view text = "receive: the peer does not go on with what it has begun to send within stall_timeout";
  self.end_connection(ErrorCode::enhance_your_calm, text, text);
}

// --- the connection ---

/// Nothing is read while the peer does not take what is written for it. wrote() wakes the owner when that is over.
bool GrpcSession::update_stall() noexcept {
  const std::size_t most = options_.limits.max_unsent_bytes;
  is_stalled_ = unread_bytes() > (is_stalled_ ? most / 2 : most);
  return is_stalled_;
}

/// Returns how much the peer does not read although it may. A client's own calls do not count, however long they are: a
/// server reads them only once the client has read its responses, and two sides that both wait for the other to read
/// would wait for ever. A client's replies to a server's frames are short.
std::size_t GrpcSession::unread_bytes() const noexcept {
  if (role_ == Role::server) return output_.size();
  return static_cast<std::size_t>(written_bytes_ + output_.size() - std::max(own_end_, written_bytes_));
}

/// Messages that have room are incomplete, and none of them can go on, because the application has yet to take earlier
/// messages of their streams.
bool GrpcSession::is_message_window_shut() const {
  if (!memory_.has_unfinished()) return false;
  const auto streams = streams_.by_age();
  return std::none_of(streams.begin(), streams.end(), [](const GrpcStream* stream) {
    const bool has_window = stream->receive_window.available() > stream->receive_target / 8;
    return stream->assembly.is_gathering() && stream->is_admitted && has_window;
  });
}

void GrpcSession::update_memory() {
  memory_share_.set_waiting(memory_.shortage());
  count_held();
  if (memory_.has_unfinished() || reader_.is_in_block() || input_.size() > 0) {
    input_watch_.start(now_);
  } else {
    input_watch_.settle();
  }
  if (held_for_peer() > StallWatch::least_bytes) stall_.start(now_);
}

void GrpcSession::count_held() noexcept {
  counted_output_ = output_.size();
  memory_share_.update(held_bytes(), memory_.room(), memory_.waiting_bytes());
}

/// The application has sent something. Messages that wait for the peer's windows are counted at once: a turn may bring
/// many calls that each need little. Output that has grown by a step is counted too: handlers may write between turns,
/// and the client may neither read nor send.
void GrpcSession::count_sent() noexcept {
  note_own_output();
  if (queue_.queued_bytes() > 0 || output_.size() >= counted_output_ + MemoryShare::free_bytes) count_held();
}

std::size_t GrpcSession::held_bytes() const noexcept {
  return input_.held_bytes() + reader_.held_bytes() + held_for_peer() + memory_.bytes() + metadata_bytes_ +
         streams_.size() * bytes_per_stream;
}

void GrpcSession::close(const Status& reason) {
  if (is_closed_) return;
  const ErrorCode code = reason.is_ok()                                    ? ErrorCode::no_error
                         : reason.code() == StatusCode::resource_exhausted ? ErrorCode::enhance_your_calm
                         : reason.code() == StatusCode::internal           ? ErrorCode::internal_error
                                                                           : ErrorCode::no_error;
  exchange_.write_goaway(last_of_peer(), code, reason.message(), control_);
  write_control();
  end_session(reason);
}

void GrpcSession::transport_closed(const Status& reason) {
  if (is_closed_) return;
  output_.clear();
  const bool is_orderly = reason.is_ok() && streams_.empty() && input_.size() == 0 && is_open();
  if (is_orderly) return end_session({});
  std::string text(reason.is_ok() ? std::string_view("connection closed by the peer") : reason.message());
  if (!goaway_reason_.empty()) text = goaway_reason_ + "; " + text;
  if (!is_open() && role_ == Role::client) {
    text = "handshake: no SETTINGS from the peer: " + text + guess_about_server();
  }
  end_session({StatusCode::unavailable, text, StatusOrigin::transport});
}

/// Returns text for an error that says what a server that has not begun with SETTINGS seems to speak, or nothing.
std::string GrpcSession::guess_about_server() const {
  if (role_ == Role::server || is_open()) return {};
  const std::string_view protocol = wire::guess_foreign_peer({input_.data(), input_.size()});
  if (protocol.empty() || protocol.starts_with("HTTP/2")) return {};
  std::string text = "; the server seems to speak ";
  text.append(protocol);
  if (protocol == "TLS") return text.append(", so the endpoint is ").append(tls_scheme()).append("://");
  // A channel of that protocol would go on in HTTP/1.1 if http_version did not ask for HTTP/2.
  if (is_http1(protocol) && title() != "gRPC") return text.append(", and http_version asks for HTTP/2");
  return text.append(", and ").append(title()).append(" needs HTTP/2");
}

/// The peer has broken a rule.
GrpcSession::Step GrpcSession::fail(ErrorCode code, std::string_view reason) {
  end_connection(code, reason, "receive: " + std::string(reason));
  return Step::again;
}

/// `reason` is for the peer, and `status` for the calls.
void GrpcSession::end_connection(ErrorCode code, std::string_view reason, std::string_view status) {
  if (is_closed_) return;
  exchange_.write_goaway(last_of_peer(), code, reason, control_);
  write_control();
  end_session(Status(StatusCode::unavailable, status, StatusOrigin::transport));
}

/// There was no memory for a frame, which may have been written in part.
void GrpcSession::lose_connection() {
  if (is_closed_) return;
  output_.clear();
  end_session({StatusCode::resource_exhausted, "no memory"});
}

void GrpcSession::end_session(const Status& reason) {
  was_answered_in_http1_ =
      role_ == Role::client && !is_open() && is_http1(wire::guess_foreign_peer({input_.data(), input_.size()}));
  is_closed_ = true;
  closing_.begin(reason);
  is_stalled_ = false;
  keepalive_.stop();
  stall_.stop();
  input_watch_.stop();
  memory_retry_.stop();
  data_ = {};
  data_stream_ = 0;
  if (streams_.unlisted() != nullptr) forget(*streams_.unlisted());
  for (GrpcStream* stream : streams_.by_age()) {
    queue_.drop(*stream);
    stream->deadline.cancel();
  }
  owner_.on_session_wake();
}

}  // namespace trunkline::session::grpc
