// SPDX-License-Identifier: MIT
// PythonResolver: a resolver that the application has written in Python.
#pragma once

#include "references.h"

#include <trunkline/resolver.h>

#include <memory>
#include <string>

namespace trunkline::python {

/// Calls `start(updates)`, `refresh()` and, when it is destroyed, `close()` of a Python object. It is used with or
/// without the GIL, on the thread that runs the channel's loop or destroys the channel.
class PythonResolver final : public Resolver {
 public:
  /// Returns a factory around a Python function that gets the members of Target, without those of an endpoint, and
  /// returns such an object. What the function raises leaves the constructor of the channel. Requires the GIL.
  static ResolverRegistry::Factory factory(const py::handle& make);

  /// Requires the GIL.
  PythonResolver(const py::handle& resolver, std::string server_scheme);
  ~PythonResolver() override;
  PythonResolver(const PythonResolver&) = delete;
  PythonResolver& operator=(const PythonResolver&) = delete;

  void start(std::shared_ptr<ResolverUpdates> updates) override;
  void refresh() override;

 private:
  Reference resolver_;
  const std::string server_scheme_;
};

}  // namespace trunkline::python
