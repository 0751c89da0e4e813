// SPDX-License-Identifier: MIT
// Options from Python: keyword dictionaries for channels and servers, and those of one call.
#pragma once

#include "failure.h"

#include <trunkline/call_options.h>
#include <trunkline/channel_options.h>
#include <trunkline/server_options.h>

#include <chrono>
#include <string>

namespace trunkline::python {

/// Every key must be known and have a value of its type: TypeError otherwise; ValueError for one that is out of range.
ChannelOptions channel_options_of(const py::dict& options);
ServerOptions server_options_of(const py::dict& options);
/// `what`: "Channel" or "Server".
std::chrono::microseconds busy_poll_of(const char* what, const py::dict& options);

/// What one call says beside its request; made once for many calls, or for one.
struct CallSettings {
  CallSettings(const py::object& timeout, const py::object& metadata, bool wait_for_ready, bool idempotent,
               std::string compressor);
  CallOptions options;

 private:
  std::string compressor_;  // viewed by the options
};

}  // namespace trunkline::python
