// SPDX-License-Identifier: MIT
// GrpcSession: what both ends of gRPC over HTTP/2 share, as a state machine composed of objects
// (docs/decisions/0018-grpc-is-one-more-session.md).
#pragma once

#include "base/output_queue.h"
#include "base/receive_buffer.h"
#include "http/http2/flood_limit.h"
#include "http/http2/frame_reader.h"
#include "http/http2/peer_exchange.h"
#include "http/http2/receive_windows.h"
#include "http/http2/send_queue.h"
#include "http/http2/stream_table.h"
#include "session/closing_events.h"
#include "session/grpc/receive_memory.h"
#include "session/input_watch.h"
#include "session/keepalive.h"
#include "session/local_events.h"
#include "session/memory_retry.h"
#include "session/memory_share.h"
#include "session/protocol.h"
#include "session/session.h"
#include "session/stall_watch.h"
#include "session/web/message_encodings.h"

#include <algorithm>
#include <string>
#include <vector>

namespace trunkline::session::grpc {

/// Owns the life of the connection, the event in hand, and the order in which its parts get a turn. A part uses only
/// the parts above it:
///
///     FrameReader     bytes to frames, with whole header blocks
///     PeerExchange    SETTINGS, PING and GOAWAY
///     FloodLimit      frames that cost the peer nothing
///     Streams         the streams that are open
///     SendQueue       messages that wait for the peer's windows
///     ReceiveWindows  the windows given to the peer
///     ReceiveMemory   room for messages that are gathered or unread
///
/// What header blocks mean, and how calls begin and end, differs between the roles: GrpcServerSession and
/// GrpcClientSession. It has more than 40 functions because 28 of them are Session's.
class GrpcSession : public Session {
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
  void release_queued(CallId id, const MessageCredit& credit) override;

  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return is_closed_; }
  const Status& close_reason() const noexcept override { return closing_.reason(); }
  bool is_open() const noexcept override { return exchange_.has_settings(); }
  bool was_answered_in_http1() const noexcept override { return was_answered_in_http1_; }
  std::size_t open_calls() const noexcept override { return streams_.size(); }
  std::string_view protocol_name() const noexcept override { return "http/2"; }
  std::size_t held_bytes() const noexcept override;
  std::uint64_t payload_bytes_accepted() const noexcept override { return payload_bytes_accepted_; }
  bool is_ordered() const noexcept override { return false; }

 protected:
  enum class Step : std::uint8_t { event, again, needs_input };

  /// SETTINGS_MAX_FRAME_SIZE rises to this once a message needs it. Messages of 64 KiB then come whole in one frame,
  /// and are decoded where they were received.
  static constexpr std::uint32_t long_frame_bytes = 128 << 10;
  /// Looking at this many streams costs about as much as a frame.
  static constexpr std::size_t streams_per_frame = 256;

  explicit GrpcSession(const SessionParameters& parameters);

  // --- what the roles do ---

  /// HEADERS have come, with the whole block.
  virtual Step on_headers(const http::http2::Frame& frame, Event& event) = 0;
  /// The peer sends nothing more on the stream.
  virtual Step on_peer_end(GrpcStream& stream, Event& event) = 0;
  virtual Step on_goaway(const http::http2::Frame& frame, Event& event);
  virtual Step on_peer_reset(GrpcStream& stream, http::http2::ErrorCode code, Event& event) = 0;
  virtual void on_stream_deadline(GrpcStream& stream) = 0;
  /// All messages that the stream had queued have been sent. The stream may be forgotten, but nothing may be queued.
  virtual void on_queue_sent(GrpcStream& stream) = 0;
  /// Gives the peer's SETTINGS_HEADER_TABLE_SIZE to the encoder.
  virtual void set_peer_max_table_bytes(std::uint32_t bytes) noexcept = 0;
  /// Returns true, while is_opening_, if the event of the unlisted stream is not to be handed out yet.
  virtual bool defers_event() = 0;
  /// All that has come has been read. Returns true if it has set `event` to one that was deferred.
  virtual bool take_deferred(Event& event) = 0;
  /// Fills in the event that was deferred for the stream. `event` may have its message already.
  virtual void hand_out(GrpcStream& stream, Event& event) = 0;
  /// The call cannot go on, and `status` says why.
  virtual Step break_call(GrpcStream& stream, const Status& status, Event& event) = 0;
  /// The stream has been reset by this side. The layer above learns it, if it knows the call.
  virtual Step drop_call(GrpcStream& stream, const Status& status, Event& event) = 0;
  /// A frame has come that is no work in itself. Returns false if there are too many.
  virtual bool is_permitted(const http::http2::FrameHeader& header) noexcept;
  /// A ping has come that asks for an answer. Returns false if there are too many.
  virtual bool allows_ping() noexcept { return true; }
  /// Nobody wants `bytes` of the stream, which may be forgotten.
  virtual void discard(GrpcStream& stream, std::uint32_t bytes) { windows_.give_back(stream, bytes); }
  /// A body is whole. event.end has been set.
  virtual Step show_body(GrpcStream& stream, Slice body, const MessageCredit& credit, Event& event);
  /// Takes the last message of a client's response, which says how the call has ended. needs_input means it was taken.
  virtual Step take_end(GrpcStream& stream, ByteSpan payload, bool is_compressed, Event& event);
  /// Returns the code of a call whose message is corrupt.
  StatusCode code_of_bad_message(const GrpcStream& stream) const noexcept;
  /// Error texts name the protocol by its title, and the scheme of its endpoints with TLS.
  virtual std::string_view title() const noexcept { return "gRPC"; }
  virtual std::string_view tls_scheme() const noexcept { return "grpcs"; }
  /// Writes the headers that must stand before the first message.
  virtual void write_headers(GrpcStream& stream, const Metadata* leading, const Compressor* compressor) = 0;
  /// There may be room for a new call, if a client waits to start one.
  virtual void on_room() noexcept {}

  // --- input ---
  /// The event of the stream has not been handed out.
  bool is_unseen(const GrpcStream& stream) const noexcept {
    return stream.is_held || (is_opening_ && &stream == streams_.unlisted());
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
  /// Returns the block in which `data_` lies.
  Block* data_block() const noexcept { return uses_text_ ? text_data_.block() : input_.block(); }
  Step take_data(Event& event);
  Step take_message(GrpcStream& stream, Event& event);
  void allow_long_frames();
  /// The message that comes is the request with which a call begins.
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
  void settle_current_event(Event& event);
  void show_message(GrpcStream& stream, ByteSpan payload, Block* block, const MessageCredit& credit, Event& event);
  bool take_closing_event(Event& event);
  bool end_turn();

  // --- the end of streams ---
  /// Returns the window with which this side's streams begin.
  std::uint32_t first_window() const noexcept;
  Step reset_stream(GrpcStream& stream, http::http2::ErrorCode code, std::string_view why, Event& event);
  void forget(GrpcStream& stream);
  void refuse_stream(CallId id, http::http2::ErrorCode code);

  // --- output ---
  const Compressor* compressor_of(const GrpcStream& stream, const OutgoingMessage& message) const noexcept;
  /// With `in_any_case` the message is compressed even if that makes it longer.
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

  static void on_sent(void* owner, http::http2::Stream& stream);

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
  /// Returns the memory of what has yet to be sent.
  std::size_t held_for_peer() const noexcept { return output_.held_bytes() + queue_.held_bytes(); }
  /// The application of a client has written the output up to its end.
  void note_own_output() noexcept { own_end_ = written_bytes_ + output_.size(); }
  /// The application of a client has written further `bytes` of the output, even if much of it is unsent.
  void add_own_output(std::size_t bytes) noexcept { own_end_ = std::max(own_end_, written_bytes_) + bytes; }
  void update_memory();
  void count_held() noexcept;
  void count_sent() noexcept;
  Step fail(http::http2::ErrorCode code, std::string_view reason);
  std::string guess_about_server() const;
  void end_connection(http::http2::ErrorCode code, std::string_view reason, std::string_view status);
  void lose_connection();
  void end_session(const Status& reason);

  /// At a client, the server may have seen the headers of the call.
  bool is_offered(const GrpcStream& stream) const noexcept { return stream.headers_end <= offered_bytes_; }
  /// Returns the peer's last stream that this side has looked at, or 0 if there is none.
  CallId last_of_peer() const noexcept { return role_ == Role::server ? streams_.newest() : 0; }

  const Role role_;
  const SessionOptions& options_;
  base::TimerWheel& timers_;
  SessionOwner& owner_;
  base::TimePoint now_;

  const web::MessageEncodings encodings_;
  base::ReceiveBuffer input_;
  base::OutputQueue output_;
  /// SETTINGS, PING, GOAWAY and RST_STREAM frames are written here, on their way into the output.
  BufferWriter control_;
  http::http2::FrameReader reader_;
  http::http2::PeerExchange exchange_;
  http::http2::FloodLimit flood_;
  http::http2::Streams<GrpcStream> streams_;
  http::http2::SendQueue queue_;
  http::http2::ReceiveWindows windows_;
  MemoryShare memory_share_;
  ReceiveMemory memory_;
  LocalEvents local_events_;
  Keepalive keepalive_;
  StallWatch stall_;
  InputWatch input_watch_;
  /// can_start() waits for memory as well.
  mutable MemoryRetry memory_retry_;

  /// This many bytes of the input belong to the frame that is looked at.
  std::size_t frame_bytes_ = 0;
  /// These bytes are left of the DATA frame that is looked at.
  ByteSpan data_;
  CallId data_stream_ = 0;
  bool data_ends_ = false;
  /// All calls of a client are gRPC-Web's in its text form.
  bool uses_text_ = false;
  /// With uses_text_, these are the bytes that a DATA frame encodes, and `data_` is the part of them that is left.
  Slice text_data_;
  /// The event of the unlisted stream has not been handed out, because the next frame may belong to it.
  bool is_opening_ = false;
  CallId credit_call_ = 0;
  MessageCredit credit_;
  bool has_credit_ = false;
  /// Holds the message of the event in hand, unless it is in the input.
  Slice payload_;

  std::size_t metadata_bytes_ = 0;
  /// Counts the streams with GrpcStream::is_refused.
  std::size_t refused_streams_ = 0;
  /// The output had this size when it was last counted.
  std::size_t counted_output_ = 0;
  std::size_t quiet_steps_ = 0;
  std::uint64_t written_bytes_ = 0;
  /// The transport has been given this much to write. When it fails, more of that may have arrived than it has said.
  std::uint64_t offered_bytes_ = 0;
  /// At a client the output up to here is what the application has written, and not replies to the server's frames.
  std::uint64_t own_end_ = 0;
  std::uint64_t payload_bytes_accepted_ = 0;
  bool is_stalled_ = false;
  /// Nothing is read for want of memory.
  bool is_paused_for_memory_ = false;
  bool is_drain_requested_ = false;
  bool is_closed_ = false;
  bool was_answered_in_http1_ = false;
  mutable bool is_writable_awaited_ = false;
  /// The server of a client has said with this reason that it goes away. It is empty if there was no error.
  std::string goaway_reason_;
  ClosingEvents closing_;
};

}  // namespace trunkline::session::grpc
