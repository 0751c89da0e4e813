// SPDX-License-Identifier: MIT
// PythonCompressor: a compressor that the application has written in Python.
#pragma once

#include "references.h"

#include <trunkline/compressor.h>

#include <string>

namespace trunkline::python {

/// A compressor that any thread may use, with or without the GIL, which it takes. `compress(bytes)` returns bytes.
/// `decompress(bytes, size)` returns `size` bytes, or raises ValueError for corrupt data; other exceptions are internal
/// errors. The functions for the unsized form, if there is one, behave alike; `decompress_unsized(bytes, limit)`
/// returns at most `limit` bytes.
class PythonCompressor final : public Compressor {
 public:
  /// The functions of an application's compressor. The last two are None if it has no unsized form.
  struct Functions {
    py::object compress;
    py::object decompress;
    py::object compress_unsized;
    py::object decompress_unsized;
  };

  PythonCompressor(std::string name, const Functions& functions);

  std::string_view name() const noexcept override { return name_; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  bool has_unsized_form() const noexcept override { return static_cast<bool>(decompress_unsized_); }
  Status compress_unsized(ByteSpan input, BufferWriter& out) const override;
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;

 private:
  std::string name_;
  Reference compress_;
  Reference decompress_;
  Reference compress_unsized_;
  Reference decompress_unsized_;
};

}  // namespace trunkline::python
