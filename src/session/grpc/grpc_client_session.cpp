// SPDX-License-Identifier: MIT
// Calls to requests, and responses.
#include "session/grpc/grpc_client_session.h"

#include "session/grpc/http_outcome.h"
#include "session/grpc/metadata_fields.h"
#include "session/grpc/request_reader.h"
#include "session/grpc/response_writer.h"
#include "wire/header_block.h"
#include "wire/text.h"

#include <array>
#include <string>
#include <utility>

namespace trunkline::session::grpc {

namespace {

using http::http2::ErrorCode;
using http::http2::Frame;
using http::http2::Setting;
using http::http2::SettingId;
using http::http2::StreamAction;
using http::http2::StreamInput;
using http::http2::StreamState;
using http::http2::StreamTransition;
namespace flag = http::http2::flag;

/// Messages that wait for the server's windows may occupy so many times max_unsent_bytes before further calls wait.
constexpr std::size_t blocked_share = 16;
/// Servers of gRPC end connections whose clients ping more often, unless they are told otherwise (gRPC's A8), so the
/// default of the native protocol will not do.
constexpr std::chrono::minutes usual_keepalive_interval{5};
constexpr std::string_view default_codec_name = "protobuf";

std::string text_of_goaway(const http::http2::GoawayPayload& goaway) {
  if (goaway.code == ErrorCode::no_error && goaway.debug_data.empty()) return "the peer is going away";
  std::string debug(goaway.debug_data.size(), '\0');
  wire::copy_as_utf8(as_text(goaway.debug_data), reinterpret_cast<std::byte*>(debug.data()));
  std::string text = "the peer ended the connection with " + std::string(http::http2::to_string(goaway.code));
  if (!debug.empty()) text.append(": ").append(wire::escape_controls(debug));
  return text;
}

}  // namespace

GrpcClientSession::GrpcClientSession(const SessionParameters& parameters)
    : GrpcSession(parameters),
      requests_(options_, encodings_, parameters.is_encrypted, exchange_.peer(), output_),
      responses_(options_, encodings_) {
  const std::array<Setting, 3> settings{
      {{SettingId::enable_push, 0},
       {SettingId::initial_window_size, ReceiveWindows::first_window(role_, options_.limits)},
       {SettingId::max_header_list_size, options_.limits.max_header_bytes}}};
  if (options_.limits.keepalive_interval == ConnectionLimits{}.keepalive_interval) {
    keepalive_.set_interval(usual_keepalive_interval);
  }
  control_.append(http::http2::client_preface);
  http::http2::PeerExchange::write_greeting(settings, options_.limits.connection_credit_bytes, control_);
  write_control();
}

GrpcClientSession::~GrpcClientSession() = default;

// --- calls ---

bool GrpcClientSession::can_start() const noexcept {
  const std::size_t most = options_.limits.max_unsent_bytes;
  const bool is_congested = output_.size() > most || queue_.queued_bytes() > blocked_share * most;
  const bool may =
      !is_closed_ && !is_drain_requested_ && !exchange_.has_peer_goaway() && next_id_ <= http::http2::max_stream_id &&
      streams_.size() < exchange_.peer().max_concurrent_streams && !is_congested && !memory_share_.is_short();
  if (!may) {
    is_start_awaited_ = true;
    if (!is_closed_ && memory_share_.is_short() && !memory_timer_.is_scheduled()) {
      timers_.schedule(memory_timer_, now_ + memory_retry_.pause(now_));
    }
  }
  return may;
}

void GrpcClientSession::on_room() noexcept {
  if (!is_start_awaited_ || !can_start()) return;
  try {
    local_events_.notify({EventType::writable, 0, nullptr, {}});
    is_start_awaited_ = false;
  } catch (...) {
    // No memory for the event. The next input or output tries again.
  }
}

Status GrpcClientSession::check_start(const CallStart& start) const {
  if (options_.ordered) {
    return {StatusCode::unimplemented, "start call: gRPC cannot keep the order of calls, which the channel asks for"};
  }
  if (!wire::is_method_name(start.method.name)) {
    return {StatusCode::invalid_argument, "start call: a method's name is 1 to 1024 bytes of UTF-8"};
  }
  if (start.metadata == nullptr || start.metadata->empty()) return {};
  if (Status status = check_sendable(*start.metadata); !status.is_ok()) return status;
  return check_metadata("start call:", start.metadata);
}

const Codec* GrpcClientSession::codec_of(const CallStart& start, const OutgoingMessage& message) const {
  if (message.has_message()) return message.codec;
  if (start.codec != nullptr) return start.codec;
  if (const Codec* const usual = options_.codecs->find(default_codec_name)) return usual;
  return options_.codecs->codecs().empty() ? nullptr : options_.codecs->codecs().front().get();
}

Result<CallId> GrpcClientSession::start(const CallStart& start, const OutgoingMessage& message) try {
  if (is_closed_) return Status(StatusCode::unavailable, "start call: the connection is closed");
  if (start.deadline != base::never && start.now > now_) now_ = start.now;
  if (Status status = check_start(start); !status.is_ok()) return status;
  const Codec* const codec = codec_of(start, message);
  if (codec == nullptr) return Status(StatusCode::unimplemented, "start call: the channel has no codec");
  const bool ends = start.end || start.one_way;
  const Compressor* const compressor = compressor_for(message);
  const MessageType* const type = message.message.type;
  const bool is_direct = message.has_message() && type != nullptr && type->size != nullptr &&
                         codec->name() == type->direct_codec && compressor == nullptr;
  Slice payload;
  bool is_compressed = false;
  if (message.has_message() && !is_direct) {
    if (Status status = encode(*codec, message, compressor, payload, is_compressed); !status.is_ok()) return status;
    // The application's codec may run the loop, which starts other calls: this one has no id before.
    if (is_closed_ || next_id_ > http::http2::max_stream_id) {
      Status status(StatusCode::unavailable, "start call: the connection has ended while the message was encoded");
      status.set_may_have_run(false);
      return status;
    }
  }
  GrpcStream& stream = open(start, *codec, compressor);
  const CallId id = stream.id;
  if (is_direct) {
    if (!try_write_in_place(stream, message, nullptr, ends)) {
      BufferWriter writer;
      std::byte* const out = writer.prepare(type->size(message.message.object)).data();
      type->write(message.message.object, out);
      writer.advance(type->size(message.message.object));
      write_encoded(stream, writer.take(), false, ends);
    }
  } else if (message.has_message() || ends) {
    // A unary call has a message, even if it is an empty one.
    write_encoded(stream, std::move(payload), is_compressed, ends);
  }
  count_sent();
  return id;
} catch (...) {
  lose_connection();
  throw;
}

/// What the messages of a call may be compressed with. A server that has not said what it accepts may accept it.
const Compressor* GrpcClientSession::compressor_for(const OutgoingMessage& message) const noexcept {
  const Compressor* const wanted = message.compressor;
  if (wanted == nullptr || encodings_.find(wanted->name()) != wanted) return nullptr;
  return !server_accepts_ || encodings_.contains(*server_accepts_, *wanted) ? wanted : nullptr;
}

/// Writes the headers.
GrpcStream& GrpcClientSession::open(const CallStart& start, const Codec& codec, const Compressor* compressor) {
  GrpcStream& stream = streams_.add(next_id_, exchange_.peer().initial_window_size,
                                    ReceiveWindows::first_window(role_, options_.limits), &on_deadline, this);
  next_id_ += 2;
  stream.state = StreamState::open;
  stream.context = start.one_way ? nullptr : start.context;
  stream.is_finished = start.one_way;
  stream.codec = &codec;
  stream.sent_compressor = compressor;
  stream.has_sent_headers = true;
  RequestHeaders headers{.method = start.method,
                         .codec = &codec,
                         .compressor = compressor,
                         .timeout = {},
                         .previous_attempts = start.previous_attempts,
                         .metadata = start.metadata};
  if (start.deadline != base::never) {
    headers.timeout = start.deadline - now_;
    timers_.schedule(stream.deadline, start.deadline);
  }
  requests_.write_headers(stream.id, headers);
  stream.headers_end = written_bytes_ + output_.size();
  return stream;
}

Status GrpcClientSession::send(CallId id, const OutgoingMessage& message, const Metadata*, bool end) try {
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr || stream->is_finished || is_closed_) {
    return {StatusCode::cancelled, "send message: the call is over"};
  }
  if (stream->has_ended()) {
    return {StatusCode::failed_precondition, "send message: this side of the call has been closed"};
  }
  if (message.has_message()) {
    Status status = write_message(*stream, message, nullptr, end);
    count_sent();
    return status;
  }
  if (end) end_sending(*stream);
  return {};
} catch (...) {
  lose_connection();
  throw;
}

void GrpcClientSession::end_sending(GrpcStream& stream) {
  if (stream.has_queue()) {
    stream.ends_with_queue = true;
    return;
  }
  queue_.write_frame_header(stream, 0, true);
  note_end_sent(stream);
}

void GrpcClientSession::on_queue_sent(GrpcStream& stream) {
  flood_.worked();
  if (stream.ends_with_queue) return note_end_sent(stream);
  notify_writable(stream);
}

void GrpcClientSession::cancel(CallId id, StatusCode /*reason*/) {
  if (!local_events_.empty()) local_events_.drop(id);
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr) return;
  if (!is_closed_) refuse_stream(id, ErrorCode::cancel);
  forget(*stream);
  if (!is_closed_) on_room();
}

bool GrpcClientSession::is_drained() const noexcept {
  if (is_closed_) return false;
  const bool is_leaving = is_drain_requested_ || exchange_.has_peer_goaway() || next_id_ > http::http2::max_stream_id;
  return is_leaving && streams_.empty() && output_.empty() && queue_.queued_bytes() == 0 && local_events_.empty();
}

// --- responses ---

GrpcSession::Step GrpcClientSession::on_headers(const Frame& frame, Event& event) {
  const CallId id = frame.header.stream;
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr) {
    if (streams_.is_idle(id)) return fail(ErrorCode::protocol_error, "HEADERS on a stream that is idle");
    // This side has cancelled the call, maybe long ago.
    if (responses_.skip(frame.payload) != ResponseReader::Outcome::failed) return Step::again;
    return fail(ErrorCode::compression_error, responses_.error());
  }
  const bool ends = frame.header.has(flag::end_stream);
  const bool is_first = !stream->has_response;
  using Section = ResponseReader::Section;
  const ResponseReader::Outcome outcome =
      responses_.read(frame.payload, is_first ? Section::response : Section::trailers);
  if (outcome == ResponseReader::Outcome::failed) return fail(ErrorCode::compression_error, responses_.error());
  if (frame.error) return reset_stream(*stream, frame.error.code, frame.error.reason, event);
  const bool is_interim = is_first && responses_.response().http_status < 200;
  const bool is_out_of_place = is_first ? is_interim && ends : !ends;
  if (outcome == ResponseReader::Outcome::malformed || is_out_of_place) {
    return reset_stream(*stream, ErrorCode::protocol_error, "the headers of the response are malformed", event);
  }
  if (outcome == ResponseReader::Outcome::refused) return cancel_call(*stream, responses_.status(), event);
  if (is_interim) return Step::again;
  if (ends && !stream->take_content(0, true)) {
    return reset_stream(*stream, ErrorCode::protocol_error, "content-length is not the size of DATA", event);
  }
  stream->state =
      transition(stream->state, ends ? StreamInput::receive_headers_end : StreamInput::receive_headers).next;
  if (const auto accepted = responses_.response().accepted) server_accepts_ = *accepted;
  return ends ? on_trailers(*stream, event) : on_leading(*stream, event);
}

GrpcSession::Step GrpcClientSession::on_leading(GrpcStream& stream, Event& event) {
  Response& response = responses_.response();
  stream.has_response = true;
  if (response.http_status != 200 || response.content == ResponseContent::none ||
      response.content == ResponseContent::other) {
    return cancel_call(stream, unlike_grpc(), event);
  }
  if (response.content == ResponseContent::of_codec && response.codec != stream.codec) {
    const std::string name = response.codec != nullptr ? std::string(response.codec->name())
                                                       : "of content-type " + responses_.other_content_type();
    return cancel_call(stream,
                       {StatusCode::internal, "receive headers: the codec " + name + " is not that of the request, " +
                                                  std::string(stream.codec->name())},
                       event);
  }
  stream.received_compressor = response.compressor;
  stream.content_left = response.content_length;
  if (stream.is_finished || response.metadata.empty()) return Step::again;
  event.type = EventType::message;
  event.id = stream.id;
  event.context = stream.context;
  event.metadata = std::move(response.metadata);
  response.metadata.clear();
  return Step::event;
}

/// A proxy has answered, or a server that does not know gRPC.
Status GrpcClientSession::unlike_grpc() const {
  const Response& response = const_cast<ResponseReader&>(responses_).response();
  std::string text = "receive headers: HTTP status " + std::to_string(response.http_status);
  if (response.content == ResponseContent::none) text += " without content-type";
  if (response.content == ResponseContent::other) text += " with content-type " + responses_.other_content_type();
  return {code_of_http_status(response.http_status), text, StatusOrigin::transport};
}

/// With END_STREAM.
GrpcSession::Step GrpcClientSession::on_trailers(GrpcStream& stream, Event& event) {
  Status status = outcome(stream);
  if (stream.state == StreamState::half_closed_remote) refuse_stream(stream.id, ErrorCode::no_error);
  Response& response = responses_.response();
  event.metadata = std::move(response.metadata);
  response.metadata.clear();
  event.pushback = response.pushback;
  return finish_call(stream, std::move(status), event);
}

/// What the trailers say, or what is wrong with them.
Status GrpcClientSession::outcome(const GrpcStream& stream) const {
  const Response& response = const_cast<ResponseReader&>(responses_).response();
  if (!response.has_status) {
    const bool is_grpc = response.content == ResponseContent::of_call || response.content == ResponseContent::of_codec;
    if (!stream.has_response && !(response.http_status == 200 && is_grpc)) return unlike_grpc();
    return {StatusCode::unknown, "receive trailers: no grpc-status", StatusOrigin::transport};
  }
  if (responses_.status().is_ok() && stream.assembly.is_amid_message()) {
    return {StatusCode::internal, "receive message: the server ended amid a message", StatusOrigin::transport};
  }
  return responses_.status();
}

/// END_STREAM has come with DATA.
GrpcSession::Step GrpcClientSession::on_peer_end(GrpcStream& stream, Event& event) {
  if (stream.state == StreamState::half_closed_remote) refuse_stream(stream.id, ErrorCode::no_error);
  const std::string_view what = stream.assembly.is_amid_message() ? "receive message: the server ended amid a message"
                                                                  : "receive: the response has no trailers";
  return finish_call(stream, {StatusCode::internal, what, StatusOrigin::transport}, event);
}

GrpcSession::Step GrpcClientSession::on_peer_reset(GrpcStream& stream, ErrorCode code, Event& event) {
  const bool is_late =
      code == ErrorCode::cancel && stream.deadline.is_scheduled() && stream.deadline.deadline() <= now_;
  Status status(is_late ? StatusCode::deadline_exceeded : code_of_reset(code),
                is_late ? "deadline exceeded"
                        : "the server has reset the stream with " + std::string(http::http2::to_string(code)),
                StatusOrigin::transport);
  if (code == ErrorCode::refused_stream) status.set_may_have_run(false);
  return finish_call(stream, std::move(status), event);
}

GrpcSession::Step GrpcClientSession::on_goaway(const Frame& frame, Event& event) {
  if (const http::http2::FrameError error = exchange_.on_goaway(frame)) return fail(error.code, error.reason);
  const http::http2::GoawayPayload goaway = http::http2::read_goaway(frame.payload);
  const Status why(StatusCode::unavailable, text_of_goaway(goaway), StatusOrigin::peer);
  for (GrpcStream* const stream : streams_.by_age()) {
    if (stream->id <= goaway.last_stream) continue;
    Status status = why;
    status.set_may_have_run(false);
    finish_later(*stream, std::move(status));
  }
  event.type = EventType::going_away;
  event.id = goaway.last_stream;
  if (goaway.code != ErrorCode::no_error) event.status = why;
  return Step::event;
}

/// The headers are sent in any case, so the call may run.
void GrpcClientSession::on_stream_deadline(GrpcStream& stream) {
  Status status(StatusCode::deadline_exceeded, "deadline exceeded");
  refuse_stream(stream.id, ErrorCode::cancel);
  finish_later(stream, std::move(status));
  on_room();
}

// --- the end of calls ---

/// The call cannot go on, and `status` says why.
GrpcSession::Step GrpcClientSession::cancel_call(GrpcStream& stream, const Status& status, Event& event) {
  refuse_stream(stream.id, ErrorCode::cancel);
  return finish_call(stream, status, event);
}

GrpcSession::Step GrpcClientSession::break_call(GrpcStream& stream, const Status& status, Event& event) {
  const CallId id = stream.id;
  refuse_stream(id, ErrorCode::cancel);
  event.clear();
  const Step step = finish_call(stream, status, event);
  if (data_stream_ == id) drop_data();
  return step;
}

GrpcSession::Step GrpcClientSession::drop_call(GrpcStream& stream, const Status& status, Event& event) {
  event.clear();
  return finish_call(stream, status, event);
}

/// Nobody waits for the end of a one-way call.
GrpcSession::Step GrpcClientSession::finish_call(GrpcStream& stream, Status status, Event& event) {
  event.type = EventType::finished;
  event.id = stream.id;
  event.context = stream.context;
  event.status = std::move(status);
  const bool is_wanted = !stream.is_finished;
  if (!local_events_.empty()) local_events_.drop(stream.id);
  forget(stream);
  on_room();
  if (is_wanted) return Step::event;
  event.clear();
  return Step::again;
}

/// As finish_call(), where another event comes first.
void GrpcClientSession::finish_later(GrpcStream& stream, Status status) {
  local_events_.drop(stream.id);
  if (!stream.is_finished) {
    local_events_.push({EventType::finished, stream.id, stream.context, std::move(status)});
  }
  forget(stream);
}

}  // namespace trunkline::session::grpc
