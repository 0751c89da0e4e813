// SPDX-License-Identifier: MIT
// GrpcServerSession: gRPC over HTTP/2 for servers (docs/decisions/0018-grpc-is-one-more-session.md).
#pragma once

#include "http/http2/ping_limit.h"
#include "session/grpc/grpc_session.h"
#include "session/grpc/request_reader.h"
#include "session/grpc/response_writer.h"
#include "session/user_agent.h"

#include <vector>

namespace trunkline::session::grpc {

/// GrpcServerSession adds these parts to those of GrpcSession:
///
///     RequestReader   header blocks of calls
///     ResponseWriter  header blocks of responses
///     PingLimit       pings of a client that is sent nothing
class GrpcServerSession final : public GrpcSession {
 public:
  explicit GrpcServerSession(const SessionParameters& parameters);
  ~GrpcServerSession() override;

  bool next(Event& event) override;

  /// Servers begin no calls.
  bool can_start() const noexcept override { return false; }
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override;
  void cancel(CallId, StatusCode) override {}

  void attach(CallId id, void* context) override;
  Status finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                bool unprocessed) override;
  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override;

  void drain() override;
  bool is_drained() const noexcept override;
  std::size_t held_bytes() const noexcept override {
    return GrpcSession::held_bytes() + requests_.held_bytes() + held_agent_bytes_;
  }

 private:
  // --- GrpcSession ---
  Step on_headers(const http::http2::Frame& frame, Event& event) override;
  Step on_peer_end(GrpcStream& stream, Event& event) override;
  Step on_peer_reset(GrpcStream& stream, http::http2::ErrorCode code, Event& event) override;
  void on_stream_deadline(GrpcStream& stream) override;
  void set_peer_max_table_bytes(std::uint32_t bytes) noexcept override { responses_.set_peer_max_table_bytes(bytes); }
  bool is_permitted(const http::http2::FrameHeader& header) noexcept override;
  bool allows_ping() noexcept override {
    return ping_limit_.add(now_, responses_.blocks() + queue_.sent_bytes(), !streams_.empty());
  }
  bool defers_event() override;
  bool take_deferred(Event& event) override;
  void hand_out(GrpcStream& stream, Event& event) override;
  Step break_call(GrpcStream& stream, const Status& status, Event& event) override;
  Step drop_call(GrpcStream& stream, const Status& status, Event& event) override;
  void write_headers(GrpcStream& stream, const Metadata* leading, const Compressor* compressor) override;

  void on_queue_sent(GrpcStream& stream) override;

  void add_held_agent(const UserAgent& agent);
  Step on_request(const http::http2::Frame& frame, Event& event);
  Step allow_useless_headers();
  void take_request(GrpcStream& stream);
  void answer_refused(GrpcStream& stream);
  void refuse_with_text(GrpcStream& stream);
  void end_refused(GrpcStream& stream);
  Step on_trailers(GrpcStream& stream, const http::http2::Frame& frame, Event& event);
  void discard(GrpcStream& stream, std::uint32_t bytes) override;
  void end_stream(GrpcStream& stream, const Status& status, const Metadata* trailing);
  static void end_call(GrpcStream& stream) noexcept;
  void keep_until_sent(GrpcStream& stream);

  // --- other protocols than gRPC ---
  Step show_query(GrpcStream& stream, Event& event);
  Status send_web(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading);
  bool try_respond_in_place(GrpcStream& stream, const OutgoingMessage& message, const Metadata* trailing);
  Status send_route(GrpcStream& stream, const OutgoingMessage& message, const Metadata* leading);
  Status encode_body(GrpcStream& stream, const OutgoingMessage& message);
  void end_web(GrpcStream& stream, const Status& status, const Metadata* trailing);
  bool write_web_head(GrpcStream& stream, const Status& status, const Metadata* trailing);
  Slice write_web_end(GrpcStream& stream, const Status& status, const Metadata* trailing);
  Status check_response(const GrpcStream& stream, std::string_view what, const Metadata& metadata) const;
  void close_stream(GrpcStream& stream);
  bool may_linger(const GrpcStream& stream) const noexcept;
  void linger(GrpcStream& stream);
  /// The client has ended the call by what it has sent. The layer above counts such calls, even those that it does not
  /// know.
  void cancel_for_peer(GrpcStream& stream, Status status, Event& event);

  static void on_goaway_timer(base::Timer& timer, void* owner, base::TimePoint now);

  RequestReader requests_;
  ResponseWriter responses_;
  http::http2::PingLimit ping_limit_;
  /// Limits how long a client may take to answer the first step of a drain.
  base::Timer goaway_timer_;
  /// The call with this id has been handed out, and is neither attached nor finished. The id is 0 if there is none.
  CallId call_in_hand_ = 0;
  /// Counts the RST_STREAM frames that are not a flood: one for each stream that has been opened, even if this side has
  /// ended it first. The layer above limits how many calls a client cancels.
  std::uint64_t uncounted_resets_ = 0;
  /// These calls wait for their first message until all that has come has been read, oldest first. Calls that do not
  /// wait any longer are skipped.
  base::VectorQueue<CallId> held_;
  /// The user-agents of held calls. A call that has the same as the one before it adds none, so nearly all connections
  /// have one here. They are dropped, while no call is held, when one with another user-agent comes.
  std::vector<UserAgent> held_agents_;
  std::size_t held_agent_bytes_ = 0;
};

}  // namespace trunkline::session::grpc
