// SPDX-License-Identifier: MIT
// Turns requests over HTTP/1.1 into calls, and writes their responses in order.
#include "session/http1/http1_server_session.h"

#include "base/exception_text.h"
#include "codec/base64.h"
#include "session/decompression.h"
#include "session/web/allowed_host.h"
#include "session/web/message_limits.h"
#include "session/web/message_prefix.h"
#include "session/web/metadata_fields.h"
#include "session/web/response_body.h"
#include "session/web/route_fields.h"
#include "session/web/text_body.h"
#include "session/websocket/upgrade.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::session::http1 {

namespace {

using http::http1::MessageError;

/// A client may send this much ahead while its request is served.
constexpr std::size_t most_waiting_bytes = 64 << 10;
constexpr std::size_t least_read_bytes = 4 << 10;
/// If more than this is known to be left of a content that nobody wants any more, the connection ends.
constexpr std::size_t most_discarded_bytes = 64 << 10;

/// A comment of text/event-stream has this form (WHATWG HTML, section 9.2.6).
constexpr std::string_view event_comment = ":\n\n";
/// A stream is looked at this many times in each keepalive_interval, and gets a comment once it was quiet at each look.
/// The comment is half an interval late at most, since events are not stamped with their time.
constexpr int looks_per_comment = 2;

/// Returns the HTTP status of a call that no handler has seen, or 0 if the status follows from its code.
std::uint32_t http_error_of_refusal(StatusCode code, bool is_get) noexcept {
  if (code == StatusCode::unimplemented) return 404;
  return is_get && code == StatusCode::failed_precondition ? 405 : 0;
}

http::http1::HeadLimits head_limits_of(const ConnectionLimits& limits) noexcept {
  return {.max_head_bytes = limits.max_header_bytes, .max_first_line_bytes = limits.max_header_bytes / 2};
}

ContentUse use_of(const web::CallHead& call) noexcept {
  if (call.is_get) return ContentUse::none;
  if (call.format == web::Format::grpc_web_text) return ContentUse::text;
  return web::takes_body(call.format) ? ContentUse::body : ContentUse::messages;
}

}  // namespace

Http1ServerSession::Http1ServerSession(const SessionParameters& parameters)
    : options_(parameters.options),
      timers_(parameters.timers),
      owner_(parameters.owner),
      now_(parameters.now),
      encodings_(options_.compressors),
      head_limits_(head_limits_of(options_.limits)),
      input_(std::max(options_.limits.read_buffer_bytes, least_read_bytes)),
      requests_(head_limits_),
      content_(head_limits_),
      calls_(options_, encodings_),
      routes_(owner_),
      metadata_(options_.limits.max_header_bytes),
      responses_(encodings_, output_),
      memory_share_(options_.memory, parameters.account),
      local_events_(owner_),
      stall_(options_.limits, timers_, &on_stall_timer, this),
      input_watch_(options_.limits, timers_, &on_input_timer, this),
      deadline_(&on_deadline, this),
      head_timer_(&on_head_timer, this),
      idle_timer_(&on_idle_timer, this),
      memory_retry_(timers_, &on_memory_timer, this),
      drain_timer_(&on_drain_timer, this),
      comment_timer_(&on_comment_timer, this),
      idle_since_(now_) {}

Http1ServerSession::~Http1ServerSession() = default;

// --- input ---

std::size_t Http1ServerSession::prepare_receive(std::array<MutableByteSpan, 2>& out) {
  if (is_stalled_ || is_closed_ || is_before_websocket_) return 0;
  const bool is_served = exchange_.is_active() && (content_.is_over() || unread_bytes_ > 0);
  if (is_served && input_.size() >= most_waiting_bytes) return 0;
  if (room_.is_waiting()) {
    input_watch_.hold_up();
    memory_retry_.wait(now_);
    return 0;
  }
  return input_.prepare(out);
}

void Http1ServerSession::received(std::size_t size, base::TimePoint now) {
  take_time(now);
  input_watch_.received(size);
  received_bytes_ += size;
  input_.commit(size);
}

bool Http1ServerSession::next(Event& event) {
  if (const CallId id = std::exchange(call_in_hand_, 0)) {
    static_cast<void>(
        finish(id, {StatusCode::internal, "the call was neither finished nor attached"}, {}, nullptr, false));
  }
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
    if (update_stall()) {
      input_.release_unused();
      return end_turn();
    }
    const Step step = advance(event);
    if (step == Step::event) return true;
    if (step == Step::needs_input) {
      input_.release_unused();
      return end_turn();
    }
  }
}

Http1ServerSession::Step Http1ServerSession::advance(Event& event) {
  if (is_discarding_) return discard_rest();
  if (!exchange_.is_active()) {
    return is_drain_requested_ || is_before_websocket_ ? Step::needs_input : read_head(event);
  }
  if (!exchange_.has_ended || !content_.is_over()) return read_content(event);
  return Step::needs_input;
}

// --- requests ---

Http1ServerSession::Step Http1ServerSession::read_head(Event& event) {
  using Outcome = http::http1::RequestReader::Outcome;
  const std::string_view text = input();
  if (text.empty()) return Step::needs_input;
  if (const std::uint64_t version = owner_.routes_version(); version != routes_version_) [[unlikely]] {
    cache_.clear();
    routes_version_ = version;
  }
  if (const RequestCache::Entry* const known = cache_.find(text)) {
    requests_.reset();
    static_cast<RequestFacts&>(exchange_) = known->facts;
    exchange_.method = methods_[known->facts.method_number - 1];
    if (!known->metadata.empty()) exchange_.metadata = known->metadata;
    input_.consume(known->head.size());
    return begin_call(event);
  }
  const Outcome outcome = requests_.read(text);
  if (outcome == Outcome::needs_input) {
    input_.need(text.size() + 1);
    return Step::needs_input;
  }
  if (outcome == Outcome::head) return take_head(requests_.head(), requests_.size(), event);
  // The response to a HEAD that is refused has no content either (RFC 9110, section 9.3.2).
  exchange_.is_head = text.starts_with("HEAD ");
  const MessageError error = requests_.error();
  std::string reason = "receive request: " + std::string(to_string(error));
  if (error == MessageError::target_too_long) {
    reason += ": more than " + std::to_string(head_limits_.max_first_line_bytes) + ", half of max_header_bytes";
  }
  if (error == MessageError::head_too_long) {
    reason += ": more than max_header_bytes " + std::to_string(head_limits_.max_head_bytes);
  }
  return refuse_head(http_status_of(error), {StatusCode::invalid_argument, reason});
}

Http1ServerSession::Step Http1ServerSession::take_head(const http::http1::RequestHead& head, std::size_t size,
                                                       Event& event) {
  using Outcome = web::CallHeadReader::Outcome;
  if (websocket::is_asked_for(head)) [[unlikely]] {
    is_before_websocket_ = true;
    head_timer_.cancel();
    return Step::needs_input;
  }
  const std::string_view bytes = input().substr(0, size);
  exchange_.minor_version = head.minor_version;
  exchange_.is_chunked = head.is_chunked;
  exchange_.content_length = head.content_length.value_or(0);
  exchange_.keeps_connection = head.keeps_connection();
  exchange_.expects_continue = head.expects_continue && head.minor_version > 0;
  exchange_.is_head = head.method == "HEAD";
  if (!web::is_allowed_host(head.authority(), options_.allowed_hosts)) {
    const Status refusal(StatusCode::permission_denied, web::text_of_refused_host(head.authority()));
    input_.consume(size);
    begin_exchange();
    return refuse_head(web::misdirected_request, refusal);
  }
  const Status status = read_fields(head);
  // The target is the path and the query, which stand behind each other.
  const std::size_t path = static_cast<std::size_t>(head.path.data() - head.target.data());
  const bool is_part = head.path.data() >= head.target.data() && path < head.target.size();
  std::string_view target = is_part ? head.target.substr(path) : head.path;
  if (!is_part && !head.query.empty()) target = target_.assign(head.path).append("?").append(head.query);
  const bool may_be_route = routes_version_ != 0 && !calls_.is_of_rpc_protocol();
  const auto found = may_be_route ? routes_.find(head.method, target) : web::RouteFinder::Outcome::none;
  if (found == web::RouteFinder::Outcome::route) return take_route(head, target, size, event);
  if (const std::string* const origin = calls_.preflight_origin(head.method)) {
    input_.consume(size);
    begin_exchange();
    return answer_preflight(*origin);
  }
  if (found == web::RouteFinder::Outcome::not_allowed) {
    const Status refusal(StatusCode::unimplemented, "receive request: this path takes " + routes_.allowed());
    input_.consume(size);
    begin_exchange();
    return refuse_head(405, refusal, routes_.allowed());
  }
  const Outcome outcome =
      calls_.finish({.method = head.method, .target = target, .authority = head.authority()}, exchange_.call);
  if (outcome == Outcome::refused && calls_.http_status() == 405) return refuse_http_method(size);
  exchange_.method = remember_method(calls_.method(), exchange_.method_number);
  input_.consume(size);
  if (outcome != Outcome::call || !status.is_ok()) begin_exchange();
  if (outcome == Outcome::grpc) {
    return refuse_head(505, {StatusCode::unimplemented, "receive request: gRPC needs HTTP/2"});
  }
  if (outcome == Outcome::refused) {
    if (!calls_.answer_format()) return refuse_head(calls_.http_status(), calls_.status());
    exchange_.call.format = *calls_.answer_format();
    exchange_.call.codec = calls_.answer_codec();
    return refuse_call(calls_.http_status() == 200 ? 0 : calls_.http_status(), calls_.status());
  }
  if (!status.is_ok()) {
    return refuse_call(status.code() == StatusCode::resource_exhausted ? 431 : 400, status);
  }
  if (exchange_.call.is_get && (exchange_.is_chunked || exchange_.content_length > 0)) {
    begin_exchange();
    return refuse_call(0, {StatusCode::invalid_argument, "receive message: a GET has content"});
  }
  if (exchange_.method_number != 0 && !exchange_.call.is_get) cache_.keep(bytes, exchange_, exchange_.metadata);
  return begin_call(event);
}

/// A route takes the request, and routes_ knows which one.
Http1ServerSession::Step Http1ServerSession::take_route(const http::http1::RequestHead& head, std::string_view target,
                                                        std::size_t size, Event& event) {
  const std::string_view bytes = input().substr(0, size);
  const auto outcome =
      calls_.finish_route({.method = head.method, .target = target, .authority = head.authority()}, exchange_.call);
  exchange_.metadata.clear();
  exchange_.metadata.add(web::request_line_name, std::string(head.method).append(" ").append(target));
  exchange_.metadata.add("host", head.authority());
  for (const http::http1::Field& field : head.fields) {
    if (http::http1::is_connection_field(field.name)) continue;
    name_.assign(field.name);
    std::transform(name_.begin(), name_.end(), name_.begin(), base::ascii_lower);
    web::add_request_field(name_, field.value, exchange_.metadata);
  }
  exchange_.method = remember_method(routes_.name(), exchange_.method_number);
  input_.consume(size);
  if (outcome == web::CallHeadReader::Outcome::refused) {
    begin_exchange();
    if (!calls_.answer_format()) return refuse_head(calls_.http_status(), calls_.status());
    return refuse_call(0, calls_.status());
  }
  if (exchange_.method_number != 0) cache_.keep(bytes, exchange_, exchange_.metadata);
  return begin_call(event);
}

/// Reads what the fields say of the call, and the metadata. An error means that an entry of the metadata is malformed.
Status Http1ServerSession::read_fields(const http::http1::RequestHead& head) {
  Status status;
  calls_.begin();
  metadata_.begin();
  for (const http::http1::Field& field : head.fields) {
    if (http::http1::is_connection_field(field.name)) continue;
    name_.assign(field.name);
    std::transform(name_.begin(), name_.end(), name_.begin(), base::ascii_lower);
    web::FieldName known;
    if (web::find_field_name(name_, known) && !calls_.add(known, field.value)) continue;
    if (name_ == "user-agent") {
      exchange_.user_agent = user_agents_.number_of(field.value, [this] { cache_.clear(); });
    } else if (status.is_ok()) {
      status = metadata_.add(name_, field.value, exchange_.metadata);
    }
  }
  return status;
}

/// Methods that come again have a number, so that nobody has to look for their names.
std::string_view Http1ServerSession::remember_method(std::string_view method, std::uint32_t& number) {
  constexpr std::size_t longest = 256;
  number = 0;
  if (method.empty() || method.size() > longest) {
    method_ = method;
    return method_;
  }
  const auto found = std::find(methods_.begin(), methods_.end(), method);
  if (found == methods_.end()) {
    // Few methods are called over and over, and they are looked for one after the other.
    constexpr std::size_t most_methods = 64;
    if (methods_.size() >= std::min<std::size_t>(most_methods, options_.limits.max_methods)) {
      method_ = method;
      return method_;
    }
    methods_.emplace_back(method);
    method_bytes_ += sizeof(std::string) + method.size();
    number = static_cast<std::uint32_t>(methods_.size());
  } else {
    number = static_cast<std::uint32_t>(found - methods_.begin() + 1);
  }
  return methods_[number - 1];
}

/// The head has been read, and its content is next in the input.
void Http1ServerSession::begin_exchange() {
  if (++last_id_ == 0) ++last_id_;
  exchange_.id = last_id_;
  has_request_ = true;
  head_timer_.cancel();
  content_.begin(exchange_.is_chunked, exchange_.content_length);
}

/// The facts and the metadata of the exchange are known.
Http1ServerSession::Step Http1ServerSession::begin_call(Event& event) {
  begin_exchange();
  exchange_.use = use_of(exchange_.call);
  metadata_bytes_ = exchange_.metadata.empty() ? 0 : exchange_.metadata.total_bytes();
  if (memory_share_.is_short()) {
    return refuse_call(503, {StatusCode::unavailable, "receive request: the server is short of memory"});
  }
  if (exchange_.call.timeout) {
    exchange_.deadline = base::deadline_after(now_, *exchange_.call.timeout);
    timers_.schedule(deadline_, exchange_.deadline);
  }
  if (exchange_.call.is_get) {
    const std::optional<Slice>& message = calls_.message();
    payload_ = message ? *message : Slice();
    show_message(payload_.bytes(), payload_.block(), exchange_.call.compressor != nullptr, true, event);
    return Step::event;
  }
  if (exchange_.use == ContentUse::messages) {
    // The call runs before its first message has come: the client may wait for something before it sends one.
    const Step step = read_messages(event);
    if (step != Step::needs_input) return step;
    if (exchange_.is_active() && !exchange_.is_seen) {
      hand_out(event);
      return Step::event;
    }
    return step;
  }
  return read_content(event);
}

/// Answers a request that is no call. If no exchange has begun, it is uncertain where the next request begins.
Http1ServerSession::Step Http1ServerSession::refuse_head(std::uint32_t http_status, const Status& status,
                                                         std::string_view allowed) {
  const bool knows_end = exchange_.is_active();
  exchange_.keeps_connection = knows_end && may_keep_connection();
  responses_.write_refusal(form(), http_status, status, allowed, exchange_.call.cors_origin);
  if (knows_end) {
    end_exchange();
  } else {
    end_session({StatusCode::unavailable, status.message(), StatusOrigin::transport});
  }
  return Step::again;
}

/// calls_ has refused the HTTP method of the request. The head of the request is next in the input, with `size` bytes.
Http1ServerSession::Step Http1ServerSession::refuse_http_method(std::size_t size) {
  const bool names_method = !calls_.method().empty();
  const std::string_view allowed = names_method ? owner_.http_methods_of(calls_.method()) : web::methods_of_calls;
  input_.consume(size);
  begin_exchange();
  if (!allowed.empty()) return refuse_head(405, calls_.status(), allowed);
  return refuse_head(404, {StatusCode::unimplemented, "receive headers: the path names no method"});
}

Http1ServerSession::Step Http1ServerSession::answer_preflight(const std::string& origin) {
  exchange_.keeps_connection = may_keep_connection();
  responses_.write_preflight(form(), origin, calls_.value(web::FieldName::access_control_request_headers));
  end_exchange();
  return Step::again;
}

/// Refuses the call. `http_error` is the HTTP status, or 0 if that follows from the code of `status`.
Http1ServerSession::Step Http1ServerSession::refuse_call(std::uint32_t http_error, const Status& status) {
  if (exchange_.was_let_pass && !exchange_.is_seen) owner_.on_call_dropped(exchange_.id);
  if (exchange_.context != nullptr) {
    Status end = status;
    end.set_origin(StatusOrigin::peer);
    local_events_.push({EventType::cancelled, exchange_.id, exchange_.context, std::move(end)});
  }
  respond(status, nullptr, http_error);
  return Step::again;
}

// --- contents ---

Http1ServerSession::Step Http1ServerSession::read_content(Event& event) {
  switch (exchange_.use) {
    case ContentUse::body:
    case ContentUse::text:
      return read_body(event);
    case ContentUse::messages:
      return read_messages(event);
    case ContentUse::none:
      break;
  }
  return Step::needs_input;
}

Http1ServerSession::Step Http1ServerSession::read_body(Event& event) {
  using Outcome = http::http1::ContentReader::Outcome;
  const bool is_text = exchange_.use == ContentUse::text;
  const std::uint64_t most = options_.limits.max_message_bytes;
  const std::uint64_t limit = is_text ? codec::base64_bytes(web::message_prefix_bytes + most) : most;
  const auto too_long = [&](std::uint64_t size) { return refuse_call(413, web::message_over_limit(size, most)); };
  if (room_.is_waiting() && !take_room()) return Step::needs_input;
  if (!content_.is_chunked() && !is_gathering_) {
    const std::uint64_t length = content_.left();
    if (length > limit) return too_long(length);
    if (input_.size() >= length && !is_text) {
      std::size_t consumed = 0;
      static_cast<void>(content_.read(input(), consumed));
      const ByteSpan payload(input_.data(), consumed);
      input_.consume(consumed);
      show_message(payload, input_.block(), exchange_.call.compressor != nullptr, true, event);
      return Step::event;
    }
    room_.want(length);
    if (!begin_gathering(event)) return Step::again;
  }
  while (!room_.is_waiting()) {
    std::size_t consumed = 0;
    const Outcome outcome = content_.read(input(), consumed);
    if (outcome == Outcome::refused) return bad_content();
    if (outcome == Outcome::data) {
      const std::string_view data = content_.data();
      if (const std::uint64_t size = body_.size() + data.size(); size > limit) {
        input_.consume(consumed);
        return too_long(size);
      }
      body_.append(data);
      progress_ += data.size();
    }
    input_.consume(consumed);
    if (content_.is_over()) {
      payload_ = body_.take();
      is_gathering_ = false;
      room_.free();
      return is_text ? show_text(event) : show_body(event);
    }
    if (outcome == Outcome::needs_input) {
      input_.need(input_.size() + 1);
      return is_gathering_ || begin_gathering(event) ? Step::needs_input : Step::again;
    }
    if (content_.is_chunked() && room_.needs_more(body_.size())) {
      room_.want_more(body_.size(), limit);
      if (!begin_gathering(event)) return Step::again;
    }
  }
  return Step::needs_input;
}

/// Shows payload_, which is the whole content, as the message.
Http1ServerSession::Step Http1ServerSession::show_body(Event& event) {
  show_message(payload_.bytes(), payload_.block(), exchange_.call.compressor != nullptr, true, event);
  return Step::event;
}

/// Shows the message that payload_ encodes as base64, behind its prefix.
Http1ServerSession::Step Http1ServerSession::show_text(Event& event) {
  web::TextBody body;
  if (const Status status = web::read_text_body(payload_.text(), body); !status.is_ok()) return refuse_call(0, status);
  if (body.is_compressed && exchange_.call.compressor == nullptr) {
    return refuse_call(0, {StatusCode::internal, "receive message: it is compressed without an encoding in the head"});
  }
  if (const std::uint64_t limit = options_.limits.max_message_bytes; body.message.size() > limit) {
    return refuse_call(413, web::message_over_limit(body.message.size(), limit));
  }
  payload_ = std::move(body.message);
  show_message(payload_.bytes(), payload_.block(), body.is_compressed, true, event);
  return Step::event;
}

/// The content of the call has not come as a whole, and memory is about to be taken. False means the call is refused.
bool Http1ServerSession::begin_gathering(Event& event) {
  if (!std::exchange(exchange_.was_let_pass, true)) {
    fill_call(event);
    const Status status = owner_.on_call_begun(event);
    std::swap(exchange_.metadata, event.metadata);
    event.clear();
    if (!status.is_ok()) {
      exchange_.was_let_pass = false;
      static_cast<void>(refuse_call(http_error_of_refusal(status.code(), exchange_.call.is_get), status));
      return false;
    }
  }
  is_gathering_ = true;
  static_cast<void>(take_room());
  return true;
}

/// Takes the room that a content waits for, and then tells the client to go on. Returns false if there is none yet.
bool Http1ServerSession::take_room() {
  if (room_.is_waiting()) {
    if (!room_.take()) return false;
    memory_retry_.end();
  }
  const bool may_continue = is_gathering_ && !exchange_.has_sent_head;
  if (may_continue && std::exchange(exchange_.expects_continue, false)) responses_.write_continue();
  return true;
}

Http1ServerSession::Step Http1ServerSession::read_messages(Event& event) {
  using Outcome = http::http1::ContentReader::Outcome;
  if (room_.is_waiting() && !take_room()) return Step::needs_input;
  // The end of the content is read nevertheless: the handler may wait for it before it takes the last message.
  const bool is_full = unread_bytes_ >= std::int64_t{options_.limits.call_credit_bytes};
  for (;;) {
    if (is_full && data_bytes_ > 0) {
      input_watch_.hold_up();
      return Step::needs_input;
    }
    while (data_bytes_ > 0) {
      const Step step = take_message(event);
      if (step != Step::needs_input || room_.is_waiting()) return step;
    }
    if (content_.is_over()) break;
    std::size_t consumed = 0;
    const Outcome outcome = content_.read(input(), consumed);
    if (outcome == Outcome::refused) return bad_content();
    // The content stays in the buffer until it is taken.
    data_bytes_ = outcome == Outcome::data ? content_.data().size() : 0;
    input_.consume(consumed - data_bytes_);
    if (outcome == Outcome::needs_input) {
      if (!exchange_.has_sent_head && std::exchange(exchange_.expects_continue, false)) responses_.write_continue();
      input_.need(input_.size() + 1);
      return Step::needs_input;
    }
  }
  if (exchange_.has_ended) return Step::needs_input;
  if (assembly_.is_amid_message()) {
    return refuse_call(
        0, {code_of_corrupt_request(exchange_.call.format), "receive message: the client ended amid a message"});
  }
  exchange_.has_ended = true;
  event.end = true;
  if (!exchange_.is_seen) {
    hand_out(event);
    return Step::event;
  }
  event.type = EventType::message;
  event.id = exchange_.id;
  event.context = exchange_.context;
  return Step::event;
}

/// Takes one message, or a part of one, from the front of the data. needs_input means that the message goes on.
Http1ServerSession::Step Http1ServerSession::take_message(Event& event) {
  const std::uint64_t limit = options_.limits.max_message_bytes;
  ByteSpan data(input_.data(), data_bytes_);
  const auto take = [&](std::size_t size) {
    input_.consume(size);
    data_bytes_ -= size;
  };
  if (!assembly_.has_prefix()) {
    const bool is_whole = assembly_.read_prefix(data);
    take(data_bytes_ - data.size());
    if (!is_whole) return Step::needs_input;
    if (assembly_.flag() > 1) {
      return refuse_call(0, {code_of_corrupt_request(exchange_.call.format), "receive message: bad prefix"});
    }
    if (assembly_.length() > limit) {
      return refuse_call(0, web::message_over_limit(assembly_.length(), limit));
    }
    if (assembly_.flag() == 1 && exchange_.call.compressor == nullptr) {
      return refuse_call(0,
                         {StatusCode::internal, "receive message: it is compressed without an encoding in the head"});
    }
  }
  const bool is_compressed = assembly_.flag() == 1;
  const std::uint32_t length = assembly_.length();
  if (!assembly_.is_gathering()) {
    if (data.size() >= length) {
      take(length);
      static_cast<void>(assembly_.take());
      show_message(data.first(length), input_.block(), is_compressed, content_.is_over() && data_bytes_ == 0, event);
      return Step::event;
    }
    assembly_.begin();
    room_.want(length);
    if (!take_room()) return Step::needs_input;
  }
  const std::size_t size = std::min(assembly_.missing(), data.size());
  assembly_.add(data.first(size));
  progress_ += size;
  take(size);
  if (assembly_.missing() > 0) return Step::needs_input;
  room_.free();
  payload_ = assembly_.take();
  show_message(payload_.bytes(), payload_.block(), is_compressed, content_.is_over() && data_bytes_ == 0, event);
  return Step::event;
}

/// Drops what has come of the content. Returns false if the content is not over.
bool Http1ServerSession::skip_content() {
  using Outcome = http::http1::ContentReader::Outcome;
  input_.consume(std::exchange(data_bytes_, 0));
  while (!content_.is_over()) {
    std::size_t consumed = 0;
    const Outcome outcome = content_.read(input(), consumed);
    input_.consume(consumed);
    if (outcome == Outcome::needs_input || outcome == Outcome::refused) return false;
  }
  return true;
}

/// The request has been answered before all of its content has come. Many clients send the end of a content by itself,
/// and take a connection whose response is complete for usable.
bool Http1ServerSession::may_keep_connection() {
  if (!exchange_.keeps_connection || is_drain_requested_) return false;
  if (skip_content()) return true;
  // A client that has not been told to go on may send the content or not.
  if (exchange_.expects_continue || content_.error() != MessageError::none) return false;
  return content_.left() <= most_discarded_bytes;
}

/// The response let the client believe that it may use the connection again, so only time limits what is read.
Http1ServerSession::Step Http1ServerSession::discard_rest() {
  is_discarding_ = !skip_content();
  if (!is_discarding_) {
    head_timer_.cancel();
    begin_idle();
    return Step::again;
  }
  if (content_.error() != MessageError::none) {
    end_session({});
    return Step::again;
  }
  input_.need(input_.size() + 1);
  return Step::needs_input;
}

/// It is uncertain where the next request begins.
Http1ServerSession::Step Http1ServerSession::bad_content() {
  const Status status(StatusCode::invalid_argument, "receive request: " + std::string(to_string(content_.error())));
  exchange_.keeps_connection = false;
  return refuse_call(http_status_of(content_.error()), status);
}

// --- events ---

void Http1ServerSession::settle_current_event(Event& event) {
  if (std::exchange(has_credit_, false) && (event.is_retained || event.is_queued)) {
    unread_bytes_ += std::int64_t{credit_.call_bytes} + credit_.further_bytes;
  }
  payload_ = {};
  event.clear();
}

void Http1ServerSession::fill_call(Event& event) {
  event.type = EventType::call;
  event.id = exchange_.id;
  event.context = nullptr;
  event.method_name = exchange_.method;
  event.method_number = exchange_.method_number;
  event.method_epoch = 0;
  event.response_codec = exchange_.call.codec;
  event.accepted_compressors = exchange_.call.accepted;
  event.call_compressor = exchange_.call.compressor;
  event.deadline = exchange_.deadline;
  event.user_agent = user_agents_.of(exchange_.user_agent);
  event.is_get = exchange_.call.is_get;
  event.is_route = exchange_.call.format == web::Format::route;
  std::swap(event.metadata, exchange_.metadata);
}

/// `event` may have the first message and the end.
void Http1ServerSession::hand_out(Event& event) {
  fill_call(event);
  if (event.has_message) event.codec = exchange_.call.codec;
  exchange_.is_seen = true;
  call_in_hand_ = exchange_.id;
}

void Http1ServerSession::show_message(ByteSpan payload, Block* block, bool is_compressed, bool is_end, Event& event) {
  has_credit_ = true;
  credit_ = {.connection_bytes = 0,
             .call_bytes = static_cast<std::uint32_t>(payload.size()),
             .further_bytes = web::record_bytes};
  event.credit = credit_;
  event.type = EventType::message;
  event.id = exchange_.id;
  event.context = exchange_.context;
  event.has_message = true;
  event.codec = exchange_.call.codec;
  event.payload = payload;
  event.wire_bytes = payload.size();
  event.block = block;
  event.end = is_end;
  if (is_compressed) {
    event.compressor = exchange_.call.compressor;
    event.is_compressed = event.is_unsized = true;
    event.decompressed_bytes = most_decompressed(payload.size(), options_.limits);
  }
  if (is_end) exchange_.has_ended = true;
  if (!exchange_.is_seen) hand_out(event);
}

Status Http1ServerSession::decompress(Event& event) {
  if (!event.is_compressed) return {};
  Result<Slice> plain = decompress_unsized(event, code_of_corrupt_request(exchange_.call.format), owner_);
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

/// Ends the call, then the session.
bool Http1ServerSession::take_closing_event(Event& event) {
  event.clear();
  if (exchange_.is_active()) {
    event.context = exchange_.context;
    event.id = exchange_.id;
    if (exchange_.was_let_pass && !exchange_.is_seen) owner_.on_call_dropped(exchange_.id);
    exchange_.reset();
    deadline_.cancel();
    if (event.context != nullptr) {
      event.type = EventType::cancelled;
      event.status = closing_.status_of_calls();
      return true;
    }
  }
  if (!closing_.take_last(event)) return false;
  input_.reset();
  return true;
}

bool Http1ServerSession::end_turn() {
  if (room_.is_waiting()) memory_retry_.wait(now_);
  update_timers();
  count_held();
  return false;
}

// --- calls ---

Result<CallId> Http1ServerSession::start(const CallStart&, const OutgoingMessage&) {
  return Status(StatusCode::unimplemented, "start call: a server's connection begins no calls");
}

void Http1ServerSession::attach(CallId id, void* context) {
  if (exchange_.is_active() && exchange_.id == id) {
    exchange_.context = context;
    if (id == call_in_hand_) call_in_hand_ = 0;
  }
}

Status Http1ServerSession::finish(CallId id, const Status& status, const OutgoingMessage& message,
                                  const Metadata* trailing, bool unprocessed) try {
  Status ended;
  if (!local_events_.empty()) ended = local_events_.drop(id);
  if (!exchange_.is_active() || exchange_.id != id) return ended;
  if (id == call_in_hand_) call_in_hand_ = 0;
  if (is_closed_) {
    exchange_.reset();
    return {};
  }
  Status sent = status;
  if (Status sendable = check_metadata("finish call: trailing", trailing); !sendable.is_ok()) {
    trailing = nullptr;
    if (sent.is_ok()) {
      sent = std::move(sendable);
    } else {
      owner_.on_metadata_dropped(sendable);
    }
  }
  const bool is_whole = web::responds_once(exchange_.call.format) && !exchange_.has_sent_head;
  if (sent.is_ok() && message.has_message()) {
    if (!is_whole) {
      sent = write_message(message, nullptr);
    } else {
      const Compressor* const compressor = compressor_of(message);
      Slice content;
      bool is_compressed = false;
      sent = encode(message, compressor, content, is_compressed);
      if (exchange_.id == id && !is_closed_ && sent.is_ok()) {
        exchange_.keeps_connection = may_keep_connection();
        web::ResponseHead head = head_of_response(nullptr, is_compressed ? compressor : nullptr);
        head.trailing = trailing;
        if (content.empty()) {
          responses_.write(form(), head, encoded_.bytes());
          payload_bytes_accepted_ += encoded_.size();
        } else {
          payload_bytes_accepted_ += content.size();
          responses_.write(form(), head, std::move(content));
        }
        end_exchange();
        return sent;
      }
    }
    // The application's codec may have run the loop, and the call may have ended meanwhile.
    if (exchange_.id != id) return sent;
    if (is_closed_) {
      exchange_.reset();
      return sent;
    }
  }
  respond(sent, trailing, unprocessed ? http_error_of_refusal(sent.code(), exchange_.call.is_get) : 0);
  return sent;
} catch (...) {
  lose_connection();
  throw;
}

Status Http1ServerSession::send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool /*end*/) try {
  if (!exchange_.is_active() || exchange_.id != id || is_closed_) {
    return {StatusCode::cancelled, "send message: the call is over"};
  }
  if (exchange_.call.format == web::Format::route) {
    if (message.has_message()) return {StatusCode::unimplemented, "send message: a route responds once"};
    if (leading == nullptr) return {};
    Status status = web::check_route_response(*leading);
    if (status.is_ok()) exchange_.leading = *leading;
    return status;
  }
  if (Status status = check_metadata("send message: leading", leading); !status.is_ok()) return status;
  if (message.has_message()) return write_message(message, leading);
  if (exchange_.has_sent_head || leading == nullptr) return {};
  if (web::responds_once(exchange_.call.format)) {
    exchange_.leading = *leading;
  } else {
    begin_stream(leading, compressor_of(message));
  }
  return {};
} catch (...) {
  lose_connection();
  throw;
}

bool Http1ServerSession::is_writable(CallId id) const noexcept {
  if (!exchange_.is_active() || exchange_.id != id) return false;
  if (output_.size() <= options_.limits.max_unsent_bytes) return true;
  owes_writable_ = true;
  return false;
}

std::uint64_t Http1ServerSession::received_of_message(CallId id) const noexcept {
  return exchange_.is_active() && exchange_.id == id && assembly_.is_gathering() ? assembly_.gathered() : 0;
}

void Http1ServerSession::release(CallId, const MessageCredit& credit) {
  const std::int64_t bytes = std::int64_t{credit.call_bytes} + credit.further_bytes;
  const bool was_full = unread_bytes_ >= std::int64_t{options_.limits.call_credit_bytes};
  unread_bytes_ -= bytes;
  if ((was_full && !is_closed_) || is_done_before_websocket()) owner_.on_session_wake();
}

// --- responses ---

ResponseWriter::Form Http1ServerSession::form() const noexcept {
  return {.minor_version = exchange_.minor_version,
          .keeps_connection = exchange_.keeps_connection,
          .is_head = exchange_.is_head};
}

web::ResponseHead Http1ServerSession::head_of_response(const Status* status,
                                                       const Compressor* compressor) const noexcept {
  return {.format = exchange_.call.format,
          .codec = exchange_.call.codec,
          .compressor = compressor,
          .status = status,
          .leading = &exchange_.leading,
          .cors_origin = exchange_.call.cors_origin};
}

const Compressor* Http1ServerSession::compressor_of(const OutgoingMessage& message) const noexcept {
  const Compressor* const wanted = message.compressor;
  // The content of a route is what its handler says.
  if (wanted == nullptr || exchange_.call.format == web::Format::route) return nullptr;
  const bool is_usable = exchange_.has_sent_head ? wanted == exchange_.sent_compressor
                                                 : encodings_.contains(exchange_.call.accepted, *wanted);
  return is_usable ? wanted : nullptr;
}

/// Encodes the message into `out` or, if that stays empty, into encoded_.
Status Http1ServerSession::encode(const OutgoingMessage& message, const Compressor* compressor, Slice& out,
                                  bool& is_compressed) try {
  const Codec& codec = *exchange_.call.codec;
  encoded_.clear();
  if (message.message.type == nullptr) {
    if (message.codec != &codec) {
      return {StatusCode::internal, "send message: codec " + std::string(message.codec->name()) +
                                        " is not the call's, " + std::string(codec.name())};
    }
    out = message.payload;
  } else {
    if (Status status = codec.encode(message.message, encoded_); !status.is_ok()) return status;
    if (encoded_.size() >= base::OutputQueue::copy_limit) out = encoded_.take();
  }
  const ByteSpan plain = out.empty() ? encoded_.bytes() : out.bytes();
  if (plain.size() > 0xFFFFFFFF) return {StatusCode::resource_exhausted, "send message: it exceeds 4 GiB"};
  if (compressor == nullptr || plain.size() < options_.compression_threshold) return {};
  BufferWriter compressed(plain.size());
  if (!compressor->compress_unsized(plain, compressed).is_ok() || compressed.size() >= plain.size()) return {};
  // A peer of this kind would refuse a message that decompresses to so much.
  if (plain.size() > most_decompressed(compressed.size(), options_.limits)) return {};
  out = compressed.take();
  is_compressed = true;
  return {};
} catch (...) {
  // A codec or compressor of the application has thrown, and the call must still be ended.
  return owner_.on_codec_exception("send message: encoding it", base::current_exception_text());
}

/// Writes a message of a stream.
Status Http1ServerSession::write_message(const OutgoingMessage& message, const Metadata* leading) {
  const CallId id = exchange_.id;
  if (web::responds_once(exchange_.call.format)) {
    const bool has_lines = exchange_.call.format == web::Format::plain && exchange_.call.codec->name() == "json";
    if (!has_lines) {
      return {StatusCode::unimplemented,
              "send message: the request asks for one response, and the method responds with a stream"};
    }
    exchange_.call.format = web::Format::lines;
  }
  // Lines and events are read as they are.
  const bool is_read_as_is =
      exchange_.call.format == web::Format::lines || exchange_.call.format == web::Format::events;
  const Compressor* const compressor = is_read_as_is ? nullptr : compressor_of(message);
  Slice content;
  bool is_compressed = false;
  if (Status status = encode(message, compressor, content, is_compressed); !status.is_ok()) return status;
  if (exchange_.id != id || is_closed_) return {StatusCode::cancelled, "send message: the call is over"};
  if (!exchange_.has_sent_head) begin_stream(leading, compressor);
  const ByteSpan payload = content.empty() ? encoded_.bytes() : content.bytes();
  payload_bytes_accepted_ += payload.size();
  part_.clear();
  web::append_message(exchange_.call.format, payload, is_compressed, part_);
  if (part_.size() >= base::OutputQueue::copy_limit) {
    responses_.write_part(form(), part_.take());
  } else {
    responses_.write_part(form(), part_.bytes());
  }
  if (output_.size() >= counted_output_ + MemoryShare::free_bytes) count_held();
  return {};
}

void Http1ServerSession::begin_stream(const Metadata* leading, const Compressor* compressor) {
  if (leading != nullptr && !leading->empty()) exchange_.leading = *leading;
  exchange_.has_sent_head = true;
  exchange_.sent_compressor = compressor;
  if (exchange_.minor_version == 0 || is_drain_requested_ || exchange_.expects_continue) {
    exchange_.keeps_connection = false;
  }
  responses_.begin(form(), head_of_response(nullptr, compressor));
  if (exchange_.call.format != web::Format::events) return;
  quiet_looks_ = 0;
  schedule_comment();
}

/// Writes the end of the response. `http_error` is the HTTP status, or 0 if that follows from the code of `status`.
void Http1ServerSession::write_end(const Status& status, const Metadata* trailing, std::uint32_t http_error) {
  part_.clear();
  if (web::responds_once(exchange_.call.format) && !exchange_.has_sent_head) {
    exchange_.keeps_connection = may_keep_connection();
    if (!status.is_ok()) web::append_end(exchange_.call.format, status, trailing, part_);
    web::ResponseHead head = head_of_response(&status, nullptr);
    head.http_error = http_error;
    head.trailing = trailing;
    return responses_.write(form(), head, part_.bytes());
  }
  if (!exchange_.has_sent_head) {
    exchange_.keeps_connection = may_keep_connection();
    begin_stream(nullptr, nullptr);
  } else {
    static_cast<void>(skip_content());
    if (is_drain_requested_ || content_.error() != MessageError::none) exchange_.keeps_connection = false;
  }
  web::append_end(exchange_.call.format, status, trailing, part_);
  responses_.write_part(form(), part_.bytes());
  responses_.end(form());
}

void Http1ServerSession::respond(const Status& status, const Metadata* trailing, std::uint32_t http_error) {
  write_end(status, trailing, http_error);
  end_exchange();
}

/// The response has been written, which ends the exchange.
void Http1ServerSession::end_exchange() {
  const bool keeps_connection = exchange_.keeps_connection;
  // The layer above is not about to ask for the next event by itself.
  const bool is_late = exchange_.context != nullptr;
  if (exchange_.call.timeout) deadline_.cancel();
  comment_timer_.cancel();
  exchange_.reset();
  data_bytes_ = 0;
  // Nothing of a content that was refused may reach the next one, be it bytes or room.
  is_gathering_ = false;
  if (body_.size() > 0) static_cast<void>(body_.take());
  if (assembly_.is_amid_message()) static_cast<void>(assembly_.take());
  room_.free();
  metadata_bytes_ = 0;
  is_now_old_ = is_now_old_ || is_late;
  begin_idle();
  if (!keeps_connection) return end_session({});
  is_discarding_ = !content_.is_over();
  // The stall is noted before a part of the output is taken: the rest alone might look like little.
  static_cast<void>(update_stall());
  if (!is_late) return;
  owner_.on_session_wake();
  if (output_.size() >= counted_output_ + MemoryShare::free_bytes) count_held();
}

Status Http1ServerSession::check_metadata(std::string_view what, const Metadata* metadata) {
  if (metadata == nullptr || metadata->empty()) return {};
  if (const Status status = web::check_web_metadata(*metadata); !status.is_ok()) {
    // A client would take invalid_argument to be about its request.
    return {StatusCode::internal, std::string(what) + " metadata: " + std::string(status.message())};
  }
  return {};
}

void Http1ServerSession::wrote(std::size_t size) {
  output_.consume(size);
  written_bytes_ += size;
  if (output_.empty() && memory_share_.taken() > 0) count_held();
  if (is_closed_) return;
  const bool is_half_empty = output_.size() <= options_.limits.max_unsent_bytes / 2;
  if (is_half_empty && std::exchange(owes_writable_, false) && exchange_.context != nullptr) {
    local_events_.notify({EventType::writable, exchange_.id, exchange_.context, {}});
  }
  const bool stall_ends = is_stalled_ && output_.size() <= most_unsent_after_stall();
  if (stall_ends || is_drained() || is_done_before_websocket()) owner_.on_session_wake();
}

// --- timers ---

void Http1ServerSession::on_deadline(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  if (self.is_closed_ || !self.exchange_.is_active()) return;
  const Status status(StatusCode::deadline_exceeded, "deadline exceeded");
  const CallId id = self.exchange_.id;
  void* const context = std::exchange(self.exchange_.context, nullptr);
  try {
    static_cast<void>(self.local_events_.drop(id));
    if (context != nullptr) self.local_events_.push({EventType::cancelled, id, context, status});
    static_cast<void>(self.refuse_call(0, status));
    self.owner_.on_session_wake();
  } catch (...) {
    // Without its timer the call might never end.
    self.lose_connection();
  }
}

void Http1ServerSession::on_head_timer(base::Timer& timer, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  if (self.is_closed_ || !(self.is_discarding_ || self.is_amid_head())) return;
  // Nobody had told the time when the timer was scheduled.
  if (!std::exchange(self.is_head_limited_, true)) {
    return self.timers_.schedule(timer, base::deadline_after(now, self.options_.limits.handshake_timeout));
  }
  if (self.is_discarding_) return self.end_session({});
  self.time_out("receive request: its head has not come within handshake_timeout " +
                std::to_string(self.options_.limits.handshake_timeout.count()) + " ms");
}

/// A connection is without requests. There are no pings that would tell whether the client is still there, so it must
/// take something of the last response, however short that is.
void Http1ServerSession::on_idle_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  if (self.is_closed_) return;
  if (self.exchange_.is_active() || self.is_amid_head()) return;
  if (!self.output_.empty() && std::exchange(self.idle_mark_, self.written_bytes_) != self.written_bytes_) {
    self.idle_since_ = self.now_;
  }
  if (!self.idle_since_) self.idle_since_ = self.now_;
  const base::TimePoint end = base::deadline_after(*self.idle_since_, self.options_.limits.stall_timeout);
  if (now < end) return self.timers_.schedule(self.idle_timer_, end);
  self.end_session({});
}

void Http1ServerSession::on_memory_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  self.owner_.on_session_wake();
}

void Http1ServerSession::on_stall_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  const StallWatch::Seen seen{.unsent = self.output_.size(),
                              .is_wanted = self.memory_share_.is_short_for_holders(),
                              .taken = self.written_bytes_};
  if (self.stall_.on_timer(now, seen) == StallWatch::Action::none) return;
  self.end_session(
      {StatusCode::unavailable, "send: the peer takes nothing within stall_timeout", StatusOrigin::transport});
}

void Http1ServerSession::on_input_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  if (!self.owner_.is_listening() || self.room_.is_waiting()) self.input_watch_.hold_up();
  const InputWatch::Seen seen{.is_incomplete = self.is_content_due(),
                              .has_message = self.room_.is_taken(),
                              .is_wanted = self.memory_share_.is_wanted(),
                              .message_bytes = self.progress_};
  if (self.input_watch_.on_timer(now, seen) == InputWatch::Action::none) return;
  self.time_out("receive request: the client does not go on with its content within stall_timeout");
}

/// A drain waits for a content that goes on coming, not for others.
void Http1ServerSession::on_drain_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  if (self.is_closed_ || !self.is_content_due()) return;
  const bool goes_on = self.received_bytes_ > self.drain_mark_;
  if (goes_on || self.room_.is_waiting() || !self.owner_.is_listening()) return self.limit_rest_in_drain();
  self.time_out("receive request: the server is draining, and the client does not go on with its content");
}

/// A stream without events looks like one whose connection is lost, to its client and to proxies on the way. A comment,
/// which clients skip, keeps it, and lets the system notice a client that is gone.
void Http1ServerSession::on_comment_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<Http1ServerSession*>(owner);
  self.take_time(now);
  if (self.is_closed_ || !self.exchange_.is_active()) return;
  try {
    const bool is_quiet = self.payload_bytes_accepted_ == self.comment_mark_ && self.output_.empty();
    self.quiet_looks_ = is_quiet ? self.quiet_looks_ + 1 : 0;
    const bool is_due = self.quiet_looks_ == looks_per_comment;
    if (is_due) self.responses_.write_part(self.form(), as_bytes(event_comment));
    if (is_due) self.quiet_looks_ = 0;
    self.schedule_comment();
    if (is_due) self.owner_.on_session_wake();
  } catch (...) {
    self.lose_connection();
  }
}

void Http1ServerSession::schedule_comment() {
  if (options_.limits.keepalive_interval.count() == 0) return;
  comment_mark_ = payload_bytes_accepted_;
  const base::Duration pause = base::Duration(options_.limits.keepalive_interval) / looks_per_comment;
  timers_.schedule(comment_timer_, base::deadline_after(now_, pause));
}

void Http1ServerSession::limit_rest_in_drain() {
  const std::chrono::milliseconds most = std::min(InputWatch::short_timeout, options_.limits.stall_timeout);
  if (most.count() == 0) return;
  drain_mark_ = received_bytes_;
  timers_.schedule(drain_timer_, base::deadline_after(now_, most));
}

/// The client does not go on with a request.
void Http1ServerSession::time_out(std::string_view text) {
  constexpr std::uint32_t request_timeout = 408;
  const Status status(StatusCode::deadline_exceeded, text);
  try {
    exchange_.keeps_connection = false;
    if (!exchange_.has_sent_head) responses_.write_refusal(form(), request_timeout, status);
    exchange_.has_sent_head = true;
    end_session({StatusCode::unavailable, text, StatusOrigin::transport});
  } catch (...) {
    lose_connection();
  }
}

// --- the connection ---

/// The client has begun something that it should go on with. Between the messages of a stream it may rest.
bool Http1ServerSession::is_content_due() const noexcept {
  if (!exchange_.is_active() || content_.is_over()) return false;
  return exchange_.use != ContentUse::messages || assembly_.is_amid_message();
}

/// Nothing is read while the client does not take what is written for it. A response of which a part has been taken
/// still occupies all of its memory, so the next request is served once nothing waits.
bool Http1ServerSession::update_stall() noexcept {
  is_stalled_ = output_.size() > (is_stalled_ ? most_unsent_after_stall() : options_.limits.max_unsent_bytes);
  return is_stalled_;
}

/// A stream whose handler always has more to write must hear its client nevertheless.
std::size_t Http1ServerSession::most_unsent_after_stall() const noexcept {
  return exchange_.is_active() ? options_.limits.max_unsent_bytes / 2 : 0;
}

void Http1ServerSession::update_timers() {
  if (is_content_due()) {
    input_watch_.start(now_);
  } else {
    input_watch_.settle();
  }
  if (output_.size() > StallWatch::least_bytes) stall_.start(now_);
  if (is_amid_head() || is_discarding_) {
    if (!head_timer_.is_scheduled()) {
      is_head_limited_ = !is_now_old_;
      const base::TimePoint end = base::deadline_after(now_, options_.limits.handshake_timeout);
      timers_.schedule(head_timer_, is_head_limited_ ? end : now_);
    }
    return;
  }
  const bool is_idle = !exchange_.is_active() && has_request_;
  if (!is_idle || idle_timer_.is_scheduled() || options_.limits.stall_timeout.count() == 0) return;
  idle_mark_ = written_bytes_;
  timers_.schedule(idle_timer_, base::deadline_after(idle_since_.value_or(now_), options_.limits.stall_timeout));
}

void Http1ServerSession::count_held() noexcept {
  counted_output_ = output_.size();
  const std::size_t gathered = body_.size() + (assembly_.is_gathering() ? assembly_.gathered() : 0);
  const std::size_t room = room_.left(gathered);
  memory_share_.update(held_bytes() + room, room);
}

std::size_t Http1ServerSession::held_bytes() const noexcept {
  const std::size_t gathered = body_.size() + (assembly_.is_gathering() ? assembly_.gathered() : 0);
  const auto unread = static_cast<std::size_t>(std::max<std::int64_t>(unread_bytes_, 0));
  return input_.held_bytes() + output_.held_bytes() + gathered + payload_.size() + unread + metadata_bytes_ +
         method_bytes_ + user_agents_.held_bytes() + cache_.held_bytes() +
         (exchange_.is_active() ? web::bytes_per_exchange : 0);
}

void Http1ServerSession::drain() {
  if (std::exchange(is_drain_requested_, true) || is_closed_) return;
  if (is_content_due()) limit_rest_in_drain();
  owner_.on_session_wake();
}

bool Http1ServerSession::is_drained() const noexcept {
  return is_drain_requested_ && !is_closed_ && !exchange_.is_active() && output_.empty() && local_events_.empty();
}

/// A client that ends its side in order to be answered does so behind its request. One that does it while it reads a
/// stream has closed its connection, as browsers do when nobody wants the rest.
void Http1ServerSession::input_ended() {
  if (exchange_.is_active() && exchange_.has_sent_head) abandoned_ = exchange_.id;
}

/// An interim response may always be sent. The system of a client that is gone answers it with a reset.
void Http1ServerSession::ask_peer() {
  const bool is_waiting = exchange_.is_active() && !exchange_.has_sent_head && owes_response();
  if (is_waiting && exchange_.minor_version > 0) responses_.write_continue();
}

bool Http1ServerSession::owes_response() const noexcept {
  if (is_closed_) return false;
  if (!exchange_.is_active()) return is_stalled_ && input_.size() > 0;
  if (exchange_.id == abandoned_) return false;
  const bool is_held_up = room_.is_waiting() || (data_bytes_ > 0 && unread_bytes_ >= options_.limits.call_credit_bytes);
  return content_.is_over() || is_held_up;
}

void Http1ServerSession::close(const Status& reason) {
  if (is_closed_) return;
  if (exchange_.is_active()) {
    exchange_.keeps_connection = false;
    const Status status = reason.is_ok() ? Status(StatusCode::unavailable, "connection closed") : reason;
    // A response that has begun must not look as if it were whole.
    if (!exchange_.has_sent_head) write_end(status, nullptr, 0);
  } else if (is_amid_head() && !reason.is_ok()) {
    return time_out(reason.message());
  }
  end_session(reason);
}

void Http1ServerSession::transport_closed(const Status& reason) {
  if (is_closed_) return;
  output_.clear();
  const bool is_orderly = reason.is_ok() && !exchange_.is_active() && input_.size() == 0;
  if (is_orderly) return end_session({});
  const std::string_view text = reason.is_ok() ? std::string_view("connection closed by the peer") : reason.message();
  end_session({StatusCode::unavailable, text, StatusOrigin::transport});
}

/// There was no memory for a response, which may have been written in part.
void Http1ServerSession::lose_connection() {
  if (is_closed_) return;
  output_.clear();
  end_session({StatusCode::resource_exhausted, "no memory"});
}

void Http1ServerSession::end_session(const Status& reason) {
  if (std::exchange(is_closed_, true)) return;
  closing_.begin(reason);
  is_stalled_ = false;
  stall_.stop();
  input_watch_.stop();
  for (base::Timer* timer : {&deadline_, &head_timer_, &idle_timer_, &drain_timer_, &comment_timer_}) timer->cancel();
  memory_retry_.stop();
  data_bytes_ = 0;
  is_gathering_ = false;
  static_cast<void>(body_.take());
  static_cast<void>(assembly_.take());
  room_.free();
  owner_.on_session_wake();
}

}  // namespace trunkline::session::http1
