// SPDX-License-Identifier: MIT
// GrpcSession: what both ends of gRPC over HTTP/2 share, as a state machine composed of objects
// (docs/decisions/0018-grpc-is-one-more-session.md).
#pragma once

#include "http/http2/flood_limit.h"
#include "http/http2/frame_reader.h"
#include "http/http2/peer_exchange.h"
#include "session/grpc/receive_memory.h"
#include "session/grpc/receive_windows.h"
#include "session/grpc/send_queue.h"
#include "session/grpc/stream_table.h"
#include "session/memory_share.h"
#include "session/native/input_watch.h"
#include "session/native/keepalive.h"
#include "session/native/local_events.h"
#include "session/native/memory_retry.h"
#include "session/native/stall_watch.h"
#include "session/output_queue.h"
#include "session/protocol.h"
#include "session/receive_buffer.h"
#include "session/session.h"
#include "session/web/message_encodings.h"

#include <algorithm>
#include <string>
#include <vector>

namespace trunkline::session::grpc {

/// Owns the life of the connection, the event in hand, and in which order its parts get a turn. A part uses only those
/// above it:
///
///     FrameReader     bytes to frames, with whole header blocks
///     PeerExchange    SETTINGS, PING and GOAWAY
///     FloodLimit      frames that cost the peer nothing
///     StreamTable     the streams that are open
///     SendQueue       messages that wait for the peer's windows
///     ReceiveWindows  the windows given to the peer
///     ReceiveMemory   room for messages that are gathered or unread
///
/// What header blocks mean, and how calls begin and end, differs between the roles: GrpcServerSession and
/// GrpcClientSession. It has more than 40 functions because 28 of them are Session's.
class GrpcSession : public Session, protected SendQueueOwner {
 public:
  ~GrpcSession() override;

  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override;
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override { input_.release_unused(); }
  bool next(Event& event) override;

  std::size_t gather(std::span<ByteSpan> out) override;
  void wrote(std::size_t size) override;
  bool has_output() const noexcept override { return !output_.empty() || (!is_closed_ && queue_.can_pump()); }
  std::size_t unsent_bytes() const noexcept override { return output_.size() + queue_.queued_bytes(); }

  bool is_writable(CallId id) const noexcept override;
  Status decompress(Event& event) override;
  std::uint64_t received_of_message(CallId id) const noexcept override;
  void release(CallId id, const MessageCredit& credit) override;

  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return is_closed_; }
  const Status& close_reason() const noexcept override { return close_reason_; }
  bool is_open() const noexcept override { return exchange_.has_settings(); }
  bool was_answered_in_http1() const noexcept override { return was_answered_in_http1_; }
  std::size_t open_calls() const noexcept override { return streams_.size(); }
  std::string_view protocol_name() const noexcept override { return "http/2"; }
  std::size_t held_bytes() const noexcept override;
  std::uint64_t payload_bytes_accepted() const noexcept override { return payload_bytes_accepted_; }
  bool is_ordered() const noexcept override { return false; }

 protected:
  enum class Step : std::uint8_t { event, again, needs_input };

  /// SETTINGS_MAX_FRAME_SIZE once a message needs it. Those of 64 KiB then come whole in one frame, and are decoded
  /// where they were received.
  static constexpr std::uint32_t long_frame_bytes = 128 << 10;
  /// Looking at so many streams costs about as much as a frame.
  static constexpr std::size_t streams_per_frame = 256;

  explicit GrpcSession(const SessionParameters& parameters);

  // --- what the roles do ---

  /// HEADERS, with the whole block.
  virtual Step on_headers(const http::http2::Frame& frame, Event& event) = 0;
  /// The peer sends nothing more on the stream.
  virtual Step on_peer_end(GrpcStream& stream, Event& event) = 0;
  virtual Step on_goaway(const http::http2::Frame& frame, Event& event);
  virtual Step on_peer_reset(GrpcStream& stream, http::http2::ErrorCode code, Event& event) = 0;
  virtual void on_stream_deadline(GrpcStream& stream) = 0;
  /// The peer's SETTINGS_HEADER_TABLE_SIZE, for the encoder.
  virtual void set_peer_max_table_bytes(std::uint32_t bytes) noexcept = 0;
  /// While is_opening_: the event of the fresh stream is not to be handed out yet.
  virtual bool defers_event() = 0;
  /// All that has come has been read. True: `event` is one that was deferred.
  virtual bool take_deferred(Event& event) = 0;
  /// Fills in the event that was deferred for the stream. `event` may have its message already.
  virtual void hand_out(GrpcStream& stream, Event& event) = 0;
  /// The call cannot go on, and `status` says why.
  virtual Step break_call(GrpcStream& stream, const Status& status, Event& event) = 0;
  /// The stream has been reset by this side. The layer above learns it, if it knows the call.
  virtual Step drop_call(GrpcStream& stream, const Status& status, Event& event) = 0;
  /// A frame has come that is no work in itself. False: there are too many.
  virtual bool is_permitted(const http::http2::FrameHeader& header) noexcept;
  /// A ping has come that asks for an answer. False: there are too many.
  virtual bool allows_ping() noexcept { return true; }
  /// Nobody wants `bytes` of the stream, which may be forgotten.
  virtual void discard(GrpcStream& stream, std::uint32_t bytes) { windows_.give_back(stream, bytes); }
  /// A body is whole. event.end has been set.
  virtual Step show_body(GrpcStream& stream, Slice body, const MessageCredit& credit, Event& event);
  /// Client: the last message of a response, which says how the call has ended. needs_input: it was taken.
  virtual Step take_end(GrpcStream& stream, ByteSpan payload, bool is_compressed, Event& event);
  /// The code of a call whose message is corrupt.
  StatusCode code_of_bad_message(const GrpcStream& stream) const noexcept;
  /// For error texts: the protocol, and the scheme of its endpoints with TLS.
  virtual std::string_view title() const noexcept { return "gRPC"; }
  virtual std::string_view tls_scheme() const noexcept { return "grpcs"; }
  /// The headers that must stand before the first message.
  virtual void write_headers(GrpcStream& stream, const Metadata* leading, const Compressor* compressor) = 0;
  /// There may be room for what waits for it.
  virtual void on_room() noexcept {}

  // --- input ---
  /// The event of the stream has not been handed out.
  bool is_unseen(const GrpcStream& stream) const noexcept {
    return stream.is_held || (is_opening_ && &stream == streams_.fresh());
  }
  Step read_frame(Event& event);
  Step take_frame(const http::http2::Frame& frame, Event& event);
  Step on_data(const http::http2::Frame& frame, Event& event);
  Step on_reset(const http::http2::Frame& frame, Event& event);
  Step on_settings(const http::http2::Frame& frame, Event& event);
  Step on_window_update(const http::http2::Frame& frame, Event& event);
  Step on_ping(const http::http2::Frame& frame);
  void sample_bandwidth(std::uint32_t bytes);
  void end_sample();
  bool decode_text(GrpcStream& stream);
  /// What `data_` lies in.
  Block* data_block() const noexcept { return uses_text_ ? text_data_.block() : input_.block(); }
  Step take_data(Event& event);
  Step take_message(GrpcStream& stream, Event& event);
  void allow_long_frames();
  /// The message that comes is what a call begins with.
  bool is_request(const GrpcStream& stream) const noexcept { return role_ == Role::server && !stream.has_message; }
  Step take_body(GrpcStream& stream, Event& event);
  Step gather_body(GrpcStream& stream, Event& event);
  Step end_body(GrpcStream& stream, Event& event);
  Step refuse_body(GrpcStream& stream, std::uint64_t size, Event& event);
  Step show_headers(GrpcStream& stream, Event& event);
  bool is_end_message(const GrpcStream& stream) const noexcept;
  std::uint64_t most_bytes(const GrpcStream& stream) const noexcept;
  Result<Slice> decompressed(const Compressor& compressor, ByteSpan payload);
  void drop_data();
  void consume_frame();

  // --- events ---
  void settle_event_in_hand(Event& event);
  void show_message(GrpcStream& stream, ByteSpan payload, Block* block, const MessageCredit& credit, Event& event);
  bool take_closing_event(Event& event);
  bool end_turn();

  // --- the end of streams ---
  Step reset_stream(GrpcStream& stream, http::http2::ErrorCode code, std::string_view why, Event& event);
  void forget(GrpcStream& stream);
  void refuse_stream(CallId id, http::http2::ErrorCode code);

  // --- output ---
  const Compressor* compressor_of(const GrpcStream& stream, const OutgoingMessage& message) const noexcept;
  /// `in_any_case`: the message is compressed even if that makes it longer.
  Status encode(const Codec& codec, const OutgoingMessage& message, const Compressor* compressor, Slice& out,
                bool& is_compressed, bool in_any_case = false);
  Status write_message(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading,
                       bool is_end = false);
  bool try_write_in_place(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading, bool is_end);
  void write_encoded(GrpcStream& stream, Slice payload, bool is_compressed, bool is_end);
  void write_content(GrpcStream& stream, Slice content, bool is_end);
  static void note_end_sent(GrpcStream& stream) noexcept;
  void notify_writable(GrpcStream& stream);
  void write_control();
  Status check_metadata(std::string_view what, const Metadata* metadata) const;
  Status check_list(std::string_view what, const Metadata& metadata) const;

  // --- timers ---
  static void on_deadline(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_keepalive_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_memory_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_stall_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_input_timer(base::Timer& timer, void* owner, base::TimePoint now);

  // --- the connection ---
  bool update_stall() noexcept;
  bool is_message_window_shut() const;
  std::size_t unread_bytes() const noexcept;
  /// The memory of what has yet to be sent.
  std::size_t held_for_peer() const noexcept { return output_.held_bytes() + queue_.held_bytes(); }
  /// Client: the application has written all that the output ends with.
  void note_own_output() noexcept { own_end_ = written_bytes_ + output_.size(); }
  /// The same for `bytes` at its end, also while much of it is unsent.
  void add_own_output(std::size_t bytes) noexcept { own_end_ = std::max(own_end_, written_bytes_) + bytes; }
  void update_memory();
  void count_held() noexcept;
  void count_sent() noexcept;
  Step fail(http::http2::ErrorCode code, std::string_view reason);
  std::string guess_about_server() const;
  void end_connection(http::http2::ErrorCode code, std::string_view reason, std::string_view status);
  void lose_connection();
  void end_session(const Status& reason);

  /// Client: the server may have seen the headers of the call.
  bool is_offered(const GrpcStream& stream) const noexcept { return stream.headers_end <= offered_bytes_; }
  /// The last stream of the peer's that this side has looked at.
  CallId last_of_peer() const noexcept { return role_ == Role::server ? streams_.newest() : 0; }

  const Role role_;
  const SessionOptions& options_;
  base::TimerWheel& timers_;
  SessionOwner& owner_;
  base::TimePoint now_;

  const web::MessageEncodings encodings_;
  ReceiveBuffer input_;
  OutputQueue output_;
  /// Frames about no stream, on their way into the output.
  BufferWriter control_;
  http::http2::FrameReader reader_;
  http::http2::PeerExchange exchange_;
  http::http2::FloodLimit flood_;
  StreamTable streams_;
  SendQueue queue_;
  ReceiveWindows windows_;
  MemoryShare memory_share_;
  ReceiveMemory memory_;
  native::LocalEvents local_events_;
  native::Keepalive keepalive_;
  native::StallWatch stall_;
  native::InputWatch input_watch_;
  mutable native::MemoryRetry memory_retry_;
  /// Also scheduled by can_start().
  mutable base::Timer memory_timer_;

  /// Bytes of the input that belong to the frame that is looked at.
  std::size_t frame_bytes_ = 0;
  /// What is left of the DATA frame that is looked at.
  ByteSpan data_;
  CallId data_stream_ = 0;
  bool data_ends_ = false;
  /// Client: all calls are gRPC-Web's in its text form.
  bool uses_text_ = false;
  /// Then it is what a frame says, and `data_` what is left of that.
  Slice text_data_;
  /// The event of the fresh stream has not been handed out, because the next frame may belong to it.
  bool is_opening_ = false;
  CallId credit_call_ = 0;
  MessageCredit credit_;
  bool has_credit_ = false;
  /// The message of the event in hand, unless it is in the input.
  Slice payload_;

  std::size_t metadata_bytes_ = 0;
  /// Streams with GrpcStream::is_refused.
  std::size_t refused_streams_ = 0;
  /// The size of the output when it was last counted.
  std::size_t counted_output_ = 0;
  std::size_t quiet_steps_ = 0;
  std::uint64_t written_bytes_ = 0;
  /// What the transport has been given to write: when it fails, more of that may have arrived than it has said.
  std::uint64_t offered_bytes_ = 0;
  /// Client: up to here the output is what the application has written, not what has been said to the server's frames.
  std::uint64_t own_end_ = 0;
  std::uint64_t payload_bytes_accepted_ = 0;
  bool is_stalled_ = false;
  /// Nothing is read for want of memory.
  bool is_paused_for_memory_ = false;
  bool is_drain_requested_ = false;
  bool is_closed_ = false;
  bool is_closed_event_given_ = false;
  bool was_answered_in_http1_ = false;
  mutable bool is_writable_awaited_ = false;
  Status close_reason_;
  /// Client: why the server has said that it goes away; empty: for no error.
  std::string goaway_reason_;
  /// While the session ends: the streams whose end is still to be reported, the oldest last.
  std::vector<CallId> closing_;
};

}  // namespace trunkline::session::grpc
