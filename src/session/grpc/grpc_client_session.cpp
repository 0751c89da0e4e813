// SPDX-License-Identifier: MIT
// Turns calls into requests over HTTP/2, and reads their responses.
#include "session/grpc/grpc_client_session.h"

#include "session/grpc/http_outcome.h"
#include "session/grpc/request_reader.h"
#include "session/grpc/response_writer.h"
#include "session/web/message_prefix.h"
#include "session/web/metadata_fields.h"
#include "session/web/request_head.h"
#include "session/web/response_head.h"
#include "wire/header_block.h"
#include "wire/text.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace trunkline::session::grpc {

namespace {

using http::http2::ErrorCode;
using http::http2::Frame;
using http::http2::frame_header_bytes;
using http::http2::FrameHeader;
using http::http2::FrameType;
using http::http2::Setting;
using http::http2::SettingId;
using http::http2::StreamInput;
using http::http2::StreamState;
using http::http2::StreamTransition;
using http::http2::StreamVerdict;
namespace flag = http::http2::flag;

/// Further calls wait once messages that wait for the server's windows occupy this many times max_unsent_bytes.
constexpr std::size_t blocked_share = 16;
/// Servers of gRPC end connections whose clients ping more often, unless they are told otherwise (gRPC's A8), so the
/// default of the native protocol will not do.
constexpr std::chrono::minutes usual_keepalive_interval{5};
constexpr std::string_view default_codec_name = "protobuf";
/// Texts of errors have no more of the debug data of GOAWAY than this, because every open call gets a copy.
constexpr std::size_t most_debug_bytes = 256;
/// When this side ends a call, this many header blocks and RST_STREAM frames may still be on their way.
constexpr std::uint64_t late_frames_per_call = 4;

std::string name_of(ErrorCode code) {
  const std::string_view name = http::http2::to_string(code);
  return name != "unknown" ? std::string(name) : "the unknown code " + std::to_string(static_cast<std::uint32_t>(code));
}

std::string text_of_goaway(const http::http2::GoawayPayload& goaway) {
  if (goaway.code == ErrorCode::no_error && goaway.debug_data.empty()) return "the peer is going away";
  const ByteSpan shown = goaway.debug_data.first(std::min(goaway.debug_data.size(), most_debug_bytes));
  std::string debug(shown.size(), '\0');
  wire::copy_as_utf8(as_text(shown), reinterpret_cast<std::byte*>(debug.data()));
  std::string text = "the peer ended the connection with " + name_of(goaway.code);
  if (!debug.empty()) text.append(": ").append(wire::escape_controls(debug));
  if (goaway.code == ErrorCode::enhance_your_calm && debug == "too_many_pings") {
    text += "; keepalive_interval is shorter than the server allows";
  }
  return text;
}

}  // namespace

GrpcClientSession::GrpcClientSession(const SessionParameters& parameters, ClientProtocol protocol, CallId first_id)
    : GrpcSession(parameters),
      protocol_(protocol),
      requests_(options_, encodings_, parameters.is_encrypted, exchange_.peer(), output_),
      responses_(options_, encodings_, protocol),
      end_metadata_(options_.limits.max_header_bytes),
      next_id_(first_id) {
  uses_text_ = protocol == ClientProtocol::grpc_web && options_.grpc_web_text;
  const std::array<Setting, 3> settings{{{SettingId::enable_push, 0},
                                         {SettingId::initial_window_size, first_window()},
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

bool GrpcClientSession::is_congested() const noexcept {
  const std::size_t most = options_.limits.max_unsent_bytes;
  const std::size_t contending = queue_.held_bytes() - queue_.held_back_bytes();
  return output_.size() > most || contending > blocked_share * most;
}

bool GrpcClientSession::can_start() const noexcept {
  const bool may =
      !is_closed_ && !is_drain_requested_ && !exchange_.has_peer_goaway() && next_id_ <= http::http2::max_stream_id &&
      streams_.size() < exchange_.peer().max_concurrent_streams && !is_congested() && !memory_share_.is_short();
  if (!may) {
    is_start_awaited_ = true;
    if (!is_closed_ && memory_share_.is_short()) memory_retry_.wait(now_);
  }
  return may;
}

AwaitedLimit GrpcClientSession::awaited_limit() const noexcept {
  using Owner = AwaitedLimit::Owner;
  const std::uint32_t most_streams = exchange_.peer().max_concurrent_streams;
  if (streams_.size() >= most_streams) return {Owner::server, "SETTINGS_MAX_CONCURRENT_STREAMS", most_streams};
  if (is_congested()) return {Owner::channel, "max_unsent_bytes", options_.limits.max_unsent_bytes};
  if (memory_share_.is_short()) return {Owner::channel, "max_memory_bytes", options_.memory->max_bytes()};
  return {};
}

void GrpcClientSession::on_room() noexcept {
  if (!is_start_awaited_ || !can_start()) return;
  try {
    local_events_.notify({EventType::writable, 0, nullptr, {}});
    is_start_awaited_ = false;
  } catch (...) {
    // There is no memory for the event. The next input or output tries again.
  }
}

Status GrpcClientSession::check_start(const CallStart& start) const {
  if (options_.ordered) {
    return {StatusCode::unimplemented,
            "start call: " + std::string(title()) + " cannot keep the order of calls, which the channel asks for"};
  }
  if (!requests_.knows(start.method) && !wire::is_method_name(start.method.name)) {
    return {StatusCode::invalid_argument, "start call: a method's name is 1 to 1024 bytes of UTF-8"};
  }
  if (start.metadata == nullptr || start.metadata->empty()) return {};
  const Status status = protocol_ == ClientProtocol::grpc ? web::check_sendable(*start.metadata)
                                                          : web::check_web_metadata(*start.metadata);
  if (!status.is_ok()) return status;
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
  const web::Format format = format_of(start);
  const bool is_direct = web::is_enveloped(format) && !uses_text_ && message.has_message() && type != nullptr &&
                         type->size != nullptr && codec->name() == type->direct_codec && compressor == nullptr;
  Slice payload;
  bool is_compressed = false;
  if (message.has_message() && !is_direct) {
    // If the caller wants a body compressed, it is, even if that makes it longer: servers may insist on it.
    const bool in_any_case = !web::is_enveloped(format);
    if (Status status = encode(*codec, message, compressor, payload, is_compressed, in_any_case); !status.is_ok())
      return status;
    // The application's codec may run the loop, which starts other calls, so this call gets its id only afterwards.
    if (is_closed_ || next_id_ > http::http2::max_stream_id) {
      Status status(StatusCode::unavailable, "start call: the connection has ended while the message was encoded");
      status.set_may_have_run(false);
      return status;
    }
  }
  // A body has no flag that says whether it is compressed.
  const Compressor* const named = web::is_enveloped(format) || is_compressed ? compressor : nullptr;
  if (format == web::Format::connect_unary && try_make_query(start, *codec, payload, named)) {
    payload_bytes_accepted_ += payload.size();
    GrpcStream& stream = open(start, *codec, named, as_text(query_.bytes()));
    note_end_sent(stream);
    count_sent();
    opening_ = 0;
    return stream.id;
  }
  GrpcStream& stream = open(start, *codec, named);
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
  opening_ = 0;
  return id;
} catch (...) {
  // The caller has no id, and may be gone when the connection tells of its calls.
  if (GrpcStream* const opened = streams_.find(std::exchange(opening_, 0)); opened != nullptr) {
    opened->context = nullptr;
    opened->is_finished = true;
  }
  lose_connection();
  throw;
}

/// Returns false if the call is a POST.
bool GrpcClientSession::try_make_query(const CallStart& start, const Codec& codec, const Slice& payload,
                                       const Compressor* compressor) {
  // Servers, and the proxies before them, take URLs of some kilobytes.
  constexpr std::size_t longest = 4096;
  if (!options_.http_get || !start.is_idempotent || start.one_way || payload.size() > longest) return false;
  query_.clear();
  web::append_get_query(codec, payload.bytes(), compressor, query_);
  return start.method.name.size() + query_.size() <= longest;
}

/// Returns the compressor for a call's messages, or null. A server that has not said what it accepts may accept any.
const Compressor* GrpcClientSession::compressor_for(const OutgoingMessage& message) const noexcept {
  const Compressor* const wanted = message.compressor;
  if (wanted == nullptr || encodings_.find(wanted->name()) != wanted) return nullptr;
  return !server_accepts_ || encodings_.contains(*server_accepts_, *wanted) ? wanted : nullptr;
}

web::Format GrpcClientSession::format_of(const CallStart& start) const noexcept {
  switch (protocol_) {
    case ClientProtocol::grpc:
      return web::Format::grpc;
    case ClientProtocol::grpc_web:
      return web::Format::grpc_web;
    case ClientProtocol::connect:
      break;
  }
  return start.is_stream ? web::Format::connect_stream : web::Format::connect_unary;
}

/// Opens a stream for the call, and writes its headers.
GrpcStream& GrpcClientSession::open(const CallStart& start, const Codec& codec, const Compressor* compressor,
                                    std::string_view query) {
  GrpcStream& stream = streams_.add(next_id_, exchange_.peer().initial_window_size, first_window(), &on_deadline, this);
  next_id_ += 2;
  // Further calls need another connection.
  if (next_id_ > http::http2::max_stream_id) local_events_.notify({EventType::going_away, stream.id, nullptr, {}});
  opening_ = stream.id;
  stream.state = StreamState::open;
  stream.format = format_of(start);
  stream.context = start.one_way ? nullptr : start.context;
  stream.is_finished = start.one_way;
  stream.codec = &codec;
  stream.sent_compressor = compressor;
  stream.has_sent_headers = true;
  RequestHeaders headers{.format = uses_text_ ? web::Format::grpc_web_text : stream.format,
                         .query = query,
                         .method = start.method,
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
  add_own_output(http::http2::frame_header_bytes);
  note_end_sent(stream);
}

void GrpcClientSession::on_queue_sent(GrpcStream& stream) {
  flood_.worked();
  if (stream.ends_with_queue) return note_end_sent(stream);
  notify_writable(stream);
}

void GrpcClientSession::cancel(CallId id, StatusCode /*reason*/) {
  if (!local_events_.empty()) static_cast<void>(local_events_.drop(id));
  GrpcStream* const stream = streams_.find(id);
  if (stream == nullptr) return;
  if (!is_closed_) write_cancel(id);
  forget(*stream);
  if (!is_closed_) on_room();
}

/// This side ends the call of its own accord, not because of what the server has sent.
void GrpcClientSession::write_cancel(CallId id) {
  const std::size_t before = output_.size();
  refuse_stream(id, ErrorCode::cancel);
  late_frames_ += late_frames_per_call;
  add_own_output(output_.size() - before);
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
    if (responses_.skip(frame.payload) == ResponseReader::Outcome::failed)
      return fail(ErrorCode::compression_error, responses_.error());
    if (allows_late_frame()) return Step::again;
    return fail(ErrorCode::enhance_your_calm, "too many HEADERS on streams that are over");
  }
  flood_.worked();
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
  if (is_interim) {
    // HEADERS count as work, but a server may send any number of interim responses before the one that counts.
    if (flood_.add(now_, http::http2::FloodLimit::per_work + 1)) return Step::again;
    return fail(ErrorCode::enhance_your_calm, "too many interim responses");
  }
  if (ends && !stream->take_content(0, true)) {
    return reset_stream(*stream, ErrorCode::protocol_error, "content-length is not the size of DATA", event);
  }
  stream->state =
      transition(stream->state, ends ? StreamInput::receive_headers_end : StreamInput::receive_headers).next;
  if (const auto accepted = responses_.response().accepted) server_accepts_ = *accepted;
  if (stream->is_web()) return on_web_headers(*stream, ends, event);
  return ends ? on_trailers(*stream, event) : on_leading(*stream, event);
}

/// A frame has come on a stream that is over. Returns false if there are too many of them.
bool GrpcClientSession::allows_late_frame() noexcept {
  if (late_frames_ == 0) return flood_.add(now_);
  --late_frames_;
  return true;
}

bool GrpcClientSession::is_permitted(const FrameHeader& header) noexcept {
  const bool is_late = header.type == FrameType::rst_stream && streams_.find(header.stream) == nullptr;
  return is_late ? allows_late_frame() : GrpcSession::is_permitted(header);
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
  if (stream.is_finished) return Step::again;
  if (response.metadata.empty() && try_take_rest(stream, event)) return finish_call(stream, {}, event);
  // The event comes even without metadata, since the application may wait for the beginning of the response.
  event.type = EventType::message;
  event.id = stream.id;
  event.context = stream.context;
  event.metadata = std::move(response.metadata);
  response.metadata.clear();
  return Step::event;
}

/// The headers of a response have come. If its only message and its trailers stand right behind them, as those of
/// nearly every unary call do, and are the usual ones, they are taken with the headers: one look-up and one event
/// instead of three. Otherwise the function returns false and changes nothing, and each frame is read in its turn.
bool GrpcClientSession::try_take_rest(GrpcStream& stream, Event& event) {
  if (stream.state != StreamState::half_closed_local || stream.content_left || !local_events_.empty()) return false;
  const ByteSpan input(input_.data() + frame_bytes_, input_.size() - frame_bytes_);
  if (input.size() < frame_header_bytes + web::message_prefix_bytes) return false;
  const http::http2::FrameHeader data = http::http2::read_frame_header(input.data());
  const bool is_plain = data.type == FrameType::data && data.flags == 0 && data.stream == stream.id &&
                        data.length >= web::message_prefix_bytes && data.length <= reader_.max_frame_bytes();
  const std::size_t data_end = frame_header_bytes + std::size_t{data.length};
  if (!is_plain || input.size() < data_end + frame_header_bytes) return false;
  const std::byte* const prefix = input.data() + frame_header_bytes;
  const std::uint32_t length = http::http2::load_uint32(prefix + 1);
  const bool is_whole = prefix[0] == std::byte{0} && length == data.length - web::message_prefix_bytes;
  if (!is_whole || length > options_.limits.max_message_bytes) return false;
  const http::http2::FrameHeader end = http::http2::read_frame_header(input.data() + data_end);
  if (end.type != FrameType::headers || end.flags != (flag::end_headers | flag::end_stream) ||
      end.stream != stream.id || end.length > input.size() - data_end - frame_header_bytes) {
    return false;
  }
  if (!responses_.is_usual_end(input.subspan(data_end + frame_header_bytes, end.length))) return false;
  if (data.length > stream.receive_window.available() || !windows_.charge(data.length)) return false;
  flood_.worked();
  sample_bandwidth(data.length);
  windows_.give_back(std::uint32_t{web::message_prefix_bytes});
  frame_bytes_ += data_end + frame_header_bytes + end.length;
  show_message(stream, {prefix + web::message_prefix_bytes, length}, input_.block(), {length, length, 0}, event);
  return true;
}

/// Returns the error of a call that a proxy has answered, or a server that does not know gRPC.
Status GrpcClientSession::unlike_grpc() const {
  const Response& response = const_cast<ResponseReader&>(responses_).response();
  return response.unlike(protocol_, responses_.other_content_type());
}

/// The trailers have come, with END_STREAM.
GrpcSession::Step GrpcClientSession::on_trailers(GrpcStream& stream, Event& event) {
  Status status = outcome(stream);
  if (stream.state == StreamState::half_closed_remote) refuse_stream(stream.id, ErrorCode::no_error);
  Response& response = responses_.response();
  event.metadata = std::move(response.metadata);
  response.metadata.clear();
  event.pushback = response.pushback;
  return finish_call(stream, std::move(status), event);
}

/// Returns the status that the trailers say, or an error that says what is wrong with them.
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
  if (stream.is_web()) return on_web_end(stream, event);
  if (stream.state == StreamState::half_closed_remote) refuse_stream(stream.id, ErrorCode::no_error);
  const std::string_view what = stream.assembly.is_amid_message() ? "receive message: the server ended amid a message"
                                                                  : "receive: the response has no trailers";
  return finish_call(stream, {StatusCode::internal, what, StatusOrigin::transport}, event);
}

// --- responses of Connect and gRPC-Web ---

GrpcSession::Step GrpcClientSession::on_web_headers(GrpcStream& stream, bool ends, Event& event) {
  if (!stream.has_response) return on_web_leading(stream, ends, event);
  // The trailers of HTTP have no meaning here, but they end the body.
  data_ = {};
  data_stream_ = stream.id;
  data_ends_ = true;
  return take_data(event);
}

GrpcSession::Step GrpcClientSession::on_web_leading(GrpcStream& stream, bool ends, Event& event) {
  Response& response = responses_.response();
  stream.has_response = true;
  stream.content_left = ends ? std::nullopt : response.content_length;
  stream.outcome = std::make_unique<web::WebOutcome>();
  web::WebOutcome& outcome = *stream.outcome;
  const web::Format format = uses_text_ ? web::Format::grpc_web_text : stream.format;
  if (const Status wrong = response.check(format, *stream.codec, responses_.other_content_type()); !wrong.is_ok()) {
    // A stream that is over has nothing left to be cancelled.
    return ends ? end_call(stream, wrong, event) : cancel_call(stream, wrong, event);
  }
  const bool is_body = web::takes_body(stream.format);
  stream.received_compressor = is_body ? response.body_compressor : response.compressor;
  if (is_body) {
    if (response.http_status != 200) outcome.http_status = response.http_status;
    response.metadata = web::take_trailing(std::move(response.metadata), outcome.metadata);
  }
  if (stream.format == web::Format::grpc_web && response.has_status) {
    outcome.is_of_headers = true;
    outcome.status = responses_.status();
    outcome.metadata = std::move(response.metadata);
    outcome.pushback = response.pushback;
    response.metadata.clear();
    return ends ? on_web_end(stream, event) : Step::again;
  }
  if (ends) {
    // The end comes after the event of the headers.
    data_ = {};
    data_stream_ = stream.id;
    data_ends_ = true;
  }
  // The application may wait for the beginning of a stream's response.
  const bool is_shown = !stream.is_finished && (!is_body || !response.metadata.empty());
  if (!is_shown) return Step::again;
  event.type = EventType::message;
  event.id = stream.id;
  event.context = stream.context;
  event.metadata = std::move(response.metadata);
  response.metadata.clear();
  return Step::event;
}

GrpcSession::Step GrpcClientSession::show_body(GrpcStream& stream, Slice body, const MessageCredit& credit,
                                               Event& event) {
  event.end = false;
  Status status;
  if (stream.outcome->http_status != 0) {
    status = error_of(stream, body.bytes());
    windows_.give_back(credit.connection_bytes);
  } else {
    if (!body.empty()) event.compressor = stream.received_compressor;
    show_message(stream, body.bytes(), body.block(), credit, event);
  }
  event.metadata = std::move(stream.outcome->metadata);
  return end_call(stream, std::move(status), event);
}

/// Returns the status that the body of an error says.
Status GrpcClientSession::error_of(const GrpcStream& stream, ByteSpan body) {
  if (stream.received_compressor == nullptr || body.empty()) return stream.outcome->read_error(body);
  const Result<Slice> plain = decompressed(*stream.received_compressor, body);
  return stream.outcome->read_error(plain.is_ok() ? std::optional(plain->bytes()) : std::nullopt);
}

GrpcSession::Step GrpcClientSession::take_end(GrpcStream& stream, ByteSpan payload, bool is_compressed, Event& event) {
  Result<Slice> plain = Slice();
  if (is_compressed && !payload.empty()) {
    plain = decompressed(*stream.received_compressor, payload);
    if (!plain.is_ok()) return break_call(stream, plain.status(), event);
    payload = plain->bytes();
  }
  // The message is kept until the stream ends.
  stream.metadata_bytes += payload.size();
  metadata_bytes_ += payload.size();
  const Status wrong = stream.outcome->take_end(stream.format, payload, end_metadata_);
  return wrong.is_ok() ? Step::needs_input : break_call(stream, wrong, event);
}

/// The server sends nothing more.
GrpcSession::Step GrpcClientSession::on_web_end(GrpcStream& stream, Event& event) {
  web::WebOutcome& outcome = *stream.outcome;
  event.metadata = std::move(outcome.metadata);
  event.pushback = outcome.pushback;
  const bool is_amid_message = stream.assembly.is_amid_message() || stream.text.held() > 0;
  return end_call(stream, outcome.take_status(is_amid_message), event);
}

/// The server has ended the stream.
GrpcSession::Step GrpcClientSession::end_call(GrpcStream& stream, Status status, Event& event) {
  if (stream.state == StreamState::half_closed_remote) refuse_stream(stream.id, ErrorCode::no_error);
  return finish_call(stream, std::move(status), event);
}

std::string_view GrpcClientSession::protocol_name() const noexcept {
  switch (protocol_) {
    case ClientProtocol::grpc:
      return "grpc";
    case ClientProtocol::grpc_web:
      return "grpc-web";
    case ClientProtocol::connect:
      break;
  }
  return "connect";
}

std::string_view GrpcClientSession::title() const noexcept {
  switch (protocol_) {
    case ClientProtocol::grpc:
      return "gRPC";
    case ClientProtocol::grpc_web:
      return "gRPC-Web";
    case ClientProtocol::connect:
      break;
  }
  return "Connect";
}

std::string_view GrpcClientSession::tls_scheme() const noexcept {
  switch (protocol_) {
    case ClientProtocol::grpc:
      return "grpcs";
    case ClientProtocol::grpc_web:
      return "grpc-webs";
    case ClientProtocol::connect:
      break;
  }
  return "https";
}

GrpcSession::Step GrpcClientSession::on_peer_reset(GrpcStream& stream, ErrorCode code, Event& event) {
  // Each reset ends one of this side's calls, so there are no more resets than calls.
  flood_.worked();
  const bool is_late =
      code == ErrorCode::cancel && stream.deadline.is_scheduled() && stream.deadline.deadline() <= now_;
  Status status(is_late ? StatusCode::deadline_exceeded : code_of_reset(code),
                is_late ? "deadline exceeded" : "the server has reset the stream with " + name_of(code),
                StatusOrigin::transport);
  // A response proves that the server has looked at the call, whatever it says afterwards.
  if (code == ErrorCode::refused_stream && !stream.has_response) status.set_may_have_run(false);
  return finish_call(stream, std::move(status), event);
}

GrpcSession::Step GrpcClientSession::on_goaway(const Frame& frame, Event& event) {
  if (!flood_.add(now_, static_cast<std::uint32_t>(streams_.size() / streams_per_frame)))
    return fail(ErrorCode::enhance_your_calm, "too many GOAWAY");
  if (const http::http2::FrameError error = exchange_.on_goaway(frame)) return fail(error.code, error.reason);
  const http::http2::GoawayPayload goaway = http::http2::read_goaway(frame.payload);
  const Status why(StatusCode::unavailable, text_of_goaway(goaway), StatusOrigin::peer);
  if (goaway.code != ErrorCode::no_error) goaway_reason_ = why.message();
  for (GrpcStream* const stream : streams_.by_age()) {
    if (stream->id <= goaway.last_stream) continue;
    Status status = why;
    status.set_origin(StatusOrigin::transport);
    if (!stream->has_response) status.set_may_have_run(false);
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
  write_cancel(stream.id);
  finish_later(stream, std::move(status));
  on_room();
}

// --- the end of calls ---

/// The call cannot go on, and `status` says why.
GrpcSession::Step GrpcClientSession::cancel_call(GrpcStream& stream, const Status& status, Event& event) {
  refuse_stream(stream.id, ErrorCode::cancel);
  late_frames_ += late_frames_per_call;
  return finish_call(stream, status, event);
}

GrpcSession::Step GrpcClientSession::break_call(GrpcStream& stream, const Status& status, Event& event) {
  const CallId id = stream.id;
  refuse_stream(id, ErrorCode::cancel);
  late_frames_ += late_frames_per_call;
  event.clear();
  const Step step = finish_call(stream, status, event);
  if (data_stream_ == id) drop_data();
  return step;
}

GrpcSession::Step GrpcClientSession::drop_call(GrpcStream& stream, const Status& status, Event& event) {
  late_frames_ += late_frames_per_call;
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
  if (!local_events_.empty()) static_cast<void>(local_events_.drop(stream.id));
  forget(stream);
  on_room();
  if (is_wanted) return Step::event;
  event.clear();
  return Step::again;
}

/// Finishes a call as finish_call() does, but queues its event, because another event comes first.
void GrpcClientSession::finish_later(GrpcStream& stream, Status status) {
  static_cast<void>(local_events_.drop(stream.id));
  if (!stream.is_finished) {
    local_events_.push({EventType::finished, stream.id, stream.context, std::move(status)});
  }
  forget(stream);
}

}  // namespace trunkline::session::grpc
