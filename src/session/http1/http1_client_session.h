// SPDX-License-Identifier: MIT
// Http1ClientSession: Connect and gRPC-Web over HTTP/1.1 for clients, as a state machine composed of objects
// (docs/decisions/0030-clients-speak-http-1-1-where-a-server-knows-no-more.md).
#pragma once

#include "base/output_queue.h"
#include "base/receive_buffer.h"
#include "http/http1/content_reader.h"
#include "http/http1/response_reader.h"
#include "session/closing_events.h"
#include "session/http1/client_exchange.h"
#include "session/http1/content_room.h"
#include "session/http1/request_writer.h"
#include "session/input_watch.h"
#include "session/local_events.h"
#include "session/memory_retry.h"
#include "session/memory_share.h"
#include "session/protocol.h"
#include "session/session.h"
#include "session/stall_watch.h"
#include "session/web/client_protocol.h"
#include "session/web/message_assembly.h"
#include "session/web/message_encodings.h"
#include "session/web/metadata_reader.h"
#include "session/web/response_fields.h"
#include "session/web/text_decoder.h"

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::session::http1 {

/// Carries one call after the other. Nothing but the end of the connection tells a server that a call is over early, so
/// a call that is cancelled, or ends before its request or its response, ends the connection as well.
///
/// The session is open from the start, since there is no greeting.
class Http1ClientSession final : public Session {
 public:
  /// `protocol` is connect or grpc_web.
  Http1ClientSession(const SessionParameters& parameters, web::ClientProtocol protocol);
  ~Http1ClientSession() override;

  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override;
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override;
  bool next(Event& event) override;

  std::size_t gather(std::span<ByteSpan> out) override;
  void wrote(std::size_t size) override;
  bool has_output() const noexcept override { return !output_.empty(); }
  std::size_t unsent_bytes() const noexcept override { return output_.size(); }

  /// No call is open, and nothing is left to be written.
  bool can_start() const noexcept override;
  AwaitedLimit awaited_limit() const noexcept override;
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override;
  void cancel(CallId id, StatusCode reason) override;

  /// Clients serve no calls.
  void attach(CallId, void*) override {}
  Status finish(CallId, const Status&, const OutgoingMessage&, const Metadata*, bool) override { return {}; }
  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override;
  bool is_writable(CallId id) const noexcept override;
  Status decompress(Event& event) override;
  void release(CallId id, const MessageCredit& credit) override;

  void drain() override;
  bool is_drained() const noexcept override;
  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return is_closed_; }
  bool wants_reset() const noexcept override { return is_broken_off_; }
  base::TimePoint rests_until() const noexcept override { return call_.is_active() ? base::never : rests_until_; }
  const Status& close_reason() const noexcept override { return closing_.reason(); }
  bool is_open() const noexcept override { return true; }
  std::size_t open_calls() const noexcept override { return call_.is_active() ? 1 : 0; }
  std::string_view protocol_name() const noexcept override;
  std::size_t held_bytes() const noexcept override;
  std::uint64_t payload_bytes_accepted() const noexcept override { return payload_bytes_accepted_; }
  bool is_ordered() const noexcept override { return false; }

 private:
  enum class Step : std::uint8_t { event, again, needs_input };

  // --- requests ---
  Status check_start(const CallStart& start) const;
  const Codec* codec_of(const CallStart& start, const OutgoingMessage& message) const;
  const Compressor* compressor_for(const OutgoingMessage& message) const noexcept;
  web::Format format_of(const CallStart& start) const noexcept;
  bool try_make_query(const CallStart& start, const Codec& codec, const Slice& payload, const Compressor* compressor);
  std::uint64_t content_bytes(std::uint64_t size, bool is_body) const noexcept;
  void open(const CallStart& start, RequestWriter::Head& head);
  void write_message(Slice payload, bool is_compressed);
  void end_request();
  /// The server may have seen the call.
  bool is_offered() const noexcept { return call_.head_end <= offered_bytes_; }
  void abandon_call();

  // --- responses ---
  Step advance(Event& event);
  Step read_head(Event& event);
  Step take_head(Event& event);
  Step take_leading(Event& event);
  void begin_content(const http::http1::ResponseHead& head);
  Step read_content(Event& event);
  Step read_body(Event& event);
  Step show_body(ByteSpan body, Block* block, Event& event);
  Step read_messages(Event& event);
  bool decode_text();
  ByteSpan data() const noexcept;
  void consume_data(std::size_t size) noexcept;
  Step take_message(Event& event);
  Step check_prefix(Event& event);
  Step show_headers(Event& event);
  Step take_end(ByteSpan payload, bool is_compressed, Event& event);
  Step end_messages(Event& event);
  std::uint64_t most_bytes() const noexcept;
  bool is_end_message() const noexcept;
  bool is_full() const noexcept;
  Result<Slice> decompressed(const Compressor& compressor, ByteSpan payload);
  bool skip_content();
  bool take_room();

  // --- events ---
  void settle_current_event(Event& event);
  void show_message(ByteSpan payload, Block* block, bool is_compressed, Event& event);
  bool take_closing_event(Event& event);
  bool end_turn();

  // --- the end of calls ---
  Step break_call(const Status& status, Event& event);
  Step break_response(http::http1::MessageError error, Event& event);
  Step finish_call(Status status, Event& event);
  void begin_rest();
  void forget_call() noexcept;

  // --- timers ---
  static void on_deadline(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_memory_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_rest_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_stall_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_input_timer(base::Timer& timer, void* owner, base::TimePoint now);

  // --- the connection ---
  bool is_content_due() const noexcept;
  void on_room() noexcept;
  std::string_view input() const noexcept { return as_text({input_.data(), input_.size()}); }
  void update_timers();
  void count_held() noexcept;
  void lose_connection();
  void end_session(const Status& reason, bool keeps_output = false);

  const web::ClientProtocol protocol_;
  /// The session speaks gRPC-Web in its text form.
  const bool uses_text_;
  const SessionOptions& options_;
  base::TimerWheel& timers_;
  SessionOwner& owner_;
  base::TimePoint now_;

  const web::MessageEncodings encodings_;
  base::ReceiveBuffer input_;
  base::OutputQueue output_;
  RequestWriter requests_;
  http::http1::ResponseReader responses_;
  http::http1::ContentReader content_;
  web::ResponseFields fields_;
  /// Reads the metadata in the last message of a response.
  web::MetadataReader end_metadata_;
  MemoryShare memory_share_;
  LocalEvents local_events_;
  StallWatch stall_;
  InputWatch input_watch_;
  base::Timer deadline_;
  /// While there is no call, this timer ends the session before the server ends the connection.
  base::Timer rest_timer_;
  /// can_start() waits for memory as well.
  mutable MemoryRetry memory_retry_;

  ClientExchange call_;
  CallId last_id_ = 0;
  /// start() has opened the call with this id and not yet returned it. The id is 0 at other times.
  CallId opening_ = 0;
  /// Holds the query of the GET that start() writes.
  BufferWriter query_;
  /// Holds the name of a field in lower case.
  std::string name_;
  /// The server has said that it decompresses these. There is no value until the server has said so.
  std::optional<CompressorSet> server_accepts_;

  /// The server keeps the connection this long without a call, as its last response has said.
  std::optional<std::chrono::seconds> longest_rest_;
  /// The connection rests until then, after the last call. Then this side ends it.
  base::TimePoint rests_until_ = base::never;

  /// Holds the body that is gathered.
  BufferWriter body_;
  bool is_gathering_ = false;
  /// This many bytes at the front of the input, or of `text_data_`, are content, made of messages with prefixes.
  std::size_t data_bytes_ = 0;
  /// In the text form these bytes, which the content encodes, take the place of the input. The decoder holds the rest.
  Slice text_data_;
  web::TextDecoder text_;
  web::MessageAssembly assembly_;
  /// Takes the room for the message that is gathered.
  ContentRoom room_{memory_share_};
  /// Counts the bytes of gathered messages, for the watch of slow senders.
  std::uint64_t progress_ = 0;
  /// Holds the message of the event in hand, unless it is in the input.
  Slice payload_;
  MessageCredit credit_;
  bool has_credit_ = false;
  /// This is the sum of ClientExchange::unread_bytes of all calls.
  std::int64_t unread_bytes_ = 0;
  /// The end of a stream has this many bytes, which are kept until they are handed out.
  std::size_t end_bytes_ = 0;

  std::uint64_t written_bytes_ = 0;
  /// The transport has been given this much to write. When it fails, more of that may have arrived than it has said.
  std::uint64_t offered_bytes_ = 0;
  std::uint64_t payload_bytes_accepted_ = 0;
  /// The output had this size when it was last counted.
  std::size_t counted_output_ = 0;
  /// is_writable() has returned false, so that the call is owed an event `writable`.
  mutable bool owes_writable_ = false;
  /// can_start() has returned false, and an event says when it would return true again.
  mutable bool is_start_awaited_ = false;
  bool is_drain_requested_ = false;
  bool is_closed_ = false;
  /// A call that the server knows of was given up.
  bool is_broken_off_ = false;
  ClosingEvents closing_;
};

}  // namespace trunkline::session::http1
