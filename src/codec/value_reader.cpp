// SPDX-License-Identifier: MIT
// Runs the parsers of nlohmann_json. No other file of the codecs uses them.
#include <codec/value_reader.h>

#include <codec/codec_error.h>
#include <codec/value_builder.h>

#include <nlohmann/json.hpp>

#include <iterator>

namespace trunkline::codec {
namespace {

/// Reads bytes one by one and records its position, which the parsers do not report.
class PositionIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  PositionIterator() = default;
  explicit PositionIterator(ReadPosition* position) : position_(position) {}

  reference operator*() const { return *position_->at; }
  PositionIterator& operator++() {
    ++position_->at;
    return *this;
  }
  void operator++(int) { ++position_->at; }
  /// Compares with the end, which is a default-constructed iterator; there is no other comparison.
  bool operator==(const PositionIterator& other) const { return at_end() == other.at_end(); }

 private:
  bool at_end() const { return position_ == nullptr || position_->at == position_->end; }

  ReadPosition* position_ = nullptr;
};

/// Passes the events of nlohmann's SAX interface to a ValueBuilder.
class SaxHandler {
 public:
  SaxHandler(Value& root, const ReadPosition& position, const CodecLimits& limits) : builder_(root, position, limits) {}

  bool null() { return builder_.scalar(Value()); }
  bool boolean(bool value) { return builder_.scalar(value); }
  bool number_integer(nlohmann::json::number_integer_t value) { return builder_.scalar(value); }
  bool number_unsigned(nlohmann::json::number_unsigned_t value) { return builder_.scalar(value); }
  bool number_float(nlohmann::json::number_float_t value, const std::string&) { return builder_.scalar(value); }
  bool string(std::string& content) { return builder_.text(std::move(content)); }
  bool binary(nlohmann::json::binary_t& content) {
    if (content.has_subtype()) return builder_.refuse("extension types are not supported");
    return builder_.scalar(Value::bytes(std::as_bytes(std::span(content.data(), content.size()))));
  }
  bool start_object(std::size_t size) { return builder_.begin_object(size); }
  bool key(std::string& name) { return builder_.name(std::move(name)); }
  bool end_object() { return builder_.end_object(); }
  bool start_array(std::size_t size) { return builder_.begin_array(size); }
  bool end_array() { return builder_.end_array(); }
  /// Notes the error. The text of the parser quotes the payload, so only the kind of its error is used.
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    constexpr int number_out_of_range = 406;
    return builder_.refuse(error.id == number_out_of_range ? "number out of range" : "syntax error");
  }

  const ValueBuilder& builder() const noexcept { return builder_; }

 private:
  ValueBuilder builder_;
};

Status read(std::string_view codec, ByteSpan payload, const CodecLimits& limits, Value& value,
            nlohmann::json::input_format_t format) {
  value = Value();
  if (payload.empty()) return decode_error(codec, "byte 0 of 0: empty payload");
  const std::string_view text = as_text(payload);
  ReadPosition position{text.data(), text.data(), text.data() + text.size()};
  SaxHandler handler(value, position, limits);
  const bool read = nlohmann::json::sax_parse(PositionIterator(&position), PositionIterator(), &handler, format);
  if (read) return {};
  const ValueBuilder& builder = handler.builder();
  if (builder.is_over_limit()) return decode_over_limit(codec, builder.error());
  return decode_error(codec, builder.error().empty() ? "syntax error" : builder.error());
}

}  // namespace

Status read_json(ByteSpan payload, const CodecLimits& limits, Value& value) {
  return read("json", payload, limits, value, nlohmann::json::input_format_t::json);
}

Status read_msgpack(ByteSpan payload, const CodecLimits& limits, Value& value) {
  return read("msgpack", payload, limits, value, nlohmann::json::input_format_t::msgpack);
}

}  // namespace trunkline::codec
