// SPDX-License-Identifier: MIT
// Requests to calls, and responses.
#include "session/grpc/grpc_server_session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace trunkline::session::grpc {

namespace {

using http::http2::ErrorCode;
using http::http2::Frame;
using http::http2::FrameType;
using http::http2::Setting;
using http::http2::SettingId;
using http::http2::StreamAction;
using http::http2::StreamInput;
using http::http2::StreamState;
using http::http2::StreamTransition;
namespace flag = http::http2::flag;

constexpr std::string_view refusal_text =
    "this port speaks gRPC and the native protocol of Trunkline; a call of gRPC is a POST request with the "
    "content-type application/grpc\n";
/// How many streams may wait for the rest of a request that was refused, or for its answer to be taken.
constexpr std::size_t max_refused_streams = 1024;
/// How long a client may take for the rest of a request that was refused, and for the answer.
constexpr std::chrono::seconds time_of_refused{5};
/// How much of it is discarded.
constexpr std::int64_t bytes_of_refused = 64 << 10;
/// How long a client may take to answer the first step of a drain, so that it does not hold it up.
constexpr std::chrono::seconds time_of_goaway{20};

}  // namespace

GrpcServerSession::GrpcServerSession(const SessionParameters& parameters)
    : GrpcSession(parameters),
      requests_(options_, encodings_),
      responses_(encodings_, exchange_.peer(), output_),
      ping_limit_(options_.min_ping_interval, options_.allow_idle_pings),
      goaway_timer_(&on_goaway_timer, this) {
  const std::array<Setting, 3> settings{{{SettingId::max_concurrent_streams, options_.max_concurrent_calls},
                                         {SettingId::initial_window_size, options_.limits.call_credit_bytes},
                                         {SettingId::max_header_list_size, options_.limits.max_header_bytes}}};
  http::http2::PeerExchange::write_greeting(settings, options_.limits.connection_credit_bytes, control_);
  write_control();
}

GrpcServerSession::~GrpcServerSession() = default;

bool GrpcServerSession::next(Event& event) {
  if (const CallId id = std::exchange(call_in_hand_, 0)) {
    static_cast<void>(
        finish(id, {StatusCode::internal, "the call was neither finished nor attached"}, {}, nullptr, false));
  }
  return GrpcSession::next(event);
}

// --- input ---

/// The call whose headers have come is handed out with its first message if that has come too, which nearly every unary
/// call has: behind the headers, or behind those of other calls that the client has begun at the same time. Otherwise
/// without it: the client may wait for something before it sends a message.
bool GrpcServerSession::defers_event() {
  if (input_.size() < http::http2::frame_header_bytes) return false;
  GrpcStream& stream = *streams_.fresh();
  const http::http2::FrameHeader header = http::http2::read_frame_header(input_.data());
  const bool is_whole = input_.size() >= http::http2::frame_header_bytes + header.length;
  if (is_whole && header.type == FrameType::data && header.stream == stream.id) return true;
  // A method without a number has its name in the reader alone, until the next headers.
  if (!is_whole || stream.method_number == 0) return false;
  held_.push_back(stream.id);
  streams_.keep();
  stream.is_held = true;
  is_opening_ = false;
  return true;
}

bool GrpcServerSession::take_deferred(Event& event) {
  while (!held_.empty()) {
    GrpcStream* const stream = streams_.find(held_.pop_front());
    if (stream == nullptr || !stream->is_held) continue;
    hand_out(*stream, event);
    return true;
  }
  return false;
}

GrpcSession::Step GrpcServerSession::on_headers(const Frame& frame, Event& event) {
  const CallId id = frame.header.stream;
  if (GrpcStream* const stream = streams_.find(id)) return on_trailers(*stream, frame, event);
  if (id % 2 == 0) return fail(ErrorCode::protocol_error, "a client has opened a stream with an even id");
  if (streams_.is_idle(id)) return on_request(frame, event);
  if (!streams_.was_reset(id)) return fail(ErrorCode::stream_closed, "HEADERS on a stream that is closed");
  if (requests_.skip(frame.payload) != RequestReader::Outcome::failed) return Step::again;
  return fail(ErrorCode::compression_error, requests_.error());
}

GrpcSession::Step GrpcServerSession::on_request(const Frame& frame, Event& event) {
  const CallId id = frame.header.stream;
  const bool ends = frame.header.has(flag::end_stream);
  const bool is_unwanted = frame.error || exchange_.has_sent_goaway() ||
                           streams_.size() >= options_.max_concurrent_calls || memory_share_.is_short();
  if (is_unwanted) {
    if (requests_.skip(frame.payload) == RequestReader::Outcome::failed)
      return fail(ErrorCode::compression_error, requests_.error());
    streams_.note_id(id);
    // Streams behind the last one that GOAWAY names are ignored (RFC 9113, section 6.8).
    if (!exchange_.has_sent_goaway()) refuse_stream(id, frame.error ? frame.error.code : ErrorCode::refused_stream);
    if (exchange_.has_sent_goaway()) streams_.note_reset(id);
    return Step::again;
  }
  const RequestReader::Outcome outcome = requests_.read(frame.payload);
  if (outcome == RequestReader::Outcome::failed) return fail(ErrorCode::compression_error, requests_.error());
  const Request& request = requests_.request();
  const bool lacks_content = ends && request.content_length.value_or(0) > 0;
  if (outcome == RequestReader::Outcome::malformed || lacks_content) {
    streams_.note_id(id);
    refuse_stream(id, ErrorCode::protocol_error);
    return Step::again;
  }
  if (outcome == RequestReader::Outcome::refused && refused_streams_ >= max_refused_streams) {
    streams_.note_id(id);
    refuse_stream(id, ErrorCode::refused_stream);
    return Step::again;
  }
  GrpcStream& stream = streams_.open(id, exchange_.peer().initial_window_size,
                                     ReceiveWindows::first_window(role_, options_.limits), &on_deadline, this);
  stream.state =
      transition(StreamState::idle, ends ? StreamInput::receive_headers_end : StreamInput::receive_headers).next;
  stream.codec = request.codec;
  stream.received_compressor = request.compressor;
  stream.accepted = request.accepted;
  stream.content_left = request.content_length;
  if (outcome == RequestReader::Outcome::refused) {
    answer_refused(stream);
    return Step::again;
  }
  is_opening_ = true;
  take_request(stream);
  if (!ends) return Step::again;
  event.end = true;
  hand_out(stream, event);
  return Step::event;
}

/// What is needed of the request when the call is handed out.
void GrpcServerSession::take_request(GrpcStream& stream) {
  Request& request = requests_.request();
  stream.method_number = request.method_number;
  stream.accepted = request.accepted;
  if (request.timeout) {
    stream.call_deadline = base::deadline_after(now_, *request.timeout);
    timers_.schedule(stream.deadline, stream.call_deadline);
  }
  if (request.metadata.empty()) return;
  stream.metadata_bytes = request.metadata.total_bytes();
  metadata_bytes_ += stream.metadata_bytes;
  stream.metadata = std::move(request.metadata);
  request.metadata.clear();
}

/// Most clients send the rest of their request without waiting, which is then discarded.
void GrpcServerSession::answer_refused(GrpcStream& stream) {
  stream.is_refused = stream.is_finished = true;
  ++refused_streams_;
  streams_.keep();
  timers_.schedule(stream.deadline, base::deadline_after(now_, time_of_refused));
  if (requests_.is_grpc()) {
    responses_.write_trailers_only(stream.id, requests_.http_status(), stream.codec, requests_.status(), nullptr);
    return end_refused(stream);
  }
  responses_.write_refusal(stream.id, requests_.http_status(), requests_.status(), refusal_text.size(),
                           requests_.is_head());
  if (requests_.is_head()) return end_refused(stream);
  stream.ends_with_queue = true;
  queue_.push(stream, Slice::copy_of(as_bytes(refusal_text)));
}

/// END_STREAM of the answer has been sent.
void GrpcServerSession::end_refused(GrpcStream& stream) {
  stream.state = transition(stream.state, StreamInput::send_data_end).next;
  if (stream.state == StreamState::closed || exchange_.has_begun_goaway()) close_stream(stream);
}

/// The window of a refused stream is not opened again.
void GrpcServerSession::discard(GrpcStream& stream, std::uint32_t bytes) {
  if (!stream.is_refused) return GrpcSession::discard(stream, bytes);
  stream.returnable += bytes;
  if (stream.state == StreamState::closed) return forget(stream);
  if (stream.state == StreamState::half_closed_local && stream.returnable > bytes_of_refused) close_stream(stream);
}

/// A second block of fields ends the client's side.
GrpcSession::Step GrpcServerSession::on_trailers(GrpcStream& stream, const Frame& frame, Event& event) {
  const bool ends = frame.header.has(flag::end_stream);
  const RequestReader::Outcome outcome = requests_.read_trailers(frame.payload);
  if (outcome == RequestReader::Outcome::failed) return fail(ErrorCode::compression_error, requests_.error());
  const StreamTransition step =
      transition(stream.state, ends ? StreamInput::receive_headers_end : StreamInput::receive_headers);
  if (step.action == StreamAction::reset) return reset_stream(stream, step.code, "HEADERS after END_STREAM", event);
  if (!ends || frame.error || outcome == RequestReader::Outcome::malformed) {
    return reset_stream(stream, ErrorCode::protocol_error, "the client's trailers are malformed", event);
  }
  if (!stream.take_content(0, true)) {
    return reset_stream(stream, ErrorCode::protocol_error, "content-length is not the size of DATA", event);
  }
  stream.state = step.next;
  return on_peer_end(stream, event);
}

/// The client sends nothing more.
GrpcSession::Step GrpcServerSession::on_peer_end(GrpcStream& stream, Event& event) {
  if (stream.is_finished) {
    discard(stream, 0);
    return Step::again;
  }
  if (stream.assembly.is_amid_message()) {
    return break_call(stream, {StatusCode::internal, "receive message: the client ended amid a message"}, event);
  }
  event.end = true;
  if (is_unseen(stream)) {
    hand_out(stream, event);
    return Step::event;
  }
  event.type = EventType::message;
  event.id = stream.id;
  event.context = stream.context;
  return Step::event;
}

GrpcSession::Step GrpcServerSession::on_peer_reset(GrpcStream& stream, ErrorCode code, Event& event) {
  const CallId id = stream.id;
  Status status(StatusCode::cancelled, "the caller has cancelled the call", StatusOrigin::peer);
  if (code != ErrorCode::cancel && code != ErrorCode::no_error) {
    status =
        Status(StatusCode::cancelled,
               "the caller has reset the stream with " + std::string(http::http2::to_string(code)), StatusOrigin::peer);
  }
  stream.state = StreamState::closed;
  void* const context = stream.context;
  forget(stream);
  // Also one that nobody waits for: the layer above counts how many calls a client cancels.
  event.clear();
  event.type = EventType::cancelled;
  event.id = id;
  event.context = context;
  event.status = std::move(status);
  return Step::event;
}

// --- events ---

/// `event` may have the call's first message and its end.
void GrpcServerSession::hand_out(GrpcStream& stream, Event& event) {
  if (std::exchange(stream.is_held, false)) {
    if (!held_.empty() && held_.front() == stream.id) held_.pop_front();
    event.method_name = requests_.method_of(stream.method_number);
  } else {
    is_opening_ = false;
    event.method_name = requests_.request().method;
  }
  call_in_hand_ = stream.id;
  event.type = EventType::call;
  event.id = stream.id;
  event.context = nullptr;
  event.codec = event.has_message ? stream.codec : nullptr;
  event.response_codec = stream.codec;
  event.accepted_compressors = stream.accepted;
  event.method_number = stream.method_number;
  event.method_epoch = 0;
  event.deadline = stream.call_deadline;
  if (!stream.metadata.empty()) event.metadata = std::move(stream.metadata);
}

// --- calls ---

Result<CallId> GrpcServerSession::start(const CallStart&, const OutgoingMessage&) {
  return Status(StatusCode::unimplemented, "start call: a server's connection begins no calls");
}

void GrpcServerSession::attach(CallId id, void* context) {
  if (GrpcStream* const stream = streams_.find(id)) {
    stream->context = context;
    if (stream == streams_.fresh()) streams_.keep();
    if (id == call_in_hand_) call_in_hand_ = 0;
  } else if (is_closed_ && !is_closed_event_given_ && context != nullptr) {
    // The session was ended between the event and now.
    local_events_.notify({EventType::cancelled, id, context, close_reason_});
  }
}

Status GrpcServerSession::finish(CallId id, const Status& status, const OutgoingMessage& message,
                                 const Metadata* trailing, bool /*unprocessed*/) try {
  if (!local_events_.empty()) local_events_.drop(id);
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr || stream->is_finished) return {};
  if (id == call_in_hand_) call_in_hand_ = 0;
  if (is_closed_) {
    forget(*stream);
    return {};
  }
  Status sent = status;
  Status sendable = check_metadata("finish call: trailing", trailing);
  if (!sendable.is_ok()) {
    trailing = nullptr;
    if (sent.is_ok()) sent = std::move(sendable);
  }
  if (sent.is_ok() && message.has_message()) sent = write_message(*stream, message, nullptr);
  end_stream(*stream, sent, trailing);
  count_sent();
  return sent;
} catch (...) {
  lose_connection();
  throw;
}

Status GrpcServerSession::send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool /*end*/) try {
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr || stream->is_finished || is_closed_) {
    return {StatusCode::cancelled, "send message: the call is over"};
  }
  if (Status status = check_metadata("send message: leading", leading); !status.is_ok()) return status;
  if (message.has_message()) {
    Status status = write_message(*stream, message, leading);
    count_sent();
    return status;
  }
  // The messages that follow may be compressed, although there is none yet.
  if (!stream->has_sent_headers && leading != nullptr) write_headers(*stream, leading, compressor_of(*stream, message));
  return {};
} catch (...) {
  lose_connection();
  throw;
}

void GrpcServerSession::drain() {
  if (is_closed_) return;
  is_drain_requested_ = true;
  if (!is_open() || exchange_.has_begun_goaway() || exchange_.has_sent_goaway()) return;
  exchange_.begin_goaway(control_);
  write_control();
  timers_.schedule(goaway_timer_, base::deadline_after(now_, time_of_goaway));
  for (GrpcStream* stream : streams_.by_age()) {
    if (stream->is_refused && stream->state == StreamState::half_closed_local) close_stream(*stream);
  }
}

void GrpcServerSession::on_goaway_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<GrpcServerSession*>(owner);
  self.now_ = std::max(self.now_, now);
  if (self.is_closed_ || self.exchange_.has_sent_goaway()) return;
  self.exchange_.write_goaway(self.last_of_peer(), ErrorCode::no_error, {}, self.control_);
  self.write_control();
  self.owner_.on_session_wake();
}

bool GrpcServerSession::is_drained() const noexcept {
  if (is_closed_) return false;
  const bool is_leaving = (is_drain_requested_ && exchange_.has_sent_goaway()) || exchange_.has_peer_goaway();
  return is_leaving && streams_.empty() && output_.empty() && queue_.queued_bytes() == 0 && local_events_.empty();
}

// --- the end of streams ---

/// The call cannot go on, and `status` says why.
GrpcSession::Step GrpcServerSession::break_call(GrpcStream& stream, const Status& status, Event& event) {
  const CallId id = stream.id;
  void* const context = stream.context;
  queue_.drop(stream);
  if (is_opening_ && streams_.fresh() == &stream) is_opening_ = false;
  end_stream(stream, status, nullptr);
  if (data_stream_ == id) drop_data();
  event.clear();
  if (context == nullptr) return Step::again;
  event.type = EventType::cancelled;
  event.id = id;
  event.context = context;
  event.status = status;
  return Step::event;
}

GrpcSession::Step GrpcServerSession::drop_call(GrpcStream& stream, const Status& status, Event& event) {
  const CallId id = stream.id;
  void* const context = stream.context;
  forget(stream);
  event.clear();
  if (context == nullptr) return Step::again;
  event.type = EventType::cancelled;
  event.id = id;
  event.context = context;
  event.status = status;
  return Step::event;
}

/// Sends the status behind the messages that are queued.
void GrpcServerSession::end_stream(GrpcStream& stream, const Status& status, const Metadata* trailing) {
  if (stream.has_queue() && !status.is_ok() && status.code() == StatusCode::deadline_exceeded) queue_.drop(stream);
  stream.is_finished = true;
  stream.context = nullptr;
  stream.deadline.cancel();
  if (stream.has_queue()) {
    stream.trailers = std::make_unique<PendingTrailers>();
    stream.trailers->status = status;
    if (trailing != nullptr) stream.trailers->metadata = *trailing;
    if (const std::uint32_t withheld = memory_.end(stream)) windows_.give_back(stream, withheld);
    static_cast<void>(stream.assembly.take());
    if (&stream == streams_.fresh()) streams_.keep();
    return update_memory();
  }
  if (stream.has_sent_headers) {
    responses_.write_trailers(stream.id, status, trailing);
  } else if (status.is_ok()) {
    write_headers(stream, nullptr, nullptr);
    responses_.write_trailers(stream.id, status, trailing);
  } else {
    responses_.write_trailers_only(stream.id, 200, stream.codec, status, trailing);
  }
  close_stream(stream);
}

/// END_STREAM has been sent. A client that has more to send is told that nobody reads it (RFC 9113, section 8.1).
void GrpcServerSession::close_stream(GrpcStream& stream) {
  if (!stream.has_peer_ended()) refuse_stream(stream.id, ErrorCode::no_error);
  forget(stream);
}

void GrpcServerSession::on_queue_sent(GrpcStream& stream) {
  flood_.worked();
  if (stream.is_refused) return end_refused(stream);
  if (stream.trailers != nullptr) {
    responses_.write_trailers(stream.id, stream.trailers->status, &stream.trailers->metadata);
    return close_stream(stream);
  }
  notify_writable(stream);
}

void GrpcServerSession::on_stream_deadline(GrpcStream& stream) {
  if (stream.is_refused) {
    const bool is_answered = stream.state == StreamState::half_closed_local;
    refuse_stream(stream.id, is_answered ? ErrorCode::no_error : ErrorCode::cancel);
    return forget(stream);
  }
  const Status status(StatusCode::deadline_exceeded, "deadline exceeded");
  local_events_.drop(stream.id);
  if (stream.context != nullptr) local_events_.push({EventType::cancelled, stream.id, stream.context, status});
  end_stream(stream, status, nullptr);
}

// --- output ---

void GrpcServerSession::write_headers(GrpcStream& stream, const Metadata* leading, const Compressor* compressor) {
  stream.has_sent_headers = true;
  stream.sent_compressor = compressor;
  responses_.write_headers(stream.id, *stream.codec, compressor, leading);
}

}  // namespace trunkline::session::grpc
