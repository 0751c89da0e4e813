// SPDX-License-Identifier: MIT
// CallReport: lines that begin with > describe what was sent, those with < what was received.
#include "cli/calls/call_report.h"

#include "cli/arguments/metadata_argument.h"
#include "cli/output/duration_text.h"
#include "cli/output/standard_streams.h"
#include "cli/output/terminal.h"

#include <unistd.h>

namespace trunkline::cli::calls {
namespace {

std::string count_of(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace

void CallReport::begin(std::string_view method, std::string_view codec, const Metadata& metadata) {
  const std::lock_guard lock(mutex_);
  started_ = Clock::now();
  write_line("> " + std::string(method) + " (" + std::string(codec) + ")");
  for (const auto& entry : metadata) write_line("> " + arguments::format_metadata(entry));
}

void CallReport::sent(const schema::PackedMessage& request) {
  const std::lock_guard lock(mutex_);
  ++requests_;
  request_bytes_ += request.bytes.size();
  write_line("> message " + std::to_string(requests_) + ": " + count_of(request.bytes.size(), "byte"));
}

void CallReport::leading(const Metadata& metadata) {
  const std::lock_guard lock(mutex_);
  if (has_leading_) return;
  has_leading_ = true;
  for (const auto& entry : metadata) write_line("< " + arguments::format_metadata(entry));
}

void CallReport::received(const schema::PackedMessage& response) {
  const std::lock_guard lock(mutex_);
  ++responses_;
  response_bytes_ += response.bytes.size();
  write_line("< message " + std::to_string(responses_) + ": " + count_of(response.bytes.size(), "byte") + " after " +
             elapsed());
}

void CallReport::end(const Status& status, const Metadata& trailing, std::string_view peer) {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : trailing) write_line("< trailing " + arguments::format_metadata(entry));
  std::string line = "< " + std::string(to_string(status.code())) + " after " + elapsed();
  if (!peer.empty()) line += " from " + std::string(peer);
  line += "; sent " + count_of(requests_, "message") + ", " + count_of(request_bytes_, "byte");
  line += "; received " + count_of(responses_, "message") + ", " + count_of(response_bytes_, "byte");
  write_line(line);
}

void CallReport::write_line(std::string_view line) const {
  if (is_verbose_) output::write_message(output::Style(STDERR_FILENO).faint(output::escaped(line)) + "\n");
}

std::string CallReport::elapsed() const { return output::format_duration(Clock::now() - started_); }

}  // namespace trunkline::cli::calls
