// SPDX-License-Identifier: MIT
// Keeps an account of the credit of both sides.
#include "kit/credit_watch.h"

#include "wire/byte_order.h"
#include "wire/preface.h"

#include <algorithm>

namespace trunkline::kit {

namespace {
const std::byte* bytes_of(const std::string& text) { return reinterpret_cast<const std::byte*>(text.data()); }
}  // namespace

std::string CreditWatch::saw(wire::Sender from, std::string_view bytes) {
  Side& side = sides_[static_cast<std::size_t>(from)];
  Side& other = sides_[1 - static_cast<std::size_t>(from)];
  while (!bytes.empty()) {
    const std::size_t skipped = static_cast<std::size_t>(std::min<std::uint64_t>(side.skip, bytes.size()));
    side.skip -= skipped;
    bytes.remove_prefix(skipped);
    if (bytes.empty()) break;
    // No more than is needed to understand what follows: bodies are skipped.
    const std::size_t size = std::min<std::size_t>(bytes.size(), side.greeted ? 1 : bytes.size());
    side.pending.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    while (take_frame(side, other, from)) {
    }
  }
  return std::exchange(fault_, {});
}

bool CreditWatch::take_frame(Side& side, Side& other, wire::Sender from) {
  if (!side.past_preface) {
    if (side.pending.size() < wire::preface.size()) return false;
    side.pending.erase(0, wire::preface.size());
    side.past_preface = true;
  }
  if (side.pending.size() < wire::header_bytes) return false;
  const wire::FrameHeader header = wire::read_header(bytes_of(side.pending));
  const bool of_call = header.type == wire::FrameType::call || header.type == wire::FrameType::message ||
                       header.type == wire::FrameType::finish;
  const bool has_block = of_call && header.has(wire::flag::headers) && header.length >= wire::block_size_bytes;
  std::uint32_t block = 0;
  if (header.type == wire::FrameType::hello) {
    if (side.pending.size() < wire::header_bytes + header.length) return false;
    on_hello(other, std::string_view(side.pending).substr(wire::header_bytes, header.length));
    side.greeted = true;
    side.pending.erase(0, wire::header_bytes + header.length);
    return true;
  }
  std::size_t needed = wire::header_bytes;
  if (has_block) {
    needed += wire::block_size_bytes;
    if (side.pending.size() < needed) return false;
    block = wire::block_size_bytes + wire::load_little<std::uint32_t>(bytes_of(side.pending) + wire::header_bytes);
  }
  on_frame(side, other, from, header, block);
  const std::size_t whole = wire::header_bytes + header.length;
  const std::size_t here = std::min(whole, side.pending.size());
  side.skip = whole - here;
  side.pending.erase(0, here);
  return true;
}

void CreditWatch::on_hello(Side& other, std::string_view body) {
  const Result<wire::Hello> hello = wire::read_hello(as_bytes(body));
  if (!hello.is_ok()) {
    fault_ = "a hello that cannot be read: " + hello.status().to_string();
    return;
  }
  other.connection += (*hello).connection_credit - other.connection_initial;
  other.connection_initial = (*hello).connection_credit;
  other.call_initial = (*hello).call_credit;
}

void CreditWatch::on_frame(Side& side, Side& other, wire::Sender from, const wire::FrameHeader& header,
                           std::uint32_t block) {
  using wire::FrameType;
  const std::string who = from == wire::Sender::client ? "the client" : "the server";
  if (header.type == FrameType::credit) {
    if (header.call == 0) {
      other.connection += header.number;
      if (other.connection > other.connection_initial) fault_ = who + " grants connection credit twice";
    } else {
      std::int64_t& credit = other.calls[header.call];
      credit += header.number;
      if (credit > 0) fault_ = who + " grants credit of call " + std::to_string(header.call) + " twice";
    }
    return;
  }
  const bool has_message = header.has(wire::flag::message);
  const bool is_charged = header.type == FrameType::call || header.type == FrameType::message ||
                          (header.type == FrameType::finish && has_message);
  if (!is_charged) return;
  side.connection -= static_cast<std::int64_t>(wire::header_bytes) + header.length;
  if (side.connection < 0) fault_ = who + " exceeds the connection's credit";
  if (!has_message) return;
  std::int64_t& credit = side.calls[header.call];
  credit -= static_cast<std::int64_t>(header.length) - block;
  if (side.call_initial + credit < 0) fault_ = who + " exceeds the credit of call " + std::to_string(header.call);
}

}  // namespace trunkline::kit
