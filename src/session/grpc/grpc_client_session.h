// SPDX-License-Identifier: MIT
// GrpcClientSession: gRPC over HTTP/2 for clients (docs/decisions/0018-grpc-is-one-more-session.md).
#pragma once

#include "session/grpc/grpc_session.h"
#include "session/grpc/request_writer.h"
#include "session/grpc/response_reader.h"

namespace trunkline::session::grpc {

/// Adds to the parts of GrpcSession:
///
///     RequestWriter   header blocks of requests
///     ResponseReader  header blocks of responses
class GrpcClientSession final : public GrpcSession {
 public:
  explicit GrpcClientSession(const SessionParameters& parameters);
  ~GrpcClientSession() override;

  bool can_start() const noexcept override;
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override;
  void cancel(CallId id, StatusCode reason) override;

  /// Clients serve no calls.
  void attach(CallId, void*) override {}
  Status finish(CallId, const Status&, const OutgoingMessage&, const Metadata*, bool) override { return {}; }
  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override;

  void drain() override { is_drain_requested_ = true; }
  bool is_drained() const noexcept override;

 private:
  // --- GrpcSession ---
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
  void on_room() noexcept override;

  // --- SendQueueOwner ---
  void on_queue_sent(GrpcStream& stream) override;

  // --- calls ---
  Status check_start(const CallStart& start) const;
  const Codec* codec_of(const CallStart& start, const OutgoingMessage& message) const;
  const Compressor* compressor_for(const OutgoingMessage& message) const noexcept;
  GrpcStream& open(const CallStart& start, const Codec& codec, const Compressor* compressor);
  void end_sending(GrpcStream& stream);

  // --- responses ---
  Step on_leading(GrpcStream& stream, Event& event);
  Step on_trailers(GrpcStream& stream, Event& event);
  Status outcome(const GrpcStream& stream) const;
  Status unlike_grpc() const;
  Step cancel_call(GrpcStream& stream, const Status& status, Event& event);
  Step finish_call(GrpcStream& stream, Status status, Event& event);
  void finish_later(GrpcStream& stream, Status status);

  RequestWriter requests_;
  ResponseReader responses_;
  CallId next_id_ = 1;
  /// What the server has said it decompresses; empty: nothing yet.
  std::optional<CompressorSet> server_accepts_;
  /// can_start() has returned false.
  mutable bool is_start_awaited_ = false;
};

}  // namespace trunkline::session::grpc
