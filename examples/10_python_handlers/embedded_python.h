// SPDX-License-Identifier: MIT
// EmbeddedPython: an interpreter in this process, and the handlers of a module as functions of bytes.
#pragma once

#include <trunkline/result.h>

#include <functional>
#include <map>
#include <string>

namespace example {

class EmbeddedPython {
 public:
  using Handler = std::function<trunkline::Result<std::string>(const std::string& request)>;

  /// Imports the module `handlers` from `folder`. Throws std::runtime_error. One at a time.
  explicit EmbeddedPython(const std::string& folder);
  /// No handler may run any more.
  ~EmbeddedPython();
  EmbeddedPython(const EmbeddedPython&) = delete;
  EmbeddedPython& operator=(const EmbeddedPython&) = delete;

  /// Its HANDLERS, for any thread; each call takes the GIL. An exception is printed, and internal for the caller.
  const std::map<std::string, Handler>& handlers() const noexcept { return handlers_; }

 private:
  void load(const std::string& folder);

  std::map<std::string, Handler> handlers_;
  void* main_thread_ = nullptr;  ///< of the interpreter, while others may take the GIL
};

}  // namespace example
