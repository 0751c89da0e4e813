// SPDX-License-Identifier: MIT
// CallRun: makes one call of any kind, from its requests to its status.
#pragma once

#include "cli/calls/call_report.h"
#include "cli/calls/request_input.h"
#include "cli/calls/response_output.h"
#include "cli/process/interruption.h"
#include "cli/schema/message_coder.h"

#include <trunkline/channel.h>

#include <optional>
#include <string>

namespace trunkline::cli::calls {

struct CallShape {
  std::string path;
  /// These tell whether requests and responses are streams. Both are true if the definition is unknown.
  bool has_many_requests = true;
  bool has_many_responses = true;
  bool is_known = true;
};

/// One call. The objects from which it is constructed must outlive it.
class CallRun {
 public:
  CallRun(Channel& channel, CallShape shape, const schema::MessageCoder& coder, RequestInput& input,
          ResponseOutput& output, CallReport& report, process::Interruption& interruption);

  /// Writes each response to the output as it arrives, and blocks until the call has ended. Overwrites
  /// `options.response_info`. Throws Failure for invalid requests (after cancelling the call), and OutputClosed.
  Status run(CallOptions options);

 private:
  class Writing;

  Status run_single(CallOptions& options);
  Status run_unary(const schema::PackedMessage& request, CallOptions& options);
  Status run_stream(const std::optional<schema::PackedMessage>& request, const CallOptions& options);
  Status read_all(ClientStream<schema::PackedMessage, schema::PackedMessage>& stream);
  void show(const schema::PackedMessage& response);
  schema::PackedMessage only_request();

  Channel& channel_;
  CallShape shape_;
  const schema::MessageCoder& coder_;
  RequestInput& input_;
  ResponseOutput& output_;
  CallReport& report_;
  process::Interruption& interruption_;
};

}  // namespace trunkline::cli::calls
