// SPDX-License-Identifier: MIT
// Compressor: shrinks payloads; CompressorRegistry: the compressors a channel or server offers, by name.
#pragma once

#include <trunkline/result.h>
#include <trunkline/slice.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {

/// Implementations are immutable and called from any thread at once. The runtime writes and checks the uncompressed
/// size (docs/wire.md, section 7); a compressor sees only its own bytes.
class TRUNKLINE_API Compressor {
 public:
  virtual ~Compressor() = default;
  /// The name on the wire: 1 to 64 of [a-z0-9._-].
  virtual std::string_view name() const noexcept = 0;
  /// Appends the compressed bytes; on error nothing is appended. Errors: internal.
  virtual Status compress(ByteSpan input, BufferWriter& out) const = 0;
  /// Fills `out` exactly; must not write past it whatever the input. Errors: invalid_argument if the input is corrupt
  /// or does not make exactly out.size() bytes.
  virtual Status decompress(ByteSpan input, MutableByteSpan out) const = 0;
};

/// An ordered set of compressors. A value: copy it, add to it, put it into ChannelOptions or ServerOptions.
class TRUNKLINE_API CompressorRegistry {
 public:
  /// Empty.
  CompressorRegistry() = default;
  /// snappy, and zstd, lz4, gzip where built in.
  static CompressorRegistry with_defaults();

  /// Adds, or replaces the compressor of the same name in its place. Throws std::invalid_argument for a null
  /// compressor, an invalid name, or a 33rd compressor.
  CompressorRegistry& add(std::shared_ptr<const Compressor> compressor);
  const Compressor* find(std::string_view name) const noexcept;
  /// In the order added; this is the order of numbers on the wire.
  const std::vector<std::shared_ptr<const Compressor>>& compressors() const& noexcept { return compressors_; }
  std::vector<std::shared_ptr<const Compressor>> compressors() && noexcept { return std::move(compressors_); }

 private:
  std::vector<std::shared_ptr<const Compressor>> compressors_;
};

}  // namespace trunkline
