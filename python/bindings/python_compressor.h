// SPDX-License-Identifier: MIT
// PythonCompressor: a compressor that the application has written in Python.
#pragma once

#include "references.h"

#include <trunkline/compressor.h>

#include <string>

namespace trunkline::python {

/// Any thread may use it, with or without the GIL, which it takes. `compress(bytes)` returns bytes. `decompress(bytes,
/// size)` returns `size` bytes, or raises ValueError for corrupt data; other exceptions are internal errors.
class PythonCompressor final : public Compressor {
 public:
  PythonCompressor(std::string name, const py::handle& compress, const py::handle& decompress)
      : name_(std::move(name)), compress_(compress), decompress_(decompress) {}

  std::string_view name() const noexcept override { return name_; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;

 private:
  std::string name_;
  Reference compress_;
  Reference decompress_;
};

}  // namespace trunkline::python
