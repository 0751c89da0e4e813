// SPDX-License-Identifier: MIT
// ProxyHeader: reads the two forms of the header.
#include "net/proxy_header.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace trunkline::net {

namespace {

constexpr std::string_view text_signature = "PROXY ";
constexpr std::string_view binary_signature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t binary_head_bytes = 16;
constexpr std::size_t unix_path_bytes = 108;

Status malformed(std::string_view what) {
  return {StatusCode::invalid_argument, "read proxy header: " + std::string(what)};
}

/// Returns true if one text is the beginning of the other.
bool matches(std::string_view bytes, std::string_view signature) noexcept {
  const std::size_t size = std::min(bytes.size(), signature.size());
  return bytes.substr(0, size) == signature.substr(0, size);
}

template <int family, class Address>
bool is_address(std::string_view text) {
  Address address{};
  return ::inet_pton(family, std::string(text).c_str(), &address) == 1;
}

/// Reads a port of decimal digits without leading zeros.
bool read_port(std::string_view text, std::uint16_t& port) noexcept {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

/// Takes the text up to the next space, and the space. It is empty if there is none.
std::string_view take_word(std::string_view& line) noexcept {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return word;
}

Result<ProxyHeader> read_line(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, ProxyHeader::max_line_bytes);
  const std::size_t end = start.find("\r\n");
  if (end == std::string_view::npos) {
    if (start.size() == ProxyHeader::max_line_bytes) return malformed("the line exceeds 107 bytes");
    return ProxyHeader{};
  }
  ProxyHeader header{.size = end + 2};
  std::string_view line = start.substr(text_signature.size(), end - text_signature.size());
  const std::string_view protocol = take_word(line);
  if (protocol == "UNKNOWN") {
    header.is_local = true;
    return header;
  }
  const auto is_host = protocol == "TCP4"   ? is_address<AF_INET, in_addr>
                       : protocol == "TCP6" ? is_address<AF_INET6, in6_addr>
                                            : nullptr;
  if (is_host == nullptr) return malformed("the protocol is none of TCP4, TCP6 and UNKNOWN");
  header.source.host = take_word(line);
  header.destination.host = take_word(line);
  if (!is_host(header.source.host) || !is_host(header.destination.host)) return malformed("an address is malformed");
  const std::string_view source_port = take_word(line);
  // The last port is the rest of the line, so that nothing may follow.
  if (!read_port(source_port, header.source.port) || !read_port(line, header.destination.port)) {
    return malformed("a port is malformed");
  }
  return header;
}

ProxiedAddress ip_address(int family, std::size_t size, const char* address, const char* port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::memcpy(bytes.data(), address, size);
  ::inet_ntop(family, bytes.data(), text.data(), text.size());
  const auto high = static_cast<unsigned char>(port[0]);
  const auto low = static_cast<unsigned char>(port[1]);
  return {.host = text.data(), .port = static_cast<std::uint16_t>(high << 8 | low)};
}

ProxiedAddress unix_address(std::string_view path) {
  // A name of Linux's abstract namespace begins with a zero byte, which a URI shows as '@'.
  const bool is_abstract = path.front() == '\0' && path[1] != '\0';
  const std::string_view name = is_abstract ? path.substr(1) : path;
  std::string host(name.substr(0, name.find('\0')));
  if (is_abstract) host.insert(0, 1, '@');
  return {.family = ProxiedAddress::Family::unix_path, .host = std::move(host)};
}

Status read_addresses(unsigned family, std::string_view body, ProxyHeader& header) {
  constexpr std::string_view too_short = "the addresses are cut off";
  switch (family) {
    case 1:
      if (body.size() < 12) return malformed(too_short);
      header.source = ip_address(AF_INET, 4, body.data(), body.data() + 8);
      header.destination = ip_address(AF_INET, 4, body.data() + 4, body.data() + 10);
      return {};
    case 2:
      if (body.size() < 36) return malformed(too_short);
      header.source = ip_address(AF_INET6, 16, body.data(), body.data() + 32);
      header.destination = ip_address(AF_INET6, 16, body.data() + 16, body.data() + 34);
      return {};
    case 3:
      if (body.size() < 2 * unix_path_bytes) return malformed(too_short);
      header.source = unix_address(body.substr(0, unix_path_bytes));
      header.destination = unix_address(body.substr(unix_path_bytes, unix_path_bytes));
      return {};
    default:
      return malformed("the address family is undefined");
  }
}

Result<ProxyHeader> read_binary(std::string_view bytes) {
  if (bytes.size() < binary_head_bytes) return ProxyHeader{};
  const auto byte = [&](std::size_t position) { return static_cast<unsigned char>(bytes[position]); };
  const unsigned version = byte(12) >> 4;
  const unsigned command = byte(12) & 0xFu;
  const unsigned family = byte(13) >> 4;
  const unsigned transport = byte(13) & 0xFu;
  const std::size_t length = static_cast<std::size_t>(byte(14)) << 8 | byte(15);
  if (version != 2) return malformed("the version is not 2");
  if (command > 1) return malformed("the command is neither LOCAL nor PROXY");
  if (transport > 2 || family > 3) return malformed("the address family or the transport is undefined");
  if (length + binary_head_bytes > ProxyHeader::max_binary_bytes) return malformed("the header exceeds 4096 bytes");
  if (bytes.size() < binary_head_bytes + length) return ProxyHeader{};
  ProxyHeader header{.size = binary_head_bytes + length};
  // The command is LOCAL, or the family AF_UNSPEC, or the transport unknown: the rest has to be ignored.
  header.is_local = command == 0 || family == 0 || transport == 0;
  if (header.is_local) return header;
  if (transport != 1) return malformed("the transport is not a stream");
  // Fields that follow the addresses are skipped.
  Status status = read_addresses(family, bytes.substr(binary_head_bytes, length), header);
  if (!status.is_ok()) return status;
  return header;
}

}  // namespace

bool ProxyHeader::is_likely(ByteSpan first_bytes) noexcept {
  const std::string_view bytes = as_text(first_bytes);
  return bytes.starts_with(text_signature) || bytes.starts_with(binary_signature);
}

Result<ProxyHeader> ProxyHeader::read(ByteSpan first_bytes) {
  const std::string_view bytes = as_text(first_bytes);
  if (matches(bytes, binary_signature)) return read_binary(bytes);
  if (!matches(bytes, text_signature)) return malformed("the connection begins with something else");
  return bytes.size() < text_signature.size() ? ProxyHeader{} : read_line(bytes);
}

}  // namespace trunkline::net
