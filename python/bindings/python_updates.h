// SPDX-License-Identifier: MIT
// PythonUpdates: a resolver that is written in Python reports to it.
#pragma once

#include "fork_guard.h"

#include <trunkline/resolver.h>

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace trunkline::python {

namespace py = pybind11;

/// Takes the reports of a resolver. Any thread may report, with the GIL. In a forked child nothing happens.
class PythonUpdates {
 public:
  /// `server_scheme` says how servers are called whose address is no URI.
  PythonUpdates(std::shared_ptr<ResolverUpdates> updates, std::string server_scheme)
      : updates_(std::move(updates)), server_scheme_(std::move(server_scheme)) {}

  /// Reports `servers`, tuples in the order of ResolvedServer's members. Raises RpcError (invalid_argument) for a
  /// malformed address, ValueError for a value out of range and TypeError for one of another type.
  void update(const py::iterable& servers, const std::string& service_config);
  void fail(int code, const std::string& message);

 private:
  const ForkGuard fork_guard_{};
  const std::shared_ptr<ResolverUpdates> updates_;
  const std::string server_scheme_;
};

}  // namespace trunkline::python
