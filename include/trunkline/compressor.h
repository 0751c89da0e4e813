// SPDX-License-Identifier: MIT
// Compressor: compresses payloads. CompressorRegistry: the compressors of a channel or server, by name.
#pragma once

#include <trunkline/result.h>
#include <trunkline/slice.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {

/// Compresses and decompresses. Implementations are immutable; any number of threads call them at once. The runtime
/// sends and checks the uncompressed size (docs/wire.md, section 7); a compressor sees only its own bytes.
class TRUNKLINE_API Compressor {
 public:
  virtual ~Compressor() = default;
  /// Returns the name on the wire: 1 to 64 of [a-z0-9._-].
  virtual std::string_view name() const noexcept = 0;
  /// Appends the compressed bytes. On error nothing is appended. Error: internal.
  virtual Status compress(ByteSpan input, BufferWriter& out) const = 0;
  /// Fills `out` exactly. Must never write past its end, whatever the input is. Error: invalid_argument if the input is
  /// corrupt or does not decompress to exactly out.size() bytes.
  virtual Status decompress(ByteSpan input, MutableByteSpan out) const = 0;
  /// Appends the `size` bytes that `input` decompresses to, and never more. The built-in compressors take memory as the
  /// output grows, so that a short input that only claims a large size costs little. The default takes all memory at
  /// once, and decompress() fills it. It has the errors of decompress(); what was appended before is then meaningless.
  virtual Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const;

  /// Returns true if the compressor implements the functions below, for protocols such as gRPC that do not transmit the
  /// uncompressed size, and whose data has another form for some names. By default it is not offered there.
  virtual bool has_unsized_form() const noexcept { return false; }
  /// Appends the bytes compressed in the unsized form. By default this calls compress().
  virtual Status compress_unsized(ByteSpan input, BufferWriter& out) const;
  /// Appends what `input` in the unsized form decompresses to. Takes memory as the output grows, and stops once that
  /// would exceed `limit` bytes. Errors: invalid_argument (corrupt), resource_exhausted (more than `limit` bytes, or no
  /// memory), unimplemented (by default). What was appended before an error is meaningless.
  virtual Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const;
};

/// An ordered set of compressors. A value: copy it, add to it, put it into ChannelOptions or ServerOptions.
class TRUNKLINE_API CompressorRegistry {
 public:
  /// Makes a registry that holds no compressors.
  CompressorRegistry() = default;
  /// Returns the built-in compressors: snappy, and those of zstd, lz4, gzip and deflate that the build includes.
  static CompressorRegistry with_defaults();

  /// Adds the compressor, or replaces the compressor of the same name in its place. Throws std::invalid_argument for a
  /// null compressor, for an invalid name, and for a 33rd compressor.
  CompressorRegistry& add(std::shared_ptr<const Compressor> compressor);
  /// Returns null if there is no compressor of this name.
  const Compressor* find(std::string_view name) const noexcept;
  /// Returns the compressors in the order in which they were added, which is the order of their numbers on the wire.
  const std::vector<std::shared_ptr<const Compressor>>& compressors() const& noexcept { return compressors_; }
  std::vector<std::shared_ptr<const Compressor>> compressors() && noexcept { return std::move(compressors_); }

 private:
  std::vector<std::shared_ptr<const Compressor>> compressors_;
};

}  // namespace trunkline
