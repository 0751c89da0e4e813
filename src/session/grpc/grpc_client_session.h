// SPDX-License-Identifier: MIT
// GrpcClientSession: gRPC, gRPC-Web and Connect over HTTP/2 for clients
// (docs/decisions/0018-grpc-is-one-more-session.md, docs/decisions/0029-channels-call-connect-by-http.md).
#pragma once

#include "session/grpc/grpc_session.h"
#include "session/grpc/request_writer.h"
#include "session/grpc/response_reader.h"
#include "session/web/client_protocol.h"
#include "session/web/metadata_reader.h"

namespace trunkline::session::grpc {

/// GrpcClientSession adds these parts to those of GrpcSession:
///
///     RequestWriter   header blocks of requests
///     ResponseReader  header blocks of responses
class GrpcClientSession final : public GrpcSession {
 public:
  /// `first_id` is the id of the first stream.
  explicit GrpcClientSession(const SessionParameters& parameters, ClientProtocol protocol = ClientProtocol::grpc,
                             CallId first_id = 1);
  ~GrpcClientSession() override;

  bool can_start() const noexcept override;
  AwaitedLimit awaited_limit() const noexcept override;
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override;
  void cancel(CallId id, StatusCode reason) override;

  /// Clients serve no calls.
  void attach(CallId, void*) override {}
  Status finish(CallId, const Status&, const OutgoingMessage&, const Metadata*, bool) override { return {}; }
  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override;

  void drain() override { is_drain_requested_ = true; }
  bool is_drained() const noexcept override;
  std::string_view protocol_name() const noexcept override;

 private:
  bool is_congested() const noexcept;

  // --- GrpcSession ---
  bool is_permitted(const http::http2::FrameHeader& header) noexcept override;
  Step on_headers(const http::http2::Frame& frame, Event& event) override;
  Step on_peer_end(GrpcStream& stream, Event& event) override;
  Step on_peer_reset(GrpcStream& stream, http::http2::ErrorCode code, Event& event) override;
  Step on_goaway(const http::http2::Frame& frame, Event& event) override;
  void on_stream_deadline(GrpcStream& stream) override;
  void set_peer_max_table_bytes(std::uint32_t bytes) noexcept override { requests_.set_peer_max_table_bytes(bytes); }
  bool defers_event() override { return false; }
  bool take_deferred(Event&) override { return false; }
  void hand_out(GrpcStream&, Event&) override {}
  Step break_call(GrpcStream& stream, const Status& status, Event& event) override;
  Step drop_call(GrpcStream& stream, const Status& status, Event& event) override;
  void write_headers(GrpcStream&, const Metadata*, const Compressor*) override {}
  Step show_body(GrpcStream& stream, Slice body, const MessageCredit& credit, Event& event) override;
  Step take_end(GrpcStream& stream, ByteSpan payload, bool is_compressed, Event& event) override;
  std::string_view title() const noexcept override;
  std::string_view tls_scheme() const noexcept override;
  void on_room() noexcept override;

  void on_queue_sent(GrpcStream& stream) override;

  // --- calls ---
  Status check_start(const CallStart& start) const;
  const Codec* codec_of(const CallStart& start, const OutgoingMessage& message) const;
  const Compressor* compressor_for(const OutgoingMessage& message) const noexcept;
  web::Format format_of(const CallStart& start) const noexcept;
  GrpcStream& open(const CallStart& start, const Codec& codec, const Compressor* compressor,
                   std::string_view query = {});
  bool try_make_query(const CallStart& start, const Codec& codec, const Slice& payload, const Compressor* compressor);
  void end_sending(GrpcStream& stream);
  void write_cancel(CallId id);

  // --- responses ---
  bool allows_late_frame() noexcept;
  Step on_leading(GrpcStream& stream, Event& event);
  bool try_take_rest(GrpcStream& stream, Event& event);
  Step on_trailers(GrpcStream& stream, Event& event);
  Status outcome(const GrpcStream& stream) const;
  Status unlike_grpc() const;
  Step on_web_headers(GrpcStream& stream, bool ends, Event& event);
  Step on_web_leading(GrpcStream& stream, bool ends, Event& event);
  Step on_web_end(GrpcStream& stream, Event& event);
  Status error_of(const GrpcStream& stream, ByteSpan body);
  Step end_call(GrpcStream& stream, Status status, Event& event);
  Step cancel_call(GrpcStream& stream, const Status& status, Event& event);
  Step finish_call(GrpcStream& stream, Status status, Event& event);
  void finish_later(GrpcStream& stream, Status status);

  const ClientProtocol protocol_;
  RequestWriter requests_;
  ResponseReader responses_;
  /// Holds the query of the GET that start() writes.
  BufferWriter query_;
  /// Reads the metadata in the last message of a response.
  web::MetadataReader end_metadata_;
  CallId next_id_;
  /// start() has opened the call with this id and not yet returned it. The id is 0 at other times.
  CallId opening_ = 0;
  /// Counts frames that may still come on streams that are over, because they were on their way when a call was ended.
  std::uint64_t late_frames_ = 0;
  /// The server has said that it decompresses these. There is no value until the server has said so.
  std::optional<CompressorSet> server_accepts_;
  /// can_start() has returned false, and an event says when it would return true again.
  mutable bool is_start_awaited_ = false;
};

}  // namespace trunkline::session::grpc
