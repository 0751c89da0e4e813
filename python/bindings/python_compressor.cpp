// SPDX-License-Identifier: MIT
// PythonCompressor: calls the Python functions, and turns their exceptions into statuses.
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

Status compress_with(const Reference& function, ByteSpan input, BufferWriter& out) {
  const py::gil_scoped_acquire held;
  try {
    const py::object compressed = function.share()(bytes_of(input));
    const BufferView view(compressed);
    out.append(view.bytes());
    return {};
  } catch (const py::error_already_set& error) {
    return raised(error);
  } catch (const std::exception& error) {
    return {StatusCode::resource_exhausted, std::string("call the compressor: ") + error.what()};
  }
}

/// Calls `function` with the bytes and `size`. Gives the result to `use`, which returns a status.
template <class Use>
Status decompress_with(const Reference& function, ByteSpan input, std::size_t size, const Use& use) {
  const py::gil_scoped_acquire held;
  try {
    const py::object plain = function.share()(bytes_of(input), size);
    const BufferView view(plain);
    return use(view.bytes());
  } catch (const py::error_already_set& error) {
    if (error.matches(PyExc_ValueError)) {
      return {StatusCode::invalid_argument, "its bytes are corrupt"};
    }
    return raised(error);
  } catch (const std::exception& error) {
    return {StatusCode::resource_exhausted, std::string("call the compressor: ") + error.what()};
  }
}

}  // namespace

PythonCompressor::PythonCompressor(std::string name, const Functions& functions)
    : name_(std::move(name)), compress_(functions.compress), decompress_(functions.decompress) {
  if (functions.decompress_unsized.is_none()) return;
  compress_unsized_ = Reference(functions.compress_unsized);
  decompress_unsized_ = Reference(functions.decompress_unsized);
}

Status PythonCompressor::compress(ByteSpan input, BufferWriter& out) const {
  return compress_with(compress_, input, out);
}

Status PythonCompressor::decompress(ByteSpan input, MutableByteSpan out) const {
  return decompress_with(decompress_, input, out.size(), [&out](ByteSpan plain) -> Status {
    if (plain.size() != out.size()) {
      return {StatusCode::invalid_argument,
              "it makes " + std::to_string(plain.size()) + " bytes instead of " + std::to_string(out.size())};
    }
    if (!out.empty()) std::memcpy(out.data(), plain.data(), out.size());
    return {};
  });
}

Status PythonCompressor::compress_unsized(ByteSpan input, BufferWriter& out) const {
  return compress_with(compress_unsized_, input, out);
}

Status PythonCompressor::decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
  return decompress_with(decompress_unsized_, input, limit, [limit, &out](ByteSpan plain) -> Status {
    if (plain.size() > limit) {
      return {StatusCode::resource_exhausted,
              "it makes " + std::to_string(plain.size()) + " bytes, more than the limit of " + std::to_string(limit)};
    }
    out.append(plain);
    return {};
  });
}

}  // namespace trunkline::python
