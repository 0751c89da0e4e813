// SPDX-License-Identifier: MIT
// Turns requests over HTTP/2 into calls, and writes their responses.
#include "session/grpc/grpc_server_session.h"

#include "session/web/content_type.h"
#include "session/web/response_body.h"
#include "session/web/response_head.h"
#include "session/web/route_fields.h"

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
using http::http2::StreamInput;
using http::http2::StreamState;
using http::http2::StreamTransition;
using http::http2::StreamVerdict;
namespace flag = http::http2::flag;

/// At most this many streams may wait for the rest of a request that was refused or answered early, or for the client
/// to take the answer.
constexpr std::size_t max_refused_streams = 1024;
/// A client may take this long to send the rest of a request that was refused, and to take the answer.
constexpr std::chrono::seconds time_of_refused{5};
/// This much of the rest of a refused request is discarded before the stream is reset.
constexpr std::int64_t bytes_of_refused = 64 << 10;
/// A client may take this long to answer the first step of a drain. After that it does not hold the drain up.
constexpr std::chrono::seconds time_of_goaway{20};

/// Returns the HTTP status of a call that no handler has seen, or 0 if the status follows from its code.
std::uint32_t http_error_of_refusal(StatusCode code, bool is_get) noexcept {
  if (code == StatusCode::unimplemented) return 404;
  return is_get && code == StatusCode::failed_precondition ? 405 : 0;
}

bool has_entries(const Metadata* metadata) noexcept { return metadata != nullptr && !metadata->empty(); }

WebResponse& web_of(GrpcStream& stream) {
  if (stream.web == nullptr) stream.web = std::make_unique<WebResponse>();
  return *stream.web;
}

}  // namespace

GrpcServerSession::GrpcServerSession(const SessionParameters& parameters)
    : GrpcSession(parameters),
      requests_(options_, encodings_, owner_),
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

/// A call whose headers have come is handed out with its first message if that has come too, as it has for nearly every
/// unary call: behind the headers, or behind those of other calls that the client has begun at the same time. Otherwise
/// it comes without a message, because the client may wait for something before it sends one.
bool GrpcServerSession::defers_event() {
  if (input_.size() < http::http2::frame_header_bytes) return false;
  GrpcStream& stream = *streams_.unlisted();
  const http::http2::FrameHeader header = http::http2::read_frame_header(input_.data());
  const bool is_whole = input_.size() >= http::http2::frame_header_bytes + header.length;
  if (is_whole && header.type == FrameType::data && header.stream == stream.id) return true;
  // The reader alone has the name of a method without a number, until the next headers.
  if (!is_whole || stream.method_number == 0) return false;
  if (const UserAgent* const agent = requests_.user_agent()) {
    if (held_agents_.empty() || held_agents_.back() != *agent) [[unlikely]]
      add_held_agent(*agent);
    stream.held_agent = static_cast<std::uint32_t>(held_agents_.size());
  }
  held_.push_back(stream.id);
  streams_.list();
  stream.is_held = true;
  is_opening_ = false;
  return true;
}

void GrpcServerSession::add_held_agent(const UserAgent& agent) {
  if (held_.empty()) {
    held_agents_.clear();
    held_agent_bytes_ = 0;
  }
  held_agents_.push_back(agent);
  held_agent_bytes_ += sizeof(agent) + agent->size();
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
  if (!streams_.may_be_reset(id)) return fail(ErrorCode::stream_closed, "HEADERS on a stream that is closed");
  if (requests_.skip(frame.payload) == RequestReader::Outcome::failed)
    return fail(ErrorCode::compression_error, requests_.error());
  return allow_useless_headers();
}

bool GrpcServerSession::is_permitted(const http::http2::FrameHeader& header) noexcept {
  if (header.type != FrameType::rst_stream || uncounted_resets_ == 0) return GrpcSession::is_permitted(header);
  --uncounted_resets_;
  return true;
}

/// Useless HEADERS cost the client as little as other frames without a purpose.
GrpcSession::Step GrpcServerSession::allow_useless_headers() {
  if (flood_.add(now_)) return Step::again;
  return fail(ErrorCode::enhance_your_calm,
              "too many requests that are malformed, or HEADERS on streams that are over");
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
    if (frame.error) return allow_useless_headers();
    flood_.worked();
    return Step::again;
  }
  const RequestReader::Outcome outcome = requests_.read(frame.payload);
  if (outcome == RequestReader::Outcome::failed) return fail(ErrorCode::compression_error, requests_.error());
  const Request& request = requests_.request();
  const bool lacks_content = ends && request.content_length.value_or(0) > 0;
  if (outcome == RequestReader::Outcome::malformed || lacks_content) {
    streams_.note_id(id);
    refuse_stream(id, ErrorCode::protocol_error);
    return allow_useless_headers();
  }
  flood_.worked();
  if (outcome == RequestReader::Outcome::refused && refused_streams_ >= max_refused_streams) {
    streams_.note_id(id);
    refuse_stream(id, ErrorCode::refused_stream);
    return Step::again;
  }
  GrpcStream& stream =
      streams_.open_unlisted(id, exchange_.peer().initial_window_size, first_window(), &on_deadline, this);
  ++uncounted_resets_;
  stream.state =
      transition(StreamState::idle, ends ? StreamInput::receive_headers_end : StreamInput::receive_headers).next;
  stream.format = request.format;
  stream.is_get = request.is_get;
  stream.cors_origin = request.cors_origin;
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
  if (!ends) {
    if (request.expects_continue) [[unlikely]]
      responses_.write_continue(id);
    return Step::again;
  }
  if (web::may_be_empty(stream.format) && !stream.is_get) {
    event.end = true;
    return show_body(stream, {}, {}, event);
  }
  return on_peer_end(stream, event);
}

/// Keeps what is needed of the request when the call is handed out.
void GrpcServerSession::take_request(GrpcStream& stream) {
  Request& request = requests_.request();
  stream.method_number = request.method_number;
  if (request.timeout) {
    stream.call_deadline = base::deadline_after(now_, *request.timeout);
    timers_.schedule(stream.deadline, stream.call_deadline);
  }
  if (request.message) web_of(stream).query = std::exchange(request.message, std::nullopt);
  if (request.format == web::Format::route) web_of(stream).is_head = requests_.is_head();
  if (request.metadata.empty()) return;
  stream.metadata_bytes = request.metadata.total_bytes();
  metadata_bytes_ += stream.metadata_bytes;
  stream.metadata = std::move(request.metadata);
  request.metadata.clear();
}

/// Most clients send the rest of their request without waiting for the answer. The rest is then discarded.
void GrpcServerSession::answer_refused(GrpcStream& stream) {
  stream.is_refused = stream.is_finished = true;
  ++refused_streams_;
  streams_.list();
  timers_.schedule(stream.deadline, base::deadline_after(now_, time_of_refused));
  if (const std::string* const origin = requests_.preflight_origin()) {
    responses_.write_preflight(stream.id, *origin, requests_.preflight_headers());
    return end_refused(stream);
  }
  const auto& format = requests_.answer_format();
  if (!format) return refuse_with_text(stream);
  if (format == web::Format::grpc) {
    responses_.write_trailers_only(stream.id, requests_.http_status(), stream.codec, requests_.status(), nullptr);
    return end_refused(stream);
  }
  stream.format = *format;
  stream.codec = requests_.answer_codec();
  stream.web = std::make_unique<WebResponse>();
  stream.web->is_head = requests_.is_head();
  if (requests_.http_status() >= 400) stream.web->http_error = requests_.http_status();
  Slice end = write_web_end(stream, requests_.status(), nullptr);
  if (end.empty()) {
    queue_.write_frame_header(stream, 0, true);
    return end_refused(stream);
  }
  stream.ends_with_queue = true;
  queue_.push(stream, std::move(end));
}

/// The client of a request that is refused with a text is a person, or speaks another protocol.
void GrpcServerSession::refuse_with_text(GrpcStream& stream) {
  BufferWriter text;
  web::append_refusal_text(requests_.http_status(), requests_.status(), text);
  responses_.write_refusal(stream.id, requests_.http_status(), requests_.status(), requests_.allowed(),
                           requests_.cors_origin(), text.size(), requests_.is_head());
  if (requests_.is_head()) return end_refused(stream);
  stream.ends_with_queue = true;
  queue_.push(stream, text.take());
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
  if (step.action == StreamVerdict::reset) return reset_stream(stream, step.code, "HEADERS after END_STREAM", event);
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
  if (stream.web != nullptr && stream.web->query) return show_query(stream, event);
  if (stream.is_web() && stream.assembly.is_gathering() && web::takes_body(stream.format))
    return end_body(stream, event);
  if (stream.assembly.is_amid_message()) {
    return break_call(stream, {code_of_bad_message(stream), "receive message: the client ended amid a message"}, event);
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
  std::string text = "the caller has cancelled the call";
  if (code != ErrorCode::cancel && code != ErrorCode::no_error) {
    text = "the caller has reset the stream with " + std::string(http::http2::to_string(code));
  }
  cancel_for_peer(stream, Status(StatusCode::cancelled, text), event);
  return Step::event;
}

// --- events ---

/// `event` may have the call's first message and its end.
void GrpcServerSession::hand_out(GrpcStream& stream, Event& event) {
  if (std::exchange(stream.is_held, false)) {
    if (!held_.empty() && held_.front() == stream.id) held_.pop_front();
    event.method_name = requests_.method_of(stream.method_number);
    event.user_agent = stream.held_agent == 0 ? nullptr : &held_agents_[stream.held_agent - 1];
  } else {
    is_opening_ = false;
    event.method_name = requests_.request().method;
    event.user_agent = requests_.user_agent();
  }
  call_in_hand_ = stream.id;
  event.type = EventType::call;
  event.id = stream.id;
  event.context = nullptr;
  event.codec = event.has_message ? stream.codec : nullptr;
  event.response_codec = stream.codec;
  event.accepted_compressors = stream.accepted;
  event.call_compressor = stream.received_compressor;
  event.method_number = stream.method_number;
  event.method_epoch = 0;
  event.deadline = stream.call_deadline;
  event.is_get = stream.is_get;
  event.is_route = stream.format == web::Format::route;
  if (!stream.metadata.empty()) event.metadata = std::move(stream.metadata);
}

// --- calls ---

Result<CallId> GrpcServerSession::start(const CallStart&, const OutgoingMessage&) {
  return Status(StatusCode::unimplemented, "start call: a server's connection begins no calls");
}

void GrpcServerSession::attach(CallId id, void* context) {
  if (GrpcStream* const stream = streams_.find(id)) {
    stream->context = context;
    if (stream == streams_.unlisted()) streams_.list();
    if (id == call_in_hand_) call_in_hand_ = 0;
  } else if (is_closed_ && !closing_.is_last_given() && context != nullptr) {
    // The session was ended between the event and now.
    local_events_.notify({EventType::cancelled, id, context, closing_.reason()});
  }
}

Status GrpcServerSession::finish(CallId id, const Status& status, const OutgoingMessage& message,
                                 const Metadata* trailing, bool unprocessed) try {
  Status ended;
  if (!local_events_.empty()) ended = local_events_.drop(id);
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr || stream->is_finished) return ended;
  if (id == call_in_hand_) call_in_hand_ = 0;
  if (is_closed_) {
    forget(*stream);
    return {};
  }
  Status sent = status;
  if (has_entries(trailing)) [[unlikely]] {
    if (Status sendable = check_response(*stream, "finish call: trailing", *trailing); !sendable.is_ok()) {
      trailing = nullptr;
      if (sent.is_ok()) {
        sent = std::move(sendable);
      } else {
        owner_.on_metadata_dropped(sendable);
      }
    }
  }
  if (sent.is_ok() && message.has_message()) {
    if (!web::responds_once(stream->format)) [[likely]] {
      sent = write_message(*stream, message, nullptr);
    } else if (try_respond_in_place(*stream, message, trailing)) {
      count_sent();
      return sent;
    } else {
      sent = encode_body(*stream, message);
    }
    // The application's codec may have run the loop, and the call may have ended meanwhile.
    if (streams_.find(id) != stream || stream->is_finished) return sent;
    if (is_closed_) {
      forget(*stream);
      return sent;
    }
  }
  if (stream->is_web() && unprocessed) web_of(*stream).http_error = http_error_of_refusal(sent.code(), stream->is_get);
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
  if (stream->format == web::Format::route) [[unlikely]]
    return send_route(*stream, message, leading);
  if (has_entries(leading)) [[unlikely]] {
    if (Status status = check_response(*stream, "send message: leading", *leading); !status.is_ok()) return status;
  }
  if (web::responds_once(stream->format)) return send_web(*stream, message, leading);
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
  // A drain that is requested before the client's SETTINGS have come begins with them, also in two steps: the first
  // call may be on its way, and proxies such as nginx do not repeat a call that a GOAWAY does not cover.
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
  if (stream.is_web() && stream.has_queue()) {
    // A part of a message may have been sent, and what comes behind it would be taken for the rest.
    refuse_stream(id, ErrorCode::internal_error);
    return context != nullptr ? drop_call(stream, status, event) : (forget(stream), Step::again);
  }
  queue_.drop(stream);
  end_stream(stream, status, nullptr);
  if (data_stream_ == id) drop_data();
  event.clear();
  if (context == nullptr) return Step::again;
  event.type = EventType::cancelled;
  event.id = id;
  event.context = context;
  event.status = status;
  event.status.set_origin(StatusOrigin::peer);
  return Step::event;
}

/// A client that makes this side reset its streams cancels calls as well as one that resets them, so it is counted.
GrpcSession::Step GrpcServerSession::drop_call(GrpcStream& stream, const Status& status, Event& event) {
  cancel_for_peer(stream, status, event);
  return Step::event;
}

void GrpcServerSession::cancel_for_peer(GrpcStream& stream, Status status, Event& event) {
  const CallId id = stream.id;
  void* const context = stream.context;
  forget(stream);
  event.clear();
  event.type = EventType::cancelled;
  event.id = id;
  event.context = context;
  event.status = std::move(status);
  event.status.set_origin(StatusOrigin::peer);
}

/// Sends the status behind the messages that are queued.
void GrpcServerSession::end_stream(GrpcStream& stream, const Status& status, const Metadata* trailing) {
  if (stream.is_web()) return end_web(stream, status, trailing);
  if (stream.has_queue() && !status.is_ok() && status.code() == StatusCode::deadline_exceeded) queue_.drop(stream);
  end_call(stream);
  if (stream.has_queue()) {
    stream.trailers = std::make_unique<PendingTrailers>();
    stream.trailers->status = status;
    if (trailing != nullptr) stream.trailers->metadata = *trailing;
    return keep_until_sent(stream);
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

/// Ends the call for the layer above, which hears no more of it.
void GrpcServerSession::end_call(GrpcStream& stream) noexcept {
  stream.is_finished = true;
  stream.context = nullptr;
  stream.deadline.cancel();
}

/// Output that is still to be sent waits for its turn, and input is dropped. A call that nobody has seen is not handed
/// out any more.
void GrpcServerSession::keep_until_sent(GrpcStream& stream) {
  if (const std::uint32_t withheld = memory_.end(stream)) windows_.give_back(stream, withheld);
  static_cast<void>(stream.assembly.take());
  stream.is_held = false;
  if (&stream == streams_.unlisted()) {
    is_opening_ = false;
    streams_.list();
  }
  update_memory();
}

/// END_STREAM has been sent. A client that has more to send is told that nobody reads it (RFC 9113, section 8.1).
void GrpcServerSession::close_stream(GrpcStream& stream) {
  if (!stream.has_peer_ended()) {
    if (may_linger(stream)) return linger(stream);
    refuse_stream(stream.id, ErrorCode::no_error);
  }
  forget(stream);
}

bool GrpcServerSession::may_linger(const GrpcStream& stream) const noexcept {
  return stream.is_web() && !stream.is_refused && refused_streams_ < max_refused_streams &&
         !exchange_.has_begun_goaway() && !exchange_.has_sent_goaway();
}

/// curl takes a reset that comes with the response for a failure, and shows nothing of the response. So whatever the
/// client has on its way is discarded first, like the rest of a request that is refused.
void GrpcServerSession::linger(GrpcStream& stream) {
  static_cast<void>(memory_.end(stream));
  static_cast<void>(stream.assembly.take());
  stream.web.reset();
  // The client may still send all that its window allows, so that no reset comes right behind the response.
  stream.returnable = bytes_of_refused - std::int64_t{stream.receive_window.available()};
  stream.is_refused = stream.is_finished = true;
  stream.is_held = false;
  ++refused_streams_;
  if (&stream == streams_.unlisted()) {
    is_opening_ = false;
    streams_.list();
  }
  timers_.schedule(stream.deadline, base::deadline_after(now_, time_of_refused));
}

void GrpcServerSession::on_queue_sent(GrpcStream& stream) {
  flood_.worked();
  if (stream.is_refused) return end_refused(stream);
  if (stream.trailers != nullptr) {
    responses_.write_trailers(stream.id, stream.trailers->status, &stream.trailers->metadata);
    return close_stream(stream);
  }
  if (stream.ends_with_queue) {
    note_end_sent(stream);
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
  static_cast<void>(local_events_.drop(stream.id));
  if (stream.context != nullptr) local_events_.push({EventType::cancelled, stream.id, stream.context, status});
  end_stream(stream, status, nullptr);
}

// --- output ---

void GrpcServerSession::write_headers(GrpcStream& stream, const Metadata* leading, const Compressor* compressor) {
  stream.has_sent_headers = true;
  stream.sent_compressor = compressor;
  if (stream.is_web()) {
    return responses_.write_web_head(stream.id,
                                     {.format = stream.format,
                                      .codec = stream.codec,
                                      .compressor = compressor,
                                      .leading = leading,
                                      .cors_origin = stream.cors_origin},
                                     false);
  }
  responses_.write_headers(stream.id, *stream.codec, compressor, leading);
}

// --- other protocols than gRPC ---

/// The call is a GET, and its message stands in the query.
GrpcSession::Step GrpcServerSession::show_query(GrpcStream& stream, Event& event) {
  payload_ = *std::exchange(stream.web->query, std::nullopt);
  const auto length = static_cast<std::uint32_t>(payload_.size());
  event.end = true;
  return show_body(stream, payload_, {0, 0, length}, event);
}

/// Sends for a call whose format responds once. The headers wait until it is known how the call ends.
Status GrpcServerSession::send_web(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading) {
  WebResponse& kept = web_of(stream);
  if (leading != nullptr && !leading->empty()) kept.leading = *leading;
  if (!message.has_message()) return {};
  if (stream.format != web::Format::plain || stream.codec->name() != "json") {
    return {StatusCode::unimplemented,
            "send message: the method responds with a stream, which Connect sends to requests of the content-type "
            "application/connect+" +
                std::string(web::subtype_of(*stream.codec))};
  }
  stream.format = web::Format::lines;
  const Metadata sent = std::move(kept.leading);
  Status status = write_message(stream, message, &sent);
  count_sent();
  return status;
}

/// Keeps the fields of a route's response, which wait for its content.
Status GrpcServerSession::send_route(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading) {
  if (message.has_message()) return {StatusCode::unimplemented, "send message: a route responds once"};
  if (leading == nullptr) return {};
  if (Status status = web::check_route_response(*leading); !status.is_ok()) return status;
  if (Status status = check_list("send response: leading", *leading); !status.is_ok()) return status;
  web_of(stream).leading = *leading;
  return {};
}

/// Writes the response of a format that responds once straight into the output, and ends the call. Returns false and
/// writes nothing if the message has to be encoded first, or to wait.
bool GrpcServerSession::try_respond_in_place(GrpcStream& stream, const OutgoingMessage& message,
                                             const Metadata* trailing) {
  if (stream.format == web::Format::route) return false;
  const MessageType* const type = message.message.type;
  if (type == nullptr || type->size == nullptr || stream.codec->name() != type->direct_codec) return false;
  const std::size_t size = type->size(message.message.object);
  if (!queue_.may_write(stream, size)) return false;
  if (compressor_of(stream, message) != nullptr && size >= options_.compression_threshold) return false;
  static_cast<void>(write_web_head(stream, {}, trailing));
  queue_.write_frame_header(stream, size, true);
  if (size > 0) {
    type->write(message.message.object, output_.reserve(size));
    output_.commit(size);
  }
  payload_bytes_accepted_ += size;
  note_end_sent(stream);
  end_call(stream);
  close_stream(stream);
  return true;
}

/// Encodes and keeps the message of which the response will consist.
Status GrpcServerSession::encode_body(GrpcStream& stream, const OutgoingMessage& message) {
  const CallId id = stream.id;
  Slice body;
  bool is_compressed = false;
  Status status = encode(*stream.codec, message, compressor_of(stream, message), body, is_compressed);
  // The application's codec may run the loop, and the call may have ended meanwhile.
  if (!status.is_ok() || streams_.find(id) != &stream || is_closed_) return status;
  payload_bytes_accepted_ += body.size();
  if (is_compressed) stream.sent_compressor = message.compressor;
  web_of(stream).body = std::move(body);
  return {};
}

/// Sends the end of a call of another protocol, as end_stream() does for gRPC.
void GrpcServerSession::end_web(GrpcStream& stream, const Status& status, const Metadata* trailing) {
  end_call(stream);
  if (stream.has_queue() && status.code() == StatusCode::deadline_exceeded) {
    // A part of a message may have been sent, and what comes behind it would be taken for the rest.
    refuse_stream(stream.id, ErrorCode::cancel);
    return forget(stream);
  }
  Slice end = write_web_end(stream, status, trailing);
  write_content(stream, std::move(end), true);
  if (stream.ends_with_queue) return keep_until_sent(stream);
  close_stream(stream);
}

/// Writes the headers of a response that may be an error. Returns false if nothing comes behind them.
bool GrpcServerSession::write_web_head(GrpcStream& stream, const Status& status, const Metadata* trailing) {
  const WebResponse* const kept = stream.web.get();
  stream.has_sent_headers = true;
  const web::ResponseHead head{.format = stream.format,
                               .codec = stream.codec,
                               .compressor = status.is_ok() ? stream.sent_compressor : nullptr,
                               .status = &status,
                               .http_error = kept != nullptr ? kept->http_error : 0,
                               .leading = kept != nullptr ? &kept->leading : nullptr,
                               .trailing = trailing,
                               .content_bytes = kept != nullptr ? kept->body.size() : 0,
                               .cors_origin = stream.cors_origin};
  responses_.write_web_head(stream.id, head, false);
  return head.has_content() && (kept == nullptr || !kept->is_head);
}

/// Writes the headers, unless they have been sent. Returns what ends the response.
Slice GrpcServerSession::write_web_end(GrpcStream& stream, const Status& status, const Metadata* trailing) {
  if (!stream.has_sent_headers && !write_web_head(stream, status, trailing)) return {};
  if (status.is_ok() && web::responds_once(stream.format))
    return stream.web != nullptr ? std::move(stream.web->body) : Slice();
  BufferWriter end;
  web::append_end(stream.format, status, trailing, end);
  return end.take();
}

Status GrpcServerSession::check_response(const GrpcStream& stream, std::string_view what,
                                         const Metadata& metadata) const {
  if (stream.is_web()) {
    if (const Status status = web::check_web_metadata(metadata); !status.is_ok()) {
      return {StatusCode::internal, status.message()};
    }
  }
  return check_metadata(what, &metadata);
}

}  // namespace trunkline::session::grpc
