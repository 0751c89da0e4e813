// SPDX-License-Identifier: MIT
// Calls of Python functions, and their exceptions as statuses.
#include "python_compressor.h"

#include "completion.h"
#include "message_bytes.h"

#include <cstring>

namespace trunkline::python {

namespace {

Status raised(const py::error_already_set& error) {
  static_cast<void>(defer_interrupt(error));
  return {StatusCode::internal, "the compressor raised an exception"};
}

}  // namespace

Status PythonCompressor::compress(ByteSpan input, BufferWriter& out) const {
  const py::gil_scoped_acquire held;
  try {
    const py::object compressed = compress_.share()(bytes_of(input));
    const BufferView view(compressed);
    out.append(view.bytes());
    return {};
  } catch (const py::error_already_set& error) {
    return raised(error);
  } catch (const std::exception& error) {
    return {StatusCode::resource_exhausted, std::string("call the compressor: ") + error.what()};
  }
}

Status PythonCompressor::decompress(ByteSpan input, MutableByteSpan out) const {
  const py::gil_scoped_acquire held;
  try {
    const py::object plain = decompress_.share()(bytes_of(input), out.size());
    const BufferView view(plain);
    if (view.size() != out.size()) {
      return {StatusCode::invalid_argument,
              "it makes " + std::to_string(view.size()) + " bytes instead of " + std::to_string(out.size())};
    }
    if (!out.empty()) std::memcpy(out.data(), view.bytes().data(), out.size());
    return {};
  } catch (const py::error_already_set& error) {
    if (error.matches(PyExc_ValueError)) {
      return {StatusCode::invalid_argument, "its bytes are corrupt"};
    }
    return raised(error);
  } catch (const std::exception& error) {
    return {StatusCode::resource_exhausted, std::string("call the compressor: ") + error.what()};
  }
}

}  // namespace trunkline::python
