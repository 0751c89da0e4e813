// SPDX-License-Identifier: MIT
// LineSession: a tiny second protocol, which shows that the layers above a session do not depend on the native one.
#pragma once

#include "base/output_queue.h"
#include "base/receive_buffer.h"
#include "session/protocol.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::line {

/// A call is one line of text, and so is its response; responses come in the order of the calls:
///
///     Greet "world"                request: method, a space, the message in JSON
///     "hello, world"               response: the message in JSON
///     Greet>msgpack "world"        request for a response in another codec
///     msgpack ac68656c6c6f2c20     response: the codec, and the message in hexadecimal
///     Nobody 1                     request
///     ! 12 call Nobody: no method  response: the number and the text of a status that is not ok
///
/// The size of a message is not known before its line ends. There are unary calls only, and neither a handshake nor
/// metadata, deadlines, flow control or compression.
class LineSession final : public session::Session {
 public:
  explicit LineSession(const session::SessionParameters& parameters);

  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override { return input_.prepare(out); }
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override { input_.release_unused(); }
  bool next(session::Event& event) override;

  std::size_t gather(std::span<ByteSpan> out) override { return output_.gather(out); }
  void wrote(std::size_t size) override;
  bool has_output() const noexcept override { return !output_.empty(); }
  std::size_t unsent_bytes() const noexcept override { return output_.size(); }

  bool can_start() const noexcept override;
  Result<session::CallId> start(const session::CallStart& start, const session::OutgoingMessage& message) override;
  void cancel(session::CallId id, StatusCode reason) override;

  void attach(session::CallId id, void* context) override;
  Status finish(session::CallId id, const Status& status, const session::OutgoingMessage& message,
                const Metadata* trailing, bool unprocessed) override;
  Status send(session::CallId id, const session::OutgoingMessage& message, const Metadata* leading, bool end) override;
  bool is_writable(session::CallId) const noexcept override { return true; }
  void release(session::CallId, const session::MessageCredit&) override {}

  void drain() override;
  bool is_drained() const noexcept override;
  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return is_closed_; }
  const Status& close_reason() const noexcept override { return close_reason_; }
  bool is_open() const noexcept override { return true; }
  std::size_t open_calls() const noexcept override { return calls_.size(); }
  std::uint64_t payload_bytes_accepted() const noexcept override { return payload_bytes_accepted_; }
  bool is_ordered() const noexcept override { return true; }

 private:
  struct Call {
    session::CallId id = 0;
    void* context = nullptr;
    bool one_way = false;
    /// Server: next() has returned the call, and the layer above has neither finished nor attached it.
    bool is_in_hand = false;
  };

  /// The next complete line without its end; nullopt: incomplete.
  std::optional<std::string_view> next_line();
  bool take_request(std::string_view line, session::Event& event);
  bool take_response(std::string_view line, session::Event& event);
  bool take_closing_event(session::Event& event);
  void consume_line() noexcept;
  Call* find(session::CallId id) noexcept;
  /// The message in its codec, encoded. Error: the codec's.
  Status encode(const session::OutgoingMessage& message, Slice& out);
  void write_line(std::string_view line);
  void end(const Status& reason);

  const session::SessionParameters parameters_;
  base::ReceiveBuffer input_;
  base::OutputQueue output_;
  /// Without a response, the oldest first.
  std::deque<Call> calls_;
  session::CallId last_id_ = 0;
  /// How much of the input has been searched for the end of a line.
  std::size_t searched_ = 0;
  /// The size of the line that the event in hand views, with its end; 0: none.
  std::size_t line_in_hand_ = 0;
  bool is_opened_given_ = false;
  bool is_draining_ = false;
  bool is_closed_ = false;
  bool is_closed_given_ = false;
  std::uint64_t payload_bytes_accepted_ = 0;
  Status close_reason_;
};

/// The row of this protocol in a table of protocols. A client is recognised by a lower-case letter in its method.
const session::Protocol& protocol() noexcept;

}  // namespace trunkline::line
