// SPDX-License-Identifier: MIT
// CallRun: one call from its requests to its status, whatever its kind.
#pragma once

#include "cli/call_report.h"
#include "cli/interruption.h"
#include "cli/message_coder.h"
#include "cli/request_input.h"
#include "cli/response_output.h"

#include <trunkline/channel.h>

#include <optional>
#include <string>

namespace trunkline::cli {

struct CallShape {
  std::string path;
  /// Many requests or responses; both without a description.
  bool has_many_requests = true;
  bool has_many_responses = true;
};

/// What it is made of must outlive it.
class CallRun {
 public:
  CallRun(Channel& channel, CallShape shape, const MessageCoder& coder, RequestInput& input, ResponseOutput& output,
          CallReport& report, Interruption& interruption);

  /// Writes each response to its output as it comes; blocks until the call has ended. `options.reply` is used in
  /// here. Throws Failure for requests that do not fit (the call is cancelled then), and OutputClosed.
  Status run(CallOptions options);

 private:
  class Writing;

  Status run_unary(const Payload& request, CallOptions& options);
  Status run_stream(const std::optional<Payload>& request, const CallOptions& options);
  Status read_all(ClientStream<Payload, Payload>& stream);
  void show(const Payload& response);
  Payload only_request();

  Channel& channel_;
  CallShape shape_;
  const MessageCoder& coder_;
  RequestInput& input_;
  ResponseOutput& output_;
  CallReport& report_;
  Interruption& interruption_;
};

}  // namespace trunkline::cli
