// SPDX-License-Identifier: MIT
// Turns calls into requests over HTTP/1.1, one after the other, and reads their responses.
#include "session/http1/http1_client_session.h"

#include "base/exception_text.h"
#include "codec/base64.h"
#include "http/http1/keep_alive.h"
#include "session/decompression.h"
#include "session/web/encoded_message.h"
#include "session/web/message_limits.h"
#include "session/web/message_prefix.h"
#include "session/web/metadata_fields.h"
#include "session/web/request_head.h"
#include "session/web/response_body.h"
#include "session/web/response_head.h"
#include "wire/header_block.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::session::http1 {

namespace {

using http::http1::MessageError;

constexpr std::size_t least_read_bytes = 4 << 10;
/// This many responses with a status below 200 may come before the one that counts.
constexpr int most_interim_responses = 16;
constexpr std::string_view default_codec_name = "protobuf";

http::http1::HeadLimits head_limits_of(const ConnectionLimits& limits) noexcept {
  return {.max_head_bytes = limits.max_header_bytes, .max_first_line_bytes = limits.max_header_bytes / 2};
}

}  // namespace

Http1ClientSession::Http1ClientSession(const SessionParameters& parameters, web::ClientProtocol protocol)
    : protocol_(protocol),
      uses_text_(protocol == web::ClientProtocol::grpc_web && parameters.options.grpc_web_text),
      options_(parameters.options),
      timers_(parameters.timers),
      owner_(parameters.owner),
      now_(parameters.now),
      encodings_(options_.compressors),
      input_(std::max(options_.limits.read_buffer_bytes, least_read_bytes)),
      requests_(options_, encodings_, output_),
      responses_(head_limits_of(options_.limits)),
      content_(head_limits_of(options_.limits)),
      fields_(options_, encodings_, protocol),
      end_metadata_(options_.limits.max_header_bytes),
      memory_share_(options_.memory, parameters.account),
      local_events_(owner_),
      stall_(options_.limits, timers_, &on_stall_timer, this),
      input_watch_(options_.limits, timers_, &on_input_timer, this),
      deadline_(&on_deadline, this),
      rest_timer_(&on_rest_timer, this),
      memory_retry_(timers_, &on_memory_timer, this) {
  local_events_.push({EventType::opened, 0, nullptr, {}});
}

Http1ClientSession::~Http1ClientSession() = default;

// --- requests ---

bool Http1ClientSession::can_start() const noexcept {
  const bool may =
      !is_closed_ && !is_drain_requested_ && !call_.is_active() && output_.empty() && !memory_share_.is_short();
  if (!may) {
    is_start_awaited_ = true;
    if (!is_closed_ && memory_share_.is_short()) memory_retry_.wait(now_);
  }
  return may;
}

AwaitedLimit Http1ClientSession::awaited_limit() const noexcept {
  if (!memory_share_.is_short()) return {};
  return {AwaitedLimit::Owner::channel, "max_memory_bytes", options_.memory->max_bytes()};
}

void Http1ClientSession::on_room() noexcept {
  if (!is_start_awaited_ || !can_start()) return;
  try {
    local_events_.notify({EventType::writable, 0, nullptr, {}});
    is_start_awaited_ = false;
  } catch (...) {
    // There is no memory for the event. The next input tries again.
  }
}

Status Http1ClientSession::check_start(const CallStart& start) const {
  if (options_.ordered) {
    return {StatusCode::unimplemented,
            "start call: HTTP/1.1 cannot keep the order of calls, which the channel asks for, because it uses "
            "connections side by side"};
  }
  if (!requests_.knows(start.method) && !wire::is_method_name(start.method.name)) {
    return {StatusCode::invalid_argument, "start call: a method's name is 1 to 1024 bytes of UTF-8"};
  }
  if (start.metadata == nullptr || start.metadata->empty()) return {};
  if (Status status = web::check_web_metadata(*start.metadata); !status.is_ok()) return status;
  constexpr std::size_t bytes_per_entry = 32;
  const std::size_t size = start.metadata->total_bytes() + start.metadata->size() * bytes_per_entry;
  if (size <= options_.limits.max_header_bytes) return {};
  return {StatusCode::resource_exhausted, "start call: metadata of " + std::to_string(size) +
                                              " bytes, with 32 for each entry, exceeds max_header_bytes " +
                                              std::to_string(options_.limits.max_header_bytes)};
}

const Codec* Http1ClientSession::codec_of(const CallStart& start, const OutgoingMessage& message) const {
  if (message.has_message()) return message.codec;
  if (start.codec != nullptr) return start.codec;
  if (const Codec* const usual = options_.codecs->find(default_codec_name)) return usual;
  return options_.codecs->codecs().empty() ? nullptr : options_.codecs->codecs().front().get();
}

/// Returns the compressor for a call's messages, or null. A server that has not said what it accepts may accept any.
const Compressor* Http1ClientSession::compressor_for(const OutgoingMessage& message) const noexcept {
  const Compressor* const wanted = message.compressor;
  if (wanted == nullptr || encodings_.find(wanted->name()) != wanted) return nullptr;
  return !server_accepts_ || encodings_.contains(*server_accepts_, *wanted) ? wanted : nullptr;
}

web::Format Http1ClientSession::format_of(const CallStart& start) const noexcept {
  if (protocol_ == web::ClientProtocol::grpc_web) return web::Format::grpc_web;
  return start.is_stream ? web::Format::connect_stream : web::Format::connect_unary;
}

Result<CallId> Http1ClientSession::start(const CallStart& start, const OutgoingMessage& message) try {
  if (is_closed_) return Status(StatusCode::unavailable, "start call: the connection is closed");
  if (start.deadline != base::never && start.now > now_) now_ = start.now;
  if (Status status = check_start(start); !status.is_ok()) return status;
  const Codec* const codec = codec_of(start, message);
  if (codec == nullptr) return Status(StatusCode::unimplemented, "start call: the channel has no codec");
  const bool ends = start.end || start.one_way;
  const Compressor* const compressor = compressor_for(message);
  const web::Format format = format_of(start);
  const bool is_body = format == web::Format::connect_unary;
  web::EncodedMessage encoded;
  if (message.has_message()) {
    // If the caller wants a body compressed, it is, even if that makes it longer: servers may insist on it.
    Status status =
        encoded.encode(message, {.codec = *codec, .compressor = compressor, .in_any_case = is_body}, options_, owner_);
    if (!status.is_ok()) return status;
    // The application's codec may run the loop, which starts other calls, so this call gets its id only afterwards.
    if (is_closed_ || call_.is_active()) {
      status = Status(StatusCode::unavailable, "start call: the connection was taken while the message was encoded");
      status.set_may_have_run(false);
      return status;
    }
  }
  // A body has no flag that says whether it is compressed.
  RequestWriter::Head head{.format = uses_text_ ? web::Format::grpc_web_text : format,
                           .method = start.method,
                           .codec = codec,
                           .compressor = !is_body || encoded.is_compressed ? compressor : nullptr,
                           .previous_attempts = start.previous_attempts,
                           .metadata = start.metadata};
  if (is_body && try_make_query(start, *codec, encoded.payload, head.compressor)) {
    head.query = as_text(query_.bytes());
    payload_bytes_accepted_ += encoded.payload.size();
    open(start, head);
    call_.has_ended = true;
    opening_ = 0;
    return call_.id;
  }
  // A call that ends with its start has a message, even if it is an empty one.
  const bool has_message = message.has_message() || ends;
  if (ends) head.content_bytes = content_bytes(encoded.payload.size(), is_body);
  open(start, head);
  if (has_message) write_message(std::move(encoded.payload), encoded.is_compressed);
  call_.has_ended = ends;
  count_held();
  opening_ = 0;
  return call_.id;
} catch (...) {
  // The caller has no id, and may be gone when the connection tells of its calls.
  if (std::exchange(opening_, 0) != 0) forget_call();
  lose_connection();
  throw;
}

/// Returns the length of the content of a request with one message of `size` bytes.
std::uint64_t Http1ClientSession::content_bytes(std::uint64_t size, bool is_body) const noexcept {
  if (is_body) return size;
  const std::uint64_t whole = web::message_prefix_bytes + size;
  return uses_text_ ? codec::base64_bytes(whole) : whole;
}

/// Returns false if the call is a POST.
bool Http1ClientSession::try_make_query(const CallStart& start, const Codec& codec, const Slice& payload,
                                        const Compressor* compressor) {
  // Servers, and the proxies before them, take URLs of some kilobytes.
  constexpr std::size_t longest = 4096;
  if (!options_.http_get || !start.is_idempotent || start.one_way || payload.size() > longest) return false;
  query_.clear();
  web::append_get_query(codec, payload.bytes(), compressor, query_);
  return start.method.name.size() + query_.size() <= longest;
}

/// Opens the call, and writes the head of its request.
void Http1ClientSession::open(const CallStart& start, RequestWriter::Head& head) {
  if (start.deadline != base::never) head.timeout = start.deadline - now_;
  const std::uint64_t begin = written_bytes_ + output_.size();
  rest_timer_.cancel();
  requests_.write_head(head);
  if (++last_id_ == 0) ++last_id_;
  call_.id = opening_ = last_id_;
  call_.context = start.one_way ? nullptr : start.context;
  call_.is_one_way = start.one_way;
  call_.format = format_of(start);
  call_.codec = head.codec;
  call_.is_stream = start.is_stream;
  call_.sent_compressor = head.compressor;
  call_.is_chunked = head.query.empty() && !head.content_bytes;
  call_.begin = begin;
  call_.head_end = written_bytes_ + output_.size();
  if (start.deadline != base::never) timers_.schedule(deadline_, start.deadline);
}

/// The head has been written.
void Http1ClientSession::write_message(Slice payload, bool is_compressed) {
  payload_bytes_accepted_ += payload.size();
  if (!web::is_enveloped(call_.format)) return requests_.write_part({}, std::move(payload), call_.is_chunked);
  if (uses_text_) {
    BufferWriter text;
    web::append_message(web::Format::grpc_web_text, payload.bytes(), is_compressed, text);
    return requests_.write_part({}, text.take(), call_.is_chunked);
  }
  std::byte prefix[web::message_prefix_bytes];
  web::write_message_prefix(
      {.flags = std::uint8_t{is_compressed}, .length = static_cast<std::uint32_t>(payload.size())}, prefix);
  requests_.write_part(ByteSpan(prefix), std::move(payload), call_.is_chunked);
}

Status Http1ClientSession::send(CallId id, const OutgoingMessage& message, const Metadata*, bool end) try {
  const auto is_over = [&] { return !call_.is_active() || call_.id != id || call_.is_one_way || is_closed_; };
  if (is_over()) return {StatusCode::cancelled, "send message: the call is over"};
  if (call_.has_ended) {
    return {StatusCode::failed_precondition, "send message: this side of the call has been closed"};
  }
  if (message.has_message()) {
    const Compressor* const compressor = message.compressor == call_.sent_compressor ? message.compressor : nullptr;
    web::EncodedMessage encoded;
    Status status = encoded.encode(message, {.codec = *call_.codec, .compressor = compressor}, options_, owner_);
    if (!status.is_ok()) return status;
    // The application's codec may have run the loop, and the call may have ended meanwhile.
    if (is_over() || call_.has_ended) return {StatusCode::cancelled, "send message: the call is over"};
    write_message(std::move(encoded.payload), encoded.is_compressed);
  }
  if (end) end_request();
  if (output_.size() >= counted_output_ + MemoryShare::free_bytes) count_held();
  return {};
} catch (...) {
  lose_connection();
  throw;
}

void Http1ClientSession::end_request() {
  if (call_.is_chunked) requests_.end_chunks();
  call_.has_ended = true;
}

bool Http1ClientSession::is_writable(CallId id) const noexcept {
  if (!call_.is_active() || call_.id != id || is_closed_) return false;
  if (output_.size() <= options_.limits.max_unsent_bytes) return true;
  owes_writable_ = true;
  return false;
}

void Http1ClientSession::cancel(CallId id, StatusCode /*reason*/) {
  if (!local_events_.empty()) static_cast<void>(local_events_.drop(id));
  if (!call_.is_active() || call_.id != id) return;
  if (is_closed_) return forget_call();
  abandon_call();
}

/// This side ends the call before its response is over.
void Http1ClientSession::abandon_call() {
  const bool is_untouched = offered_bytes_ <= call_.begin;
  forget_call();
  if (!is_untouched) {
    is_broken_off_ = true;
    return end_session({});
  }
  output_.clear();
  if (rests_until_ != base::never) timers_.schedule(rest_timer_, rests_until_);
  on_room();
}

// --- output ---

std::size_t Http1ClientSession::gather(std::span<ByteSpan> out) {
  const std::size_t count = output_.gather(out);
  std::uint64_t offered = written_bytes_;
  for (const ByteSpan& span : out.first(count)) offered += span.size();
  offered_bytes_ = std::max(offered_bytes_, offered);
  return count;
}

void Http1ClientSession::wrote(std::size_t size) {
  output_.consume(size);
  written_bytes_ += size;
  if (output_.empty() && memory_share_.taken() > 0) count_held();
  if (is_closed_) return;
  const bool is_half_empty = output_.size() <= options_.limits.max_unsent_bytes / 2;
  if (is_half_empty && std::exchange(owes_writable_, false) && call_.context != nullptr) {
    local_events_.notify({EventType::writable, call_.id, call_.context, {}});
  }
  if (is_drained()) owner_.on_session_wake();
}

// --- input ---

std::size_t Http1ClientSession::prepare_receive(std::array<MutableByteSpan, 2>& out) {
  if (is_closed_) return 0;
  if (is_full() && data_bytes_ > 0) {
    input_watch_.hold_up();
    return 0;
  }
  if (room_.is_waiting()) {
    input_watch_.hold_up();
    memory_retry_.wait(now_);
    return 0;
  }
  return input_.prepare(out);
}

void Http1ClientSession::received(std::size_t size, base::TimePoint now) {
  now_ = now;
  input_watch_.received(size);
  input_.commit(size);
}

/// The channel does not use a connection that has something to be read. There was nothing, so it may look again.
void Http1ClientSession::received_nothing() noexcept {
  input_.release_unused();
  if (is_closed_ || call_.is_active()) return;
  is_start_awaited_ = true;
  on_room();
}

bool Http1ClientSession::next(Event& event) {
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
    const Step step = advance(event);
    if (step == Step::event) return true;
    if (step == Step::needs_input) {
      input_.release_unused();
      return end_turn();
    }
  }
}

Http1ClientSession::Step Http1ClientSession::advance(Event& event) {
  if (!call_.is_active()) {
    if (input_.size() == 0) return Step::needs_input;
    // The server has sent something without a call, such as a 408 because it has waited for long enough.
    end_session({});
    return Step::again;
  }
  if (call_.has_response) return read_content(event);
  if (input_.size() == 0) return Step::needs_input;
  if (!is_offered()) {
    end_session({StatusCode::unavailable, "receive response: the server has sent something before the request",
                 StatusOrigin::transport});
    return Step::again;
  }
  return read_head(event);
}

// --- responses ---

Http1ClientSession::Step Http1ClientSession::read_head(Event& event) {
  using Outcome = http::http1::ResponseReader::Outcome;
  const Outcome outcome = responses_.read(input());
  if (outcome == Outcome::needs_input) {
    input_.need(input_.size() + 1);
    return Step::needs_input;
  }
  if (outcome == Outcome::refused) return break_response(responses_.error(), event);
  constexpr std::uint16_t switching_protocols = 101;
  const std::uint16_t status = responses_.head().status;
  if (status >= 200) return take_head(event);
  if (status == switching_protocols) {
    return break_call({StatusCode::internal, "receive response: the server has switched to another protocol unasked",
                       StatusOrigin::transport},
                      event);
  }
  if (++call_.interim_responses > most_interim_responses) {
    return break_call({StatusCode::internal,
                       "receive response: more than " + std::to_string(most_interim_responses) + " interim responses",
                       StatusOrigin::transport},
                      event);
  }
  input_.consume(responses_.size());
  return Step::again;
}

Http1ClientSession::Step Http1ClientSession::take_head(Event& event) {
  const http::http1::ResponseHead& head = responses_.head();
  fields_.begin(head.status);
  longest_rest_.reset();
  for (const http::http1::Field& field : head.fields) {
    if (http::http1::equals_ignoring_case(field.name, "keep-alive")) {
      longest_rest_ = http::http1::keep_alive_timeout(field.value);
    }
    if (http::http1::is_connection_field(field.name)) continue;
    name_.assign(field.name);
    std::transform(name_.begin(), name_.end(), name_.begin(), base::ascii_lower);
    fields_.add(name_, field.value);
  }
  fields_.finish();
  call_.has_response = true;
  begin_content(head);
  input_.consume(responses_.size());
  if (!fields_.refusal().is_ok()) return break_call(fields_.refusal(), event);
  return take_leading(event);
}

void Http1ClientSession::begin_content(const http::http1::ResponseHead& head) {
  constexpr std::uint16_t no_content = 204;
  constexpr std::uint16_t not_modified = 304;
  call_.keeps_connection = head.keeps_connection() && longest_rest_ != std::chrono::seconds(0);
  if (head.status == no_content || head.status == not_modified) return content_.begin(false, 0);
  if (head.is_chunked || head.content_length) return content_.begin(head.is_chunked, head.content_length.value_or(0));
  content_.begin_open_ended();
  call_.keeps_connection = false;
}

/// The fields of the head have been read.
Http1ClientSession::Step Http1ClientSession::take_leading(Event& event) {
  const web::ResponseFacts& facts = fields_.facts();
  if (facts.accepted) server_accepts_ = *facts.accepted;
  const web::Format format = uses_text_ ? web::Format::grpc_web_text : call_.format;
  if (Status wrong = facts.check(format, *call_.codec, fields_.other_content_type()); !wrong.is_ok()) {
    constexpr std::uint32_t version_not_supported = 505;
    if (facts.http_status == version_not_supported && call_.is_stream) {
      wrong = Status(StatusCode::unimplemented,
                     "receive headers: HTTP status 505: the server takes streams of this kind over HTTP/2 only",
                     StatusOrigin::peer);
    } else if (constexpr std::uint32_t timeout = 408; facts.http_status == timeout && last_id_ > 1) {
      wrong = Status(StatusCode::unavailable,
                     "receive headers: HTTP status 408: the server had given up waiting for a request",
                     StatusOrigin::transport);
    }
    return break_call(wrong, event);
  }
  web::WebOutcome& outcome = call_.outcome;
  const bool is_body = web::takes_body(call_.format);
  call_.received_compressor = is_body ? facts.body_compressor : facts.compressor;
  Metadata leading = std::move(fields_.metadata());
  if (is_body) {
    if (facts.http_status != 200) outcome.http_status = facts.http_status;
    leading = web::take_trailing(std::move(leading), outcome.metadata);
  }
  if (call_.format == web::Format::grpc_web && facts.has_status) {
    outcome.is_of_headers = true;
    outcome.status = fields_.status();
    outcome.metadata = std::move(leading);
    outcome.pushback = facts.pushback;
    return Step::again;
  }
  // The application may wait for the beginning of a stream's response.
  const bool is_shown = !call_.is_one_way && (!is_body || !leading.empty());
  if (!is_shown) return Step::again;
  event.type = EventType::message;
  event.id = call_.id;
  event.context = call_.context;
  event.metadata = std::move(leading);
  return Step::event;
}

Http1ClientSession::Step Http1ClientSession::read_content(Event& event) {
  if (call_.is_one_way) {
    if (skip_content()) return finish_call({}, event);
    if (content_.error() != MessageError::none) return break_response(content_.error(), event);
    input_.need(input_.size() + 1);
    return Step::needs_input;
  }
  if (!take_room()) return Step::needs_input;
  return web::takes_body(call_.format) ? read_body(event) : read_messages(event);
}

Http1ClientSession::Step Http1ClientSession::read_body(Event& event) {
  using Outcome = http::http1::ContentReader::Outcome;
  const std::uint64_t limit = most_bytes();
  const bool has_length = !content_.is_chunked() && !content_.is_open_ended();
  if (has_length && !is_gathering_) {
    const std::uint64_t length = content_.left();
    if (length > limit) return break_call(web::message_over_limit(length, limit), event);
    if (input_.size() >= length) {
      std::size_t consumed = 0;
      static_cast<void>(content_.read(input(), consumed));
      const ByteSpan body(input_.data(), consumed);
      input_.consume(consumed);
      return show_body(body, input_.block(), event);
    }
    is_gathering_ = true;
    room_.want(length);
    static_cast<void>(take_room());
  }
  while (!room_.is_waiting()) {
    std::size_t consumed = 0;
    const Outcome outcome = content_.read(input(), consumed);
    if (outcome == Outcome::refused) return break_response(content_.error(), event);
    if (outcome == Outcome::data) {
      const std::string_view data = content_.data();
      if (const std::uint64_t size = body_.size() + data.size(); size > limit) {
        input_.consume(consumed);
        return break_call(web::message_over_limit(size, limit), event);
      }
      body_.append(data);
      progress_ += data.size();
    }
    input_.consume(consumed);
    if (content_.is_over()) {
      payload_ = body_.take();
      is_gathering_ = false;
      room_.free();
      return show_body(payload_.bytes(), payload_.block(), event);
    }
    if (outcome == Outcome::needs_input) {
      input_.need(input_.size() + 1);
      return Step::needs_input;
    }
    if (!has_length && room_.needs_more(body_.size())) {
      room_.want_more(body_.size(), limit);
      static_cast<void>(take_room());
    }
  }
  return Step::needs_input;
}

/// The content is over.
Http1ClientSession::Step Http1ClientSession::show_body(ByteSpan body, Block* block, Event& event) {
  web::WebOutcome& outcome = call_.outcome;
  Status status;
  const Compressor* const compressor = body.empty() ? nullptr : call_.received_compressor;
  if (outcome.http_status == 0) {
    show_message(body, block, compressor != nullptr, event);
  } else if (compressor == nullptr) {
    status = outcome.read_error(body);
  } else {
    const Result<Slice> plain = decompressed(*compressor, body);
    status = outcome.read_error(plain.is_ok() ? std::optional(plain->bytes()) : std::nullopt);
  }
  event.metadata = std::move(outcome.metadata);
  return finish_call(std::move(status), event);
}

Http1ClientSession::Step Http1ClientSession::read_messages(Event& event) {
  using Outcome = http::http1::ContentReader::Outcome;
  for (;;) {
    while (data_bytes_ > 0) {
      if (is_full()) {
        input_watch_.hold_up();
        return Step::needs_input;
      }
      const Step step = take_message(event);
      if (step != Step::needs_input || room_.is_waiting()) return step;
    }
    if (content_.is_over()) return end_messages(event);
    std::size_t consumed = 0;
    const Outcome outcome = content_.read(input(), consumed);
    if (outcome == Outcome::refused) return break_response(content_.error(), event);
    // The content stays in the buffer until it is taken.
    data_bytes_ = outcome == Outcome::data ? content_.data().size() : 0;
    input_.consume(consumed - data_bytes_);
    if (uses_text_ && data_bytes_ > 0 && !decode_text()) {
      return break_call({StatusCode::internal, "receive message: the body is not base64"}, event);
    }
    if (outcome == Outcome::needs_input) {
      input_.need(input_.size() + 1);
      return Step::needs_input;
    }
  }
}

/// Replaces the data, which are text, with the bytes that they encode. Returns false if they are not base64.
bool Http1ClientSession::decode_text() {
  BufferWriter bytes;
  const bool is_base64 = text_.decode(input().substr(0, data_bytes_), bytes);
  input_.consume(data_bytes_);
  text_data_ = is_base64 ? bytes.take() : Slice();
  data_bytes_ = text_data_.size();
  return is_base64;
}

/// Returns what has come of messages with prefixes, and has not been taken yet.
ByteSpan Http1ClientSession::data() const noexcept {
  return uses_text_ ? text_data_.bytes() : ByteSpan(input_.data(), data_bytes_);
}

void Http1ClientSession::consume_data(std::size_t size) noexcept {
  if (uses_text_) {
    text_data_.remove_prefix(size);
  } else {
    input_.consume(size);
  }
  data_bytes_ -= size;
}

/// Takes one message, or a part of one, from the front of the data. needs_input means that the message goes on.
Http1ClientSession::Step Http1ClientSession::take_message(Event& event) {
  if (call_.outcome.is_of_headers) return show_headers(event);
  ByteSpan data = this->data();
  Block* const block = uses_text_ ? text_data_.block() : input_.block();
  if (!assembly_.has_prefix()) {
    const bool is_whole = assembly_.read_prefix(data);
    consume_data(data_bytes_ - data.size());
    if (!is_whole) return Step::needs_input;
    if (const Step step = check_prefix(event); step != Step::needs_input) return step;
  }
  const bool is_compressed = (assembly_.flag() & web::compressed_flag) != 0;
  const bool is_end = is_end_message();
  const std::uint32_t length = assembly_.length();
  if (!assembly_.is_gathering() && data.size() >= length) {
    const ByteSpan payload = data.first(length);
    consume_data(length);
    static_cast<void>(assembly_.take());
    if (is_end) return take_end(payload, is_compressed, event);
    show_message(payload, block, is_compressed, event);
    return Step::event;
  }
  if (!assembly_.is_gathering()) {
    assembly_.begin();
    room_.want(length);
    if (!take_room()) return Step::needs_input;
  }
  const std::size_t size = std::min(assembly_.missing(), data.size());
  assembly_.add(data.first(size));
  progress_ += size;
  consume_data(size);
  if (assembly_.missing() > 0) return Step::needs_input;
  room_.free();
  payload_ = assembly_.take();
  if (is_end) return take_end(payload_.bytes(), is_compressed, event);
  show_message(payload_.bytes(), payload_.block(), is_compressed, event);
  return Step::event;
}

/// The prefix of a message has come. needs_input means that it is right.
Http1ClientSession::Step Http1ClientSession::check_prefix(Event& event) {
  if (assembly_.flag() > 1 && !is_end_message()) {
    return break_call({StatusCode::internal, "receive message: bad prefix"}, event);
  }
  if (call_.outcome.status) {
    return break_call({StatusCode::internal, "receive message: it comes after the end of the response"}, event);
  }
  const std::uint64_t limit = most_bytes();
  if (assembly_.length() > limit) return break_call(web::message_over_limit(assembly_.length(), limit), event);
  if ((assembly_.flag() & web::compressed_flag) != 0 && call_.received_compressor == nullptr) {
    return break_call({StatusCode::internal,
                       "receive message: it is compressed without an encoding in the head that this side knows"},
                      event);
  }
  return Step::needs_input;
}

/// The response has a body, so its head has not said how the call has ended.
Http1ClientSession::Step Http1ClientSession::show_headers(Event& event) {
  Metadata leading = std::move(call_.outcome.metadata);
  call_.outcome = {};
  if (call_.is_one_way) return Step::again;
  event.type = EventType::message;
  event.id = call_.id;
  event.context = call_.context;
  event.metadata = std::move(leading);
  return Step::event;
}

/// Takes the last message of a stream. needs_input means that it was taken.
Http1ClientSession::Step Http1ClientSession::take_end(ByteSpan payload, bool is_compressed, Event& event) {
  Result<Slice> plain = Slice();
  if (is_compressed && !payload.empty()) {
    plain = decompressed(*call_.received_compressor, payload);
    if (!plain.is_ok()) return break_call(plain.status(), event);
    payload = plain->bytes();
  }
  // The last message is kept until the response ends.
  end_bytes_ += payload.size();
  const Status wrong = call_.outcome.take_end(call_.format, payload, end_metadata_);
  return wrong.is_ok() ? Step::needs_input : break_call(wrong, event);
}

/// The content is over.
Http1ClientSession::Step Http1ClientSession::end_messages(Event& event) {
  web::WebOutcome& outcome = call_.outcome;
  event.metadata = std::move(outcome.metadata);
  event.pushback = outcome.pushback;
  return finish_call(outcome.take_status(assembly_.is_amid_message() || text_.held() > 0), event);
}

/// The application limits the messages that it gets. A message that says how a call has ended counts as metadata.
std::uint64_t Http1ClientSession::most_bytes() const noexcept {
  const std::uint64_t limit = options_.limits.max_message_bytes;
  const bool is_outcome =
      call_.outcome.http_status != 0 || (web::is_enveloped(call_.format) && assembly_.has_prefix() && is_end_message());
  return is_outcome ? std::max<std::uint64_t>(limit, options_.limits.max_header_bytes) : limit;
}

/// Returns true if the message whose prefix has been read is the one that ends the response.
bool Http1ClientSession::is_end_message() const noexcept { return web::is_end_flag(call_.format, assembly_.flag()); }

/// The application has yet to take what it was given.
bool Http1ClientSession::is_full() const noexcept {
  return call_.unread_bytes >= std::int64_t{options_.limits.call_credit_bytes};
}

/// Drops what has come of the content. Returns false if the content is not over.
bool Http1ClientSession::skip_content() {
  using Outcome = http::http1::ContentReader::Outcome;
  consume_data(data_bytes_);
  while (!content_.is_over()) {
    std::size_t consumed = 0;
    const Outcome outcome = content_.read(input(), consumed);
    input_.consume(consumed);
    if (outcome == Outcome::needs_input || outcome == Outcome::refused) return false;
  }
  return true;
}

/// Takes the room that a message waits for. Returns false if there is none yet.
bool Http1ClientSession::take_room() {
  if (!room_.is_waiting()) return true;
  if (!room_.take()) return false;
  memory_retry_.end();
  return true;
}

// --- events ---

void Http1ClientSession::settle_current_event(Event& event) {
  if (std::exchange(has_credit_, false) && (event.is_retained || event.is_queued)) {
    const std::int64_t bytes = std::int64_t{credit_.call_bytes} + credit_.further_bytes;
    unread_bytes_ += bytes;
    if (call_.is_active() && event.id == call_.id) call_.unread_bytes += bytes;
  }
  payload_ = {};
  if (data_bytes_ == 0) text_data_ = {};
  event.clear();
}

void Http1ClientSession::show_message(ByteSpan payload, Block* block, bool is_compressed, Event& event) {
  has_credit_ = true;
  credit_ = {.connection_bytes = 0,
             .call_bytes = static_cast<std::uint32_t>(payload.size()),
             .further_bytes = web::record_bytes};
  event.credit = credit_;
  event.type = EventType::message;
  event.id = call_.id;
  event.context = call_.context;
  event.has_message = true;
  event.codec = call_.codec;
  event.payload = payload;
  event.wire_bytes = payload.size();
  event.block = block;
  if (!is_compressed) return;
  event.compressor = call_.received_compressor;
  event.is_compressed = event.is_unsized = true;
  event.decompressed_bytes = most_decompressed(payload.size(), options_.limits);
}

Result<Slice> Http1ClientSession::decompressed(const Compressor& compressor, ByteSpan payload) try {
  return session::decompress_unsized(compressor, payload, most_decompressed(payload.size(), options_.limits));
} catch (...) {
  return owner_.on_codec_exception("decompress message: " + std::string(compressor.name()),
                                   base::current_exception_text());
}

Status Http1ClientSession::decompress(Event& event) {
  if (!event.is_compressed) return {};
  Result<Slice> plain = decompressed(*event.compressor, event.payload);
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

void Http1ClientSession::release(CallId id, const MessageCredit& credit) {
  const std::int64_t bytes = std::int64_t{credit.call_bytes} + credit.further_bytes;
  unread_bytes_ -= bytes;
  if (!call_.is_active() || id != call_.id) return;
  const bool was_full = is_full();
  call_.unread_bytes -= bytes;
  if (was_full && !is_full() && !is_closed_) owner_.on_session_wake();
}

/// Ends the call, then the session.
bool Http1ClientSession::take_closing_event(Event& event) {
  event.clear();
  if (call_.is_active()) {
    event.context = call_.context;
    event.id = call_.id;
    const bool is_wanted = !call_.is_one_way;
    const bool is_sent = is_offered();
    forget_call();
    if (is_wanted) {
      event.type = EventType::finished;
      event.status = closing_.status_of_calls();
      if (!is_sent) event.status.set_may_have_run(false);
      return true;
    }
  }
  if (!closing_.take_last(event)) return false;
  input_.reset();
  return true;
}

bool Http1ClientSession::end_turn() {
  if (room_.is_waiting()) memory_retry_.wait(now_);
  update_timers();
  count_held();
  on_room();
  return false;
}

// --- the end of calls ---

/// The call cannot go on, and `status` says why. The connection goes on if all of the response has come.
Http1ClientSession::Step Http1ClientSession::break_call(const Status& status, Event& event) {
  event.clear();
  if (!call_.has_response || !skip_content()) call_.keeps_connection = false;
  return finish_call(status, event);
}

/// It is uncertain where the response ends.
Http1ClientSession::Step Http1ClientSession::break_response(MessageError error, Event& event) {
  std::string reason = "receive response: " + std::string(to_string(error));
  StatusCode code = StatusCode::internal;
  if (error == MessageError::head_too_long || error == MessageError::target_too_long) {
    reason += ": more than max_header_bytes " + std::to_string(options_.limits.max_header_bytes);
    code = StatusCode::resource_exhausted;
  }
  event.clear();
  call_.keeps_connection = false;
  return finish_call({code, reason, StatusOrigin::transport}, event);
}

/// Nobody waits for the end of a one-way call.
Http1ClientSession::Step Http1ClientSession::finish_call(Status status, Event& event) {
  event.type = EventType::finished;
  event.id = call_.id;
  event.context = call_.context;
  event.status = std::move(status);
  // Bytes behind a response belong to no call, and a server that has answered early may read the rest of a request or
  // not.
  const bool is_usable = call_.has_response && call_.keeps_connection && content_.is_over() && call_.has_ended &&
                         output_.empty() && input_.size() == 0;
  const bool is_wanted = !call_.is_one_way;
  if (!local_events_.empty()) static_cast<void>(local_events_.drop(call_.id));
  forget_call();
  if (is_usable) {
    begin_rest();
    on_room();
  } else {
    end_session({});
  }
  if (is_wanted) return Step::event;
  event.clear();
  return Step::again;
}

/// A request on its way when the server ends the connection may have run or not, so this side ends it earlier.
void Http1ClientSession::begin_rest() {
  rests_until_ = base::never;
  if (!longest_rest_) return;
  constexpr base::Duration longest_way = std::chrono::seconds(1);
  const base::Duration rest = *longest_rest_;
  rests_until_ = now_ + rest - std::min(longest_way, rest / 2);
  timers_.schedule(rest_timer_, rests_until_);
}

void Http1ClientSession::forget_call() noexcept {
  deadline_.cancel();
  static_cast<void>(body_.take());
  static_cast<void>(assembly_.take());
  is_gathering_ = false;
  room_.free();
  // The event in hand may lie in text_data_.
  text_ = {};
  data_bytes_ = 0;
  end_bytes_ = 0;
  owes_writable_ = false;
  call_ = {};
}

// --- timers ---

void Http1ClientSession::on_deadline(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ClientSession*>(owner);
  self.now_ = std::max(self.now_, now);
  if (self.is_closed_ || !self.call_.is_active()) return;
  try {
    static_cast<void>(self.local_events_.drop(self.call_.id));
    if (!self.call_.is_one_way) {
      self.local_events_.push({EventType::finished, self.call_.id, self.call_.context,
                               Status(StatusCode::deadline_exceeded, "deadline exceeded")});
    }
    self.abandon_call();
    self.owner_.on_session_wake();
  } catch (...) {
    // Without its timer the call might never end.
    self.lose_connection();
  }
}

void Http1ClientSession::on_memory_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ClientSession*>(owner);
  self.now_ = std::max(self.now_, now);
  self.owner_.on_session_wake();
}

void Http1ClientSession::on_rest_timer(base::Timer&, void* owner, base::TimePoint) {
  auto& self = *static_cast<Http1ClientSession*>(owner);
  if (!self.is_closed_ && !self.call_.is_active()) self.end_session({});
}

void Http1ClientSession::on_stall_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ClientSession*>(owner);
  self.now_ = std::max(self.now_, now);
  const StallWatch::Seen seen{.unsent = self.output_.size(),
                              .is_wanted = self.memory_share_.is_short_for_holders(),
                              .taken = self.written_bytes_};
  if (self.stall_.on_timer(now, seen) == StallWatch::Action::none) return;
  self.end_session(
      {StatusCode::unavailable, "send: the peer takes nothing within stall_timeout", StatusOrigin::transport});
}

void Http1ClientSession::on_input_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ClientSession*>(owner);
  self.now_ = std::max(self.now_, now);
  if (!self.owner_.is_listening() || self.room_.is_waiting()) self.input_watch_.hold_up();
  const InputWatch::Seen seen{.is_incomplete = self.is_content_due(),
                              .has_message = self.room_.is_taken(),
                              .is_wanted = self.memory_share_.is_wanted(),
                              .message_bytes = self.progress_};
  if (self.input_watch_.on_timer(now, seen) == InputWatch::Action::none) return;
  self.end_session({StatusCode::unavailable,
                    "receive: the peer does not go on with what it has begun to send within stall_timeout",
                    StatusOrigin::transport});
}

// --- the connection ---

/// The server has begun something that it should go on with. Between the messages of a stream it may rest.
bool Http1ClientSession::is_content_due() const noexcept {
  if (!call_.is_active()) return false;
  if (!call_.has_response) return input_.size() > 0;
  return is_gathering_ || !body_.bytes().empty() || assembly_.is_amid_message() || (input_.size() > 0 && !is_full());
}

void Http1ClientSession::update_timers() {
  if (is_content_due()) {
    input_watch_.start(now_);
  } else {
    input_watch_.settle();
  }
  if (output_.size() > StallWatch::least_bytes) stall_.start(now_);
}

void Http1ClientSession::count_held() noexcept {
  counted_output_ = output_.size();
  const std::size_t gathered = body_.size() + (assembly_.is_gathering() ? assembly_.gathered() : 0);
  const std::size_t room = room_.left(gathered);
  memory_share_.update(held_bytes() + room, room);
}

std::size_t Http1ClientSession::held_bytes() const noexcept {
  const std::size_t gathered = body_.size() + (assembly_.is_gathering() ? assembly_.gathered() : 0);
  const auto unread = static_cast<std::size_t>(std::max<std::int64_t>(unread_bytes_, 0));
  return input_.held_bytes() + output_.held_bytes() + gathered + payload_.size() + unread + end_bytes_ +
         text_data_.size() + requests_.held_bytes() + (call_.is_active() ? web::bytes_per_exchange : 0);
}

std::string_view Http1ClientSession::protocol_name() const noexcept {
  return protocol_ == web::ClientProtocol::grpc_web ? "grpc-web" : "connect";
}

void Http1ClientSession::drain() { is_drain_requested_ = true; }

bool Http1ClientSession::is_drained() const noexcept {
  return is_drain_requested_ && !is_closed_ && !call_.is_active() && output_.empty() && local_events_.empty();
}

void Http1ClientSession::close(const Status& reason) {
  if (is_closed_) return;
  is_broken_off_ = call_.is_active() && !call_.is_one_way && is_offered();
  // The caller of a one-way call has been told that it is on its way.
  end_session(reason, call_.is_one_way && call_.has_ended);
}

void Http1ClientSession::transport_closed(const Status& reason) {
  if (is_closed_) return;
  if (reason.is_ok() && call_.is_active() && call_.has_response && content_.is_open_ended()) {
    // All that came has been read, unless it waits in the input. The call ends in next().
    content_.end();
    return;
  }
  if (reason.is_ok() && !call_.is_active()) return end_session({});
  const std::string_view text = reason.is_ok() ? std::string_view("connection closed by the peer") : reason.message();
  end_session({StatusCode::unavailable, text, StatusOrigin::transport});
}

/// There was no memory for a request, which may have been written in part.
void Http1ClientSession::lose_connection() {
  if (!is_closed_) end_session({StatusCode::resource_exhausted, "no memory"});
}

void Http1ClientSession::end_session(const Status& reason, bool keeps_output) {
  if (std::exchange(is_closed_, true)) return;
  closing_.begin(reason);
  stall_.stop();
  input_watch_.stop();
  for (base::Timer* timer : {&deadline_, &rest_timer_}) timer->cancel();
  memory_retry_.stop();
  if (!keeps_output) output_.clear();
  data_bytes_ = 0;
  static_cast<void>(body_.take());
  static_cast<void>(assembly_.take());
  is_gathering_ = false;
  room_.free();
  owner_.on_session_wake();
}

}  // namespace trunkline::session::http1
