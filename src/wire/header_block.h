// SPDX-License-Identifier: MIT
// HeaderBlock: the fields of a call, message or finish frame beside its message (docs/wire.md, section 4).
#pragma once

#include "wire/field.h"
#include "wire/frame.h"
#include "wire/text.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <string_view>

namespace trunkline::wire {

inline constexpr std::size_t max_method_bytes = 1024;
inline constexpr std::size_t max_metadata_name_bytes = 255;
inline constexpr std::size_t max_type_url_bytes = 65535;

namespace header_tag {
inline constexpr std::uint8_t method = 0x01;
inline constexpr std::uint8_t timeout = 0x02;
inline constexpr std::uint8_t metadata = 0x03;
inline constexpr std::uint8_t message_bytes = 0x04;
inline constexpr std::uint8_t status_message = 0x05;
inline constexpr std::uint8_t status_detail = 0x06;
}  // namespace header_tag

/// Views into the bytes from which the block was read.
struct HeaderBlock {
  std::string_view method;
  bool has_method = false;
  bool has_timeout = false;
  bool has_message_bytes = false;
  std::uint64_t timeout_us = 0;
  std::uint64_t message_bytes = 0;
  std::string_view status_message;
  /// All fields, for copy_metadata() and copy_details().
  ByteSpan fields;
  std::uint32_t metadata_count = 0;
  std::uint32_t detail_count = 0;
};

/// Returns true for a method name that may be sent: 1 to 1024 bytes of UTF-8.
bool is_method_name(std::string_view text) noexcept;

/// Reads the fields of a block (without its size) of a frame of type `on`; `out` is replaced. Allocates only for an
/// error, which names the field: resource_exhausted (a method over 1024 bytes), internal. The caller checks whether
/// message_bytes and metadata are allowed on this frame of the call.
Status read_header_block(ByteSpan fields, FrameType on, HeaderBlock& out);

/// Appends the block's entries. The block comes from read_header_block(), and its bytes are still valid.
void copy_metadata(const HeaderBlock& block, Metadata& out);
/// Adds the block's details; an ok status stays as it is.
void copy_details(const HeaderBlock& block, Status& out);

/// Appends one header block to a writer: begin(), the fields, finish(). It may be reused. Less than 2^28 bytes may be
/// written between begin() and finish(); the caller keeps them within the peer's max_header_bytes.
class HeaderBlockWriter {
 public:
  explicit HeaderBlockWriter(BufferWriter& out) noexcept : out_(&out), fields_(out) {}

  /// Begins a block, and reserves the bytes of its size.
  void begin();
  /// Appends the method. `name` must pass is_method_name().
  void method(std::string_view name) { fields_.text(header_tag::method, name); }
  void timeout(std::uint64_t microseconds) { fields_.integer(header_tag::timeout, microseconds); }
  /// Appends an entry of metadata. `name` is a valid metadata name.
  void metadata(std::string_view name, std::string_view value);
  void metadata(const Metadata& entries);
  void message_bytes(std::uint64_t size) { fields_.integer(header_tag::message_bytes, size); }
  /// Appends the message of the status. Bytes that are not UTF-8 are written as '?', one for one.
  void status_message(std::string_view text);
  /// Appends a detail, with '?' in the URL as above. False, with nothing written, if that is over max_type_url_bytes.
  bool status_detail(std::string_view type_url, std::string_view value);
  /// Returns the bytes of the fields written so far.
  std::size_t size() const noexcept { return out_->size() - start_; }
  /// Fills in the size of the block, and returns it.
  std::size_t finish() noexcept;

 private:
  BufferWriter* out_;
  FieldWriter fields_;
  std::size_t start_ = 0;
};

}  // namespace trunkline::wire
