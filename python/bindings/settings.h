// SPDX-License-Identifier: MIT
// Reads options from Python: keyword dictionaries for channels and servers, and those of one call.
#pragma once

#include "failure.h"

#include <trunkline/announce_options.h>
#include <trunkline/call_options.h>
#include <trunkline/channel_options.h>
#include <trunkline/server_options.h>

#include <chrono>
#include <string>

namespace trunkline::python {

/// Each of these throws TypeError for an unknown key or a value of another type, ValueError for one out of range.
ChannelOptions channel_options_of(const py::dict& options);
ServerOptions server_options_of(const py::dict& options);
AnnounceOptions announce_options_of(const py::dict& options);
/// Reads the option busy_poll. `what` is "Channel" or "Server".
std::chrono::microseconds busy_poll_of(const char* what, const py::dict& options);

/// The options of a call, made for one call or once for many.
struct CallSettings {
  CallSettings(const py::object& timeout, const py::object& metadata, bool wait_for_ready, bool idempotent,
               const py::handle& compressor, const py::handle& routing_key);
  CallOptions options;

 private:
  /// The texts to which views in `options` refer.
  std::string compressor_;
  std::string routing_key_;
};

}  // namespace trunkline::python
