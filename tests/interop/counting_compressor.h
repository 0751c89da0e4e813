// SPDX-License-Identifier: MIT
// CountingCompressor: another compressor, or none, that counts what it is asked for.
#pragma once

#include <trunkline/compressor.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace trunkline::interop {

class CountingCompressor final : public Compressor {
 public:
  explicit CountingCompressor(std::shared_ptr<const Compressor> wrapped, std::string name)
      : wrapped_(std::move(wrapped)), name_(std::move(name)) {}
  /// The built-in snappy, under its name.
  static std::shared_ptr<CountingCompressor> of_snappy(std::string name = "snappy") {
    for (const auto& each : CompressorRegistry::with_defaults().compressors()) {
      if (each->name() == "snappy") return std::make_shared<CountingCompressor>(each, std::move(name));
    }
    return nullptr;
  }

  std::string_view name() const noexcept override { return name_; }
  Status compress(ByteSpan input, BufferWriter& out) const override {
    ++compressed;
    return wrapped_->compress(input, out);
  }
  Status decompress(ByteSpan input, MutableByteSpan out) const override {
    ++decompressed;
    return wrapped_->decompress(input, out);
  }
  bool has_unsized_form() const noexcept override { return wrapped_->has_unsized_form(); }
  Status compress_unsized(ByteSpan input, BufferWriter& out) const override {
    ++compressed;
    return wrapped_->compress_unsized(input, out);
  }
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override {
    ++decompressed;
    return wrapped_->decompress_unsized(input, limit, out);
  }

  mutable std::atomic<int> compressed{0};
  mutable std::atomic<int> decompressed{0};

 private:
  std::shared_ptr<const Compressor> wrapped_;
  std::string name_;
};

}  // namespace trunkline::interop
