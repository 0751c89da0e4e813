// SPDX-License-Identifier: MIT
// The options of channels and servers by name.
#include "settings.h"

#include "option_values.h"
#include "payload.h"
#include "python_compressor.h"

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace trunkline::python {

namespace {

/// `what`: the option in the texts of errors.
using Setter = std::function<void(const std::string& what, const py::handle& value)>;
using Table = std::map<std::string, Setter, std::less<>>;

template <std::integral Integer>
Setter number(Integer& target) {
  return [&target](const std::string& what, const py::handle& value) { target = integer_of<Integer>(what, value); };
}

Setter number(double& target) {
  return [&target](const std::string& what, const py::handle& value) { target = number_of(what, value); };
}

template <class Duration>
Setter duration(Duration& target) {
  return [&target](const std::string& what, const py::handle& value) {
    target = rounded_duration_of<Duration>(what, value);
  };
}

template <class Duration>
Setter duration(std::optional<Duration>& target) {
  return [&target](const std::string& what, const py::handle& value) {
    target = rounded_duration_of<Duration>(what, value);
  };
}

Setter text(std::string& target) {
  return [&target](const std::string& what, const py::handle& value) { target = text_of(what, value); };
}

Setter path(std::string& target) {
  return [&target](const std::string& what, const py::handle& value) { target = path_of(what, value); };
}

/// Reads a str or bytes.
Setter pem(std::string& target) {
  return [&target](const std::string& what, const py::handle& value) {
    target = PyBytes_Check(value.ptr()) != 0 ? value.cast<std::string>() : text_of(what, value);
  };
}

Setter flag(bool& target) {
  return [&target](const std::string& what, const py::handle& value) { target = flag_of(what, value); };
}

/// Reads the names of the application's codecs.
Setter codecs(CodecRegistry& target) {
  return [&target](const std::string& what, const py::handle& names) {
    for (const py::handle& name : names) target.add(pass_through_codec(text_of(what, name)));
  };
}

/// Reads triples of a name and two functions.
Setter compressors(CompressorRegistry& target) {
  return [&target](const std::string& what, const py::handle& triples) {
    for (const py::handle& item : triples) {
      const auto triple = py::reinterpret_borrow<py::sequence>(item);
      const py::object compress = triple[1];
      const py::object decompress = triple[2];
      target.add(std::make_shared<PythonCompressor>(text_of(what, triple[0]), compress, decompress));
    }
  };
}

void apply(const char* what, const py::dict& options, const Table& table) {
  for (const auto& [key, value] : options) {
    const auto name = key.cast<std::string>();
    const auto found = table.find(name);
    if (found == table.end()) throw py::type_error(std::string(what) + ": unknown option '" + name + "'");
    found->second(std::string(what) + ": option '" + name + "'", value);
  }
}

void add_limits(Table& table, ConnectionLimits& limits) {
  table["max_frame_bytes"] = number(limits.max_frame_bytes);
  table["max_message_bytes"] = number(limits.max_message_bytes);
  table["max_decompression_ratio"] = number(limits.max_decompression_ratio);
  table["max_header_bytes"] = number(limits.max_header_bytes);
  table["max_methods"] = number(limits.max_methods);
  table["connection_credit_bytes"] = number(limits.connection_credit_bytes);
  table["call_credit_bytes"] = number(limits.call_credit_bytes);
  table["max_call_credit_bytes"] = number(limits.max_call_credit_bytes);
  table["max_unread_bytes"] = number(limits.max_unread_bytes);
  table["max_unsent_bytes"] = number(limits.max_unsent_bytes);
  table["chunk_bytes"] = number(limits.chunk_bytes);
  table["read_buffer_bytes"] = number(limits.read_buffer_bytes);
  table["write_buffer_bytes"] = number(limits.write_buffer_bytes);
  table["handshake_timeout"] = duration(limits.handshake_timeout);
  table["keepalive_interval"] = duration(limits.keepalive_interval);
  table["keepalive_timeout"] = duration(limits.keepalive_timeout);
  table["stall_timeout"] = duration(limits.stall_timeout);
  table["keepalive_while_idle"] = flag(limits.keepalive_while_idle);
}

void add_transport(Table& table, TransportOptions& transport, TlsOptions& tls) {
  table["congestion_control"] = text(transport.congestion_control);
  table["send_buffer_bytes"] = number(transport.send_buffer_bytes);
  table["receive_buffer_bytes"] = number(transport.receive_buffer_bytes);
  table["no_delay"] = flag(transport.no_delay);
  table["tcp_keepalive"] = duration(transport.tcp_keepalive);
  table["tcp_user_timeout"] = duration(transport.tcp_user_timeout);
  table["certificate_file"] = path(tls.certificate_file);
  table["private_key_file"] = path(tls.private_key_file);
  table["ca_file"] = path(tls.ca_file);
  table["certificate_pem"] = pem(tls.certificate_pem);
  table["private_key_pem"] = pem(tls.private_key_pem);
  table["ca_pem"] = pem(tls.ca_pem);
}

}  // namespace

std::chrono::microseconds busy_poll_of(const char* what, const py::dict& options) {
  std::chrono::microseconds result{0};
  if (options.contains("busy_poll")) {
    duration(result)(std::string(what) + ": option 'busy_poll'", options["busy_poll"]);
  }
  return result;
}

ChannelOptions channel_options_of(const py::dict& options) {
  ChannelOptions result;
  result.codecs = pass_through_codecs();
  std::chrono::nanoseconds default_timeout{-1};
  Table table;
  add_limits(table, result.limits);
  add_transport(table, result.transport, result.tls);
  table["busy_poll"] = duration(result.loop.busy_poll);
  table["verify_peer"] = flag(result.tls.verify_peer);
  table["server_name"] = text(result.tls.server_name);
  table["codecs"] = codecs(result.codecs);
  table["compressors"] = compressors(result.compressors);
  table["compressor"] = text(result.compressor);
  table["authority"] = text(result.authority);
  table["compression_threshold"] = number(result.compression_threshold);
  table["default_timeout"] = duration(default_timeout);
  table["connect_timeout"] = duration(result.connect_timeout);
  table["backoff_initial"] = duration(result.backoff.initial);
  table["backoff_maximum"] = duration(result.backoff.maximum);
  table["backoff_multiplier"] = number(result.backoff.multiplier);
  table["backoff_jitter"] = number(result.backoff.jitter);
  table["max_connections"] = number(result.max_connections);
  table["idle_timeout"] = duration(result.idle_timeout);
  table["max_memory_bytes"] = number(result.max_memory_bytes);
  table["max_pending_calls"] = number(result.max_pending_calls);
  table["ordered"] = flag(result.ordered);
  table["max_retries"] = number(result.max_retries);
  table["max_retained_request_bytes"] = number(result.max_retained_request_bytes);
  table["early_calls"] = flag(result.early_calls);
  apply("Channel", options, table);
  if (default_timeout.count() >= 0) result.default_timeout = default_timeout;
  return result;
}

ServerOptions server_options_of(const py::dict& options) {
  ServerOptions result;
  result.codecs = pass_through_codecs();
  Table table;
  add_limits(table, result.limits);
  add_transport(table, result.transport, result.tls);
  table["busy_poll"] = duration(result.loop.busy_poll);
  table["listen_backlog"] = number(result.transport.listen_backlog);
  table["reuse_port"] = flag(result.transport.reuse_port);
  table["client_certificate"] = [&result](const std::string& what, const py::handle& value) {
    const std::string name = text_of(what, value);
    if (name == "none") {
      result.tls.client_certificate = ClientCertificate::none;
    } else if (name == "optional") {
      result.tls.client_certificate = ClientCertificate::optional;
    } else if (name == "required") {
      result.tls.client_certificate = ClientCertificate::required;
    } else {
      throw py::value_error(what + " is '" + name + "', none of none, optional, required");
    }
  };
  table["codecs"] = codecs(result.codecs);
  table["compressors"] = compressors(result.compressors);
  table["compressor"] = text(result.compressor);
  table["compression_threshold"] = number(result.compression_threshold);
  table["max_connections"] = number(result.max_connections);
  table["max_connections_per_peer"] = number(result.max_connections_per_peer);
  table["max_concurrent_calls_per_peer"] = number(result.max_concurrent_calls_per_peer);
  table["max_memory_percent_per_peer"] = number(result.max_memory_percent_per_peer);
  table["max_cancelled_calls_per_second"] = number(result.max_cancelled_calls_per_second);
  table["max_turn_bytes"] = number(result.max_turn_bytes);
  table["max_concurrent_calls_per_connection"] = number(result.max_concurrent_calls_per_connection);
  table["max_concurrent_calls"] = number(result.max_concurrent_calls);
  table["idle_timeout"] = duration(result.idle_timeout);
  table["max_connection_age"] = duration(result.max_connection_age);
  table["max_connection_age_grace"] = duration(result.max_connection_age_grace);
  table["min_ping_interval"] = duration(result.min_ping_interval);
  table["allow_idle_pings"] = flag(result.allow_idle_pings);
  table["max_memory_bytes"] = number(result.max_memory_bytes);
  table["expose_exception_text"] = flag(result.expose_exception_text);
  apply("Server", options, table);
  return result;
}

CallSettings::CallSettings(const py::object& timeout, const py::object& metadata, bool wait_for_ready, bool idempotent,
                           const py::handle& compressor)
    : compressor_(text_of("compressor", compressor)) {
  if (!timeout.is_none()) options.timeout = duration_of("timeout", timeout);
  if (!metadata.is_none()) options.metadata = metadata_of_python(metadata);
  options.wait_for_ready = wait_for_ready;
  options.idempotent = idempotent;
  options.compressor = compressor_;
}

}  // namespace trunkline::python
