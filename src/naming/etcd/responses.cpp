// SPDX-License-Identifier: MIT
// The numbers of the fields, response by response.
#include "naming/etcd/responses.h"

#include "base/protobuf_fields.h"

#include <utility>

namespace trunkline::naming::etcd {

namespace {

using base::ProtobufField;

/// Calls `take` with each field.
template <class Take>
void each_field(std::string_view message, Take take) {
  for (ProtobufField field; (field = base::take_protobuf_field(message)).number != 0;) take(field);
}

std::uint64_t revision_in(std::string_view header) {
  std::uint64_t revision = 0;
  each_field(header, [&](const ProtobufField& field) {
    if (field.number == 3) revision = field.value;
  });
  return revision;
}

KeyValue key_value_in(std::string_view message) {
  KeyValue read;
  each_field(message, [&](const ProtobufField& field) {
    if (field.number == 1) read.key = field.bytes;
    if (field.number == 3) read.revision = field.value;
    if (field.number == 5) read.value = field.bytes;
  });
  return read;
}

KeyValue change_in(std::string_view event) {
  KeyValue change;
  bool is_deleted = false;
  each_field(event, [&](const ProtobufField& field) {
    if (field.number == 1) is_deleted = field.value == 1;
    if (field.number == 2) change = key_value_in(field.bytes);
  });
  change.is_deleted = is_deleted;
  return change;
}

}  // namespace

AuthenticateResponse AuthenticateResponse::read(std::string_view message) {
  AuthenticateResponse response;
  each_field(message, [&](const ProtobufField& field) {
    if (field.number == 2) response.token = field.bytes;
  });
  return response;
}

RangeResponse RangeResponse::read(std::string_view message) {
  RangeResponse response;
  each_field(message, [&](const ProtobufField& field) {
    if (field.number == 1) response.revision = revision_in(field.bytes);
    if (field.number == 2) response.keys.push_back(key_value_in(field.bytes));
  });
  return response;
}

WatchResponse WatchResponse::read(std::string_view message) {
  WatchResponse response;
  each_field(message, [&](const ProtobufField& field) {
    switch (field.number) {
      case 1:
        response.revision = revision_in(field.bytes);
        break;
      case 3:
        response.is_created = field.value != 0;
        break;
      case 4:
        response.is_cancelled = field.value != 0;
        break;
      case 5:
        response.compact_revision = field.value;
        break;
      case 6:
        response.cancel_reason = field.bytes;
        break;
      case 11:
        response.changes.push_back(change_in(field.bytes));
        break;
      default:
        break;
    }
  });
  return response;
}

LeaseResponse LeaseResponse::read(std::string_view message) {
  LeaseResponse response;
  each_field(message, [&](const ProtobufField& field) {
    if (field.number == 2) response.id = field.value;
    if (field.number == 3) response.seconds_left = static_cast<std::int64_t>(field.value);
  });
  return response;
}

}  // namespace trunkline::naming::etcd
