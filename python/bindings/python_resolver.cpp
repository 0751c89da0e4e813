// SPDX-License-Identifier: MIT
// PythonResolver: calls the Python object.
#include "python_resolver.h"

#include "completion.h"
#include "python_updates.h"

#include <utility>

namespace trunkline::python {

namespace {

/// Runs `task` with the GIL. It raises what signal handlers raise, and MemoryError; everything else is handled in
/// Python.
template <class Task>
void run_with_gil(const Task& task) noexcept {
  const py::gil_scoped_acquire held;
  // This thread may be handling an exception.
  const py::error_scope pending;
  try {
    task();
  } catch (py::error_already_set& error) {
    if (!defer_interrupt(error)) error.discard_as_unraisable("resolver of trunkline");
  } catch (const std::exception&) {
    // There is no memory for the call.
  }
}

}  // namespace

ResolverRegistry::Factory PythonResolver::factory(const py::handle& make) {
  return [make = std::make_shared<const Reference>(make)](
             const ResolverContext& context) -> Result<std::unique_ptr<Resolver>> {
    const py::gil_scoped_acquire held;
    const Target& target = context.target;
    const py::object resolver =
        make->share()(target.scheme, target.server_scheme, target.authority, target.path, target.query, target.text);
    return std::unique_ptr<Resolver>(std::make_unique<PythonResolver>(resolver, target.server_scheme));
  };
}

PythonResolver::PythonResolver(const py::handle& resolver, std::string server_scheme)
    : resolver_(resolver), server_scheme_(std::move(server_scheme)) {}

PythonResolver::~PythonResolver() {
  run_with_gil([this] {
    const py::object resolver = resolver_.take();
    resolver.attr("close")();
  });
}

void PythonResolver::start(std::shared_ptr<ResolverUpdates> updates) {
  run_with_gil([&] {
    // The object may report at once, which may destroy this resolver.
    const py::object resolver = resolver_.share();
    resolver.attr("start")(std::make_shared<PythonUpdates>(std::move(updates), server_scheme_));
  });
}

void PythonResolver::refresh() {
  run_with_gil([this] {
    const py::object resolver = resolver_.share();
    resolver.attr("refresh")();
  });
}

}  // namespace trunkline::python
