// SPDX-License-Identifier: MIT
// Http1ServerSession: calls over HTTP/1.1, as a state machine composed of objects
// (docs/decisions/0024-http-1-1-is-read-strictly.md).
#pragma once

#include "base/output_queue.h"
#include "base/receive_buffer.h"
#include "http/http1/content_reader.h"
#include "http/http1/request_reader.h"
#include "session/closing_events.h"
#include "session/http1/content_room.h"
#include "session/http1/exchange.h"
#include "session/http1/request_cache.h"
#include "session/http1/response_writer.h"
#include "session/input_watch.h"
#include "session/local_events.h"
#include "session/memory_retry.h"
#include "session/memory_share.h"
#include "session/protocol.h"
#include "session/session.h"
#include "session/stall_watch.h"
#include "session/user_agent.h"
#include "session/web/call_head_reader.h"
#include "session/web/message_assembly.h"
#include "session/web/message_encodings.h"
#include "session/web/metadata_reader.h"
#include "session/web/route_finder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::http1 {

/// Serves one request after the other, since responses have the order of their requests. Bytes that a client sends
/// meanwhile wait in the buffer, and beyond that in the kernel. Requests that are answered at once cost no turn of
/// their own: all that come in one read are answered in one write.
class Http1ServerSession final : public Session {
 public:
  explicit Http1ServerSession(const SessionParameters& parameters);
  ~Http1ServerSession() override;

  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override;
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override { input_.release_unused(); }
  bool next(Event& event) override;

  std::size_t gather(std::span<ByteSpan> out) override { return output_.gather(out); }
  void wrote(std::size_t size) override;
  bool has_output() const noexcept override { return !output_.empty(); }
  std::size_t unsent_bytes() const noexcept override { return output_.size(); }

  bool can_start() const noexcept override { return false; }
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override;
  void cancel(CallId, StatusCode) override {}

  void attach(CallId id, void* context) override;
  Status finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                bool unprocessed) override;
  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override;
  bool is_writable(CallId id) const noexcept override;
  Status decompress(Event& event) override;
  std::uint64_t received_of_message(CallId id) const noexcept override;
  void release(CallId id, const MessageCredit& credit) override;

  void drain() override;
  bool is_drained() const noexcept override;
  void input_ended() override;
  void ask_peer() override;
  bool owes_response() const noexcept override;
  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return is_closed_; }
  const Status& close_reason() const noexcept override { return closing_.reason(); }
  /// The head of a request has been read.
  bool is_open() const noexcept override { return has_request_; }
  std::size_t open_calls() const noexcept override { return exchange_.is_active() ? 1 : 0; }
  std::string_view protocol_name() const noexcept override { return "http/1.1"; }
  std::size_t held_bytes() const noexcept override;
  std::uint64_t payload_bytes_accepted() const noexcept override { return payload_bytes_accepted_; }
  bool is_ordered() const noexcept override { return false; }

  /// The next request asks for a WebSocket, and all before it are over: written, and nobody has a message of theirs.
  /// The owner is woken when a write or release() makes it true.
  bool is_done_before_websocket() const noexcept {
    return is_before_websocket_ && !is_closed_ && output_.empty() && unread_bytes_ == 0;
  }
  /// Returns what has been received and not read yet. With is_done_before_websocket() it begins with that request.
  ByteSpan unread() const noexcept { return {input_.data(), input_.size()}; }

 private:
  enum class Step : std::uint8_t { event, again, needs_input };

  // --- requests ---
  Step advance(Event& event);
  Step read_head(Event& event);
  Step take_head(const http::http1::RequestHead& head, std::size_t size, Event& event);
  Status read_fields(const http::http1::RequestHead& head);
  Step take_route(const http::http1::RequestHead& head, std::string_view target, std::size_t size, Event& event);
  std::string_view remember_method(std::string_view method, std::uint32_t& number);
  void begin_exchange();
  Step begin_call(Event& event);
  Step refuse_head(std::uint32_t http_status, const Status& status, std::string_view allowed = web::methods_of_calls);
  Step refuse_http_method(std::size_t size);
  Step answer_preflight(const std::string& origin);
  Step refuse_call(std::uint32_t http_error, const Status& status);

  // --- contents ---
  Step read_content(Event& event);
  Step read_body(Event& event);
  Step show_body(Event& event);
  Step show_text(Event& event);
  Step read_messages(Event& event);
  Step take_message(Event& event);
  Step bad_content();
  bool skip_content();
  bool may_keep_connection();
  Step discard_rest();
  bool begin_gathering(Event& event);
  bool take_room();

  // --- events ---
  void settle_current_event(Event& event);
  void fill_call(Event& event);
  void hand_out(Event& event);
  void show_message(ByteSpan payload, Block* block, bool is_compressed, bool is_end, Event& event);
  bool take_closing_event(Event& event);
  bool end_turn();

  // --- responses ---
  ResponseWriter::Form form() const noexcept;
  web::ResponseHead head_of_response(const Status* status, const Compressor* compressor) const noexcept;
  const Compressor* compressor_of(const OutgoingMessage& message) const noexcept;
  Status encode(const OutgoingMessage& message, const Compressor* compressor, Slice& out, bool& is_compressed);
  Status write_message(const OutgoingMessage& message, const Metadata* leading);
  void begin_stream(const Metadata* leading, const Compressor* compressor);
  void write_end(const Status& status, const Metadata* trailing, std::uint32_t http_error);
  void respond(const Status& status, const Metadata* trailing, std::uint32_t http_error);
  void end_exchange();
  static Status check_metadata(std::string_view what, const Metadata* metadata);

  // --- timers ---
  static void on_deadline(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_head_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_idle_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_memory_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_stall_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_input_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_drain_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_comment_timer(base::Timer& timer, void* owner, base::TimePoint now);

  // --- the connection ---
  bool update_stall() noexcept;
  std::size_t most_unsent_after_stall() const noexcept;
  bool is_content_due() const noexcept;
  /// The client should go on with a head, which is not so while this side does not read.
  bool is_amid_head() const noexcept {
    return !exchange_.is_active() && !is_discarding_ && !is_stalled_ && !is_before_websocket_ && input_.size() > 0;
  }
  std::string_view input() const noexcept { return as_text({input_.data(), input_.size()}); }
  void take_time(base::TimePoint now) noexcept {
    now_ = std::max(now_, now);
    is_now_old_ = false;
  }
  void begin_idle() noexcept {
    idle_since_.reset();
    if (!is_now_old_) idle_since_ = now_;
  }
  void update_timers();
  void limit_rest_in_drain();
  void schedule_comment();
  void count_held() noexcept;
  void time_out(std::string_view text);
  void lose_connection();
  void end_session(const Status& reason);

  const SessionOptions& options_;
  base::TimerWheel& timers_;
  SessionOwner& owner_;
  base::TimePoint now_;
  /// A response that came out of turn has changed the state since now_.
  bool is_now_old_ = false;

  const web::MessageEncodings encodings_;
  const http::http1::HeadLimits head_limits_;
  base::ReceiveBuffer input_;
  base::OutputQueue output_;
  http::http1::RequestReader requests_;
  http::http1::ContentReader content_;
  RequestCache cache_;
  web::CallHeadReader calls_;
  web::RouteFinder routes_;
  /// SessionOwner::routes_version() had this value when cache_ was filled.
  std::uint64_t routes_version_ = 0;
  web::MetadataReader metadata_;
  ResponseWriter responses_;
  MemoryShare memory_share_;
  LocalEvents local_events_;
  StallWatch stall_;
  InputWatch input_watch_;
  base::Timer deadline_;
  /// Limits how long a head takes, and the rest of a content that is dropped.
  base::Timer head_timer_;
  base::Timer idle_timer_;
  MemoryRetry memory_retry_;
  /// While the session drains, this timer looks whether the content that is due goes on.
  base::Timer drain_timer_;
  /// While a stream of events is sent, this timer looks whether it is quiet and needs a comment.
  base::Timer comment_timer_;
  /// payload_bytes_accepted_ had this value when comment_timer_ last looked at it.
  std::uint64_t comment_mark_ = 0;
  /// comment_timer_ has found the stream without a new event this many times in a row.
  int quiet_looks_ = 0;
  std::uint64_t received_bytes_ = 0;
  /// received_bytes_ had this value when drain_timer_ last looked at it.
  std::uint64_t drain_mark_ = 0;

  Exchange exchange_;
  CallId last_id_ = 0;
  /// The layer above has the event of this call in hand, and has neither finished nor attached it.
  CallId call_in_hand_ = 0;
  /// Holds the names of methods by number, from 1.
  std::vector<std::string> methods_;
  std::size_t method_bytes_ = 0;
  /// Holds the name of the exchange's method, if that has no number.
  std::string method_;
  /// Holds the name of a field in lower case.
  std::string name_;
  /// Holds the path and the query of a target without a path.
  std::string target_;

  /// Holds the body that is gathered.
  BufferWriter body_;
  bool is_gathering_ = false;
  /// This many bytes at the front of the input are content that consists of messages with prefixes.
  std::size_t data_bytes_ = 0;
  web::MessageAssembly assembly_;
  /// Takes the room for the message that is gathered.
  ContentRoom room_{memory_share_};
  /// The request has been answered, and the rest of its content is read and dropped.
  bool is_discarding_ = false;
  /// Counts the bytes of gathered messages, for the watch of slow senders.
  std::uint64_t progress_ = 0;
  /// Holds the message of the event in hand, unless it is in the input.
  Slice payload_;
  MessageCredit credit_;
  bool has_credit_ = false;
  /// The application has retained messages of this many bytes.
  std::int64_t unread_bytes_ = 0;

  /// Holds an encoded message of a response.
  BufferWriter encoded_;
  /// Holds a message as the content of the response has it.
  BufferWriter part_;

  /// The connection has been idle since then. It is empty until the next timer tells the time.
  std::optional<base::TimePoint> idle_since_;
  /// written_bytes_ had this value when the idle timer was last looked at.
  std::uint64_t idle_mark_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t payload_bytes_accepted_ = 0;
  /// The output had this size when it was last counted.
  std::size_t counted_output_ = 0;
  std::size_t metadata_bytes_ = 0;
  KnownUserAgents user_agents_;
  bool has_request_ = false;
  /// The limit of head_timer_ has begun; otherwise it begins with the timer's first call.
  bool is_head_limited_ = false;
  bool is_stalled_ = false;
  /// The next request asks for a WebSocket, so it is left to another session.
  bool is_before_websocket_ = false;
  /// The client had been sent a part of this stream when it ended its side. The id is 0 if there is no such stream.
  CallId abandoned_ = 0;
  /// is_writable() has returned false, so that the call is owed an event `writable`.
  mutable bool owes_writable_ = false;
  bool is_drain_requested_ = false;
  bool is_closed_ = false;
  ClosingEvents closing_;
};

}  // namespace trunkline::session::http1
