// SPDX-License-Identifier: MIT
// Lines to events and back.
#include "line_protocol/line_session.h"

#include "call/message_coding.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace trunkline::line {
namespace {

std::string to_hexadecimal(ByteSpan bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

/// The two parts around the first space; the second is empty without one.
std::pair<std::string_view, std::string_view> split(std::string_view line, char separator) {
  const std::size_t at = line.find(separator);
  if (at == std::string_view::npos) return {line, {}};
  return {line.substr(0, at), line.substr(at + 1)};
}

session::ProtocolMatch match(ByteSpan first_bytes) noexcept {
  for (const char letter : as_text(first_bytes)) {
    if (letter >= 'a' && letter <= 'z') return session::ProtocolMatch::yes;
    if (letter < 'A' || letter > 'Z') return session::ProtocolMatch::no;
  }
  return session::ProtocolMatch::undecided;
}

}  // namespace

const session::Protocol& protocol() noexcept {
  static constexpr session::Protocol row{
      .name = "line",
      .alpn = {},
      .match = &match,
      .make_session = [](const session::SessionParameters& parameters) -> std::unique_ptr<session::Session> {
        return std::make_unique<LineSession>(parameters);
      }};
  return row;
}

LineSession::LineSession(const session::SessionParameters& parameters)
    : parameters_(parameters), input_(parameters.options.limits.read_buffer_bytes) {}

// --- input ---

void LineSession::received(std::size_t size, base::TimePoint) { input_.commit(size); }

bool LineSession::next(session::Event& event) {
  event.clear();
  if (!calls_.empty() && calls_.back().is_in_hand) {
    const session::CallId abandoned = calls_.back().id;
    static_cast<void>(
        finish(abandoned, {StatusCode::internal, "call was neither finished nor attached"}, {}, nullptr, false));
  }
  consume_line();
  if (is_closed_) return take_closing_event(event);
  if (!is_opened_given_) {
    is_opened_given_ = true;
    event.type = session::EventType::opened;
    return true;
  }
  while (const std::optional<std::string_view> line = next_line()) {
    const bool has_event =
        parameters_.role == session::Role::server ? take_request(*line, event) : take_response(*line, event);
    if (has_event) return true;
    consume_line();
    if (is_closed_) return take_closing_event(event);
  }
  if (is_closed_) return take_closing_event(event);
  input_.release_unused();
  return false;
}

std::optional<std::string_view> LineSession::next_line() {
  const std::string_view text = as_text({input_.data(), input_.size()});
  const std::size_t end = text.find('\n', searched_);
  const std::size_t limit = parameters_.options.limits.max_message_bytes;
  if ((end == std::string_view::npos ? text.size() : end) > limit) {
    this->end({StatusCode::resource_exhausted, "receive line: longer than max_message_bytes " + std::to_string(limit)});
    return std::nullopt;
  }
  if (end == std::string_view::npos) {
    searched_ = text.size();
    input_.need(std::min(2 * text.size(), limit) + 1);
    return std::nullopt;
  }
  line_in_hand_ = end + 1;
  return text.substr(0, end);
}

void LineSession::consume_line() noexcept {
  input_.consume(line_in_hand_);
  if (line_in_hand_ > 0) searched_ = 0;
  line_in_hand_ = 0;
}

bool LineSession::take_request(std::string_view line, session::Event& event) {
  const auto [target, message] = split(line, ' ');
  const auto [method, codec] = split(target, '>');
  if (is_draining_) {
    write_line("! " + std::to_string(static_cast<int>(StatusCode::unavailable)) + " the server is going away");
    return false;
  }
  calls_.push_back({.id = ++last_id_, .is_in_hand = true});
  event.type = session::EventType::call;
  event.id = last_id_;
  event.end = true;
  event.method_name = method;
  event.has_message = !message.empty();
  event.payload = as_bytes(message);
  event.wire_bytes = message.size();
  event.block = input_.block();
  if (event.has_message) event.codec = parameters_.options.codecs->find("json");
  event.response_codec = codec.empty() ? event.codec : parameters_.options.codecs->find(codec);
  if (event.response_codec != nullptr) return true;
  static_cast<void>(finish(event.id, {StatusCode::unimplemented, "codec " + std::string(codec) + " is not known here"},
                           {}, nullptr, true));
  event.clear();
  return false;
}

bool LineSession::take_response(std::string_view line, session::Event& event) {
  if (calls_.empty()) {
    end({StatusCode::internal, "receive line: there is no call that it responds to"});
    return false;
  }
  const Call call = calls_.front();
  calls_.pop_front();
  event.type = session::EventType::finished;
  event.id = call.id;
  event.context = call.context;
  event.end = true;
  if (line.starts_with("! ")) {
    const auto [number, text] = split(line.substr(2), ' ');
    int code = static_cast<int>(StatusCode::unknown);
    std::from_chars(number.data(), number.data() + number.size(), code);
    event.status = Status(static_cast<StatusCode>(code), std::string(text), StatusOrigin::peer);
  } else {
    event.has_message = true;
    event.codec = parameters_.options.codecs->find("json");
    event.payload = as_bytes(line);
    event.wire_bytes = line.size();
    event.block = input_.block();
  }
  return true;
}

bool LineSession::take_closing_event(session::Event& event) {
  while (!calls_.empty()) {
    const Call call = calls_.front();
    calls_.pop_front();
    if (call.context == nullptr) continue;
    event.type =
        parameters_.role == session::Role::client ? session::EventType::finished : session::EventType::cancelled;
    event.id = call.id;
    event.context = call.context;
    event.status = close_reason_.is_ok() ? Status(StatusCode::unavailable, "connection closed", StatusOrigin::transport)
                                         : close_reason_;
    return true;
  }
  if (is_closed_given_) return false;
  is_closed_given_ = true;
  event.type = session::EventType::closed;
  event.status = close_reason_;
  return true;
}

// --- output ---

void LineSession::wrote(std::size_t size) {
  output_.consume(size);
  if (output_.empty() && is_drained()) parameters_.owner.on_session_wake();
}

void LineSession::write_line(std::string_view line) {
  output_.append(as_bytes(line));
  output_.append(as_bytes("\n"));
}

Status LineSession::encode(const session::OutgoingMessage& message, Slice& out) {
  if (message.message.type == nullptr) {
    out = message.payload;
    return {};
  }
  return call::encode_message(message.codec, message.message, out);
}

// --- calls ---

bool LineSession::can_start() const noexcept { return !is_closed_ && !is_draining_; }

Result<session::CallId> LineSession::start(const session::CallStart& start, const session::OutgoingMessage& message) {
  if (!start.end) return Status(StatusCode::unimplemented, "the line protocol has no streams");
  if (message.codec == nullptr || message.codec->name() != "json") {
    return Status(StatusCode::invalid_argument, "the line protocol carries messages in JSON");
  }
  Slice payload;
  if (Status status = encode(message, payload); !status.is_ok()) return status;
  payload_bytes_accepted_ += payload.size();
  output_.append(as_bytes(start.method.name));
  output_.append(as_bytes(" "));
  output_.append(std::move(payload));
  output_.append(as_bytes("\n"));
  calls_.push_back({.id = ++last_id_, .context = start.one_way ? nullptr : start.context, .one_way = start.one_way});
  return last_id_;
}

LineSession::Call* LineSession::find(session::CallId id) noexcept {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [id](const Call& call) { return call.id == id; });
  return found == calls_.end() ? nullptr : &*found;
}

/// The response still comes, but nobody is told.
void LineSession::cancel(session::CallId id, StatusCode) {
  if (Call* const call = find(id)) call->context = nullptr;
}

void LineSession::attach(session::CallId id, void* context) {
  if (Call* const call = find(id)) {
    call->context = context;
    call->is_in_hand = false;
  }
}

Status LineSession::finish(session::CallId id, const Status& status, const session::OutgoingMessage& message,
                           const Metadata*, bool) {
  const auto call = std::find_if(calls_.begin(), calls_.end(), [id](const Call& open) { return open.id == id; });
  if (call == calls_.end() || is_closed_) return status;
  calls_.erase(call);
  Status sent = status;
  Slice payload;
  if (sent.is_ok() && message.has_message()) sent = encode(message, payload);
  if (!sent.is_ok()) {
    write_line("! " + std::to_string(static_cast<int>(sent.code())) + " " + std::string(sent.message()));
  } else if (!message.has_message() || message.codec->name() == "json") {
    payload_bytes_accepted_ += payload.size();
    output_.append(std::move(payload));
    output_.append(as_bytes("\n"));
  } else {
    payload_bytes_accepted_ += payload.size();
    write_line(std::string(message.codec->name()) + " " + to_hexadecimal(payload.bytes()));
  }
  return sent;
}

Status LineSession::send(session::CallId, const session::OutgoingMessage&, const Metadata*, bool) {
  return {StatusCode::failed_precondition, "the line protocol has no streams"};
}

// --- the connection ---

void LineSession::drain() { is_draining_ = true; }

bool LineSession::is_drained() const noexcept { return is_draining_ && calls_.empty() && output_.empty(); }

void LineSession::close(const Status& reason) { end(reason); }

void LineSession::transport_closed(const Status& reason) { end(reason); }

void LineSession::end(const Status& reason) {
  if (is_closed_) return;
  is_closed_ = true;
  close_reason_ = reason;
}

}  // namespace trunkline::line
