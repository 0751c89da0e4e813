// SPDX-License-Identifier: MIT
// Reads the options of channels and servers by name.
#include "settings.h"

#include "option_values.h"
#include "payload.h"
#include "python_compressor.h"
#include "python_resolver.h"
#include "tls_certificates.h"
#include "tls_renewal.h"

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::python {

namespace {

/// Sets one option. `what` names the option in the texts of errors.
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
  return [&target](const std::string& what, const py::handle& value) { target = pem_of(what, value); };
}

Setter flag(bool& target) {
  return [&target](const std::string& what, const py::handle& value) { target = flag_of(what, value); };
}

/// Reads an iterable of str.
Setter texts(std::vector<std::string>& target) {
  return [&target](const std::string& what, const py::handle& values) {
    if (py::isinstance<py::str>(values)) throw py::type_error(what + " must be a sequence of str, not one str");
    std::vector<std::string> read;
    for (const py::handle& value : values) read.push_back(text_of(what, value));
    target = std::move(read);
  };
}

/// Reads a list or tuple of dictionaries.
Setter certificates(std::vector<TlsCertificate>& target) {
  return [&target](const std::string& what, const py::handle& values) { target = certificates_of(what, values); };
}

/// Reads the names of the application's codecs.
Setter codecs(CodecRegistry& target) {
  return [&target](const std::string& what, const py::handle& names) {
    for (const py::handle& name : names) target.add(pass_through_codec(text_of(what, name)));
  };
}

/// Reads tuples of a name and the four functions.
Setter compressors(CompressorRegistry& target) {
  return [&target](const std::string& what, const py::handle& tuples) {
    for (const py::handle& item : tuples) {
      const auto parts = py::reinterpret_borrow<py::sequence>(item);
      const PythonCompressor::Functions functions{
          .compress = parts[1], .decompress = parts[2], .compress_unsized = parts[3], .decompress_unsized = parts[4]};
      target.add(std::make_shared<PythonCompressor>(text_of(what, parts[0]), functions));
    }
  };
}

/// Reads tuples of a scheme and the function that makes its resolvers.
Setter resolvers(ResolverRegistry& target) {
  return [&target](const std::string& what, const py::handle& tuples) {
    for (const py::handle& item : tuples) {
      const auto parts = py::reinterpret_borrow<py::sequence>(item);
      target.add(text_of(what, parts[0]), PythonResolver::factory(parts[1]));
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

namespace {

void add_balancing(Table& table, BalancingOptions& balancing) {
  table["balancing"] = [&balancing](const std::string& what, const py::handle& value) {
    const std::string name = text_of(what, value);
    const std::optional<BalancingPolicy> policy = balancing_policy(name);
    if (!policy) throw py::value_error(what + " is '" + name + "', none of " + balancing_policies());
    balancing.policy = *policy;
  };
  table["zone"] = text(balancing.zone);
  table["max_servers"] = number(balancing.max_servers);
  table["slow_start"] = duration(balancing.slow_start);
  table["hash_load_factor"] = number(balancing.hash_load_factor);
  table["health_check"] = flag(balancing.health_check);
  table["health_service"] = text(balancing.health_service);
}

void add_outliers(Table& table, OutlierOptions& outliers) {
  table["outliers"] = flag(outliers.enabled);
  table["outlier_consecutive_failures"] = number(outliers.consecutive_failures);
  table["outlier_interval"] = duration(outliers.interval);
  table["outlier_min_calls"] = number(outliers.min_calls);
  table["outlier_failure_rate"] = number(outliers.failure_rate);
  table["outlier_latency_factor"] = number(outliers.latency_factor);
  table["outlier_min_latency"] = duration(outliers.min_latency);
  table["outlier_ejection_time"] = duration(outliers.ejection_time);
  table["outlier_max_ejection_time"] = duration(outliers.max_ejection_time);
  table["outlier_max_ejected"] = number(outliers.max_ejected);
  table["outlier_panic_threshold"] = number(outliers.panic_threshold);
}

void add_circuit_breaker(Table& table, BreakerOptions& breaker) {
  table["circuit_breaker"] = flag(breaker.enabled);
  table["breaker_consecutive_failures"] = number(breaker.consecutive_failures);
  table["breaker_failure_rate"] = number(breaker.failure_rate);
  table["breaker_window"] = duration(breaker.window);
  table["breaker_min_calls"] = number(breaker.min_calls);
  table["breaker_open_time"] = duration(breaker.open_time);
  table["breaker_probes"] = number(breaker.probes);
}

/// Reads a sequence of status codes, which are numbers.
Setter codes(StatusCodeSet& target) {
  return [&target](const std::string& what, const py::handle& values) {
    StatusCodeSet read;
    for (const py::handle& value : values) {
      const auto code = integer_of<std::uint32_t>(what, value);
      if (code == 0 || !is_valid_status_code(code)) {
        throw py::value_error(what + " has " + std::to_string(code) + ", which is not the code of an error");
      }
      read.add(static_cast<StatusCode>(code));
    }
    target = read;
  };
}

/// Reads a mapping of the options of hedging.
Setter hedging(std::optional<HedgingOptions>& target) {
  return [&target](const std::string& what, const py::handle& value) {
    if (!py::isinstance<py::dict>(value)) throw py::type_error(what + " must be a dict");
    HedgingOptions& options = target.emplace();
    Table table;
    table["max_attempts"] = number(options.max_attempts);
    table["delay"] = duration(options.delay);
    table["percentile"] = number(options.percentile);
    table["max_extra"] = number(options.max_extra);
    table["non_fatal_codes"] = codes(options.non_fatal_codes);
    apply(what.c_str(), py::reinterpret_borrow<py::dict>(value), table);
  };
}

Setter http_version(HttpVersion& target) {
  return [&target](const std::string& what, const py::handle& value) {
    const std::string name = text_of(what, value);
    if (name == "auto") {
      target = HttpVersion::automatic;
    } else if (name == "1.1") {
      target = HttpVersion::http1;
    } else if (name == "2") {
      target = HttpVersion::http2;
    } else {
      throw py::value_error(what + " is '" + name + "', none of auto, 1.1, 2");
    }
  };
}

}  // namespace

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
  table["user_agent"] = text(result.user_agent);
  table["http_get"] = flag(result.http_get);
  table["grpc_web_text"] = flag(result.grpc_web_text);
  table["http_version"] = http_version(result.http_version);
  table["max_http1_connections"] = number(result.max_http1_connections);
  table["compression_threshold"] = number(result.compression_threshold);
  table["default_timeout"] = duration(default_timeout);
  table["connect_timeout"] = duration(result.connect_timeout);
  table["backoff_initial"] = duration(result.backoff.initial);
  table["backoff_maximum"] = duration(result.backoff.maximum);
  table["backoff_multiplier"] = number(result.backoff.multiplier);
  table["backoff_jitter"] = number(result.backoff.jitter);
  table["max_connections"] = number(result.max_connections);
  add_balancing(table, result.balancing);
  table["resolvers"] = resolvers(result.resolvers);
  add_outliers(table, result.balancing.outliers);
  add_circuit_breaker(table, result.circuit_breaker);
  table["idle_timeout"] = duration(result.idle_timeout);
  table["max_memory_bytes"] = number(result.max_memory_bytes);
  table["max_pending_calls"] = number(result.max_pending_calls);
  table["ordered"] = flag(result.ordered);
  table["max_retries"] = number(result.max_retries);
  table["max_retained_request_bytes"] = number(result.max_retained_request_bytes);
  table["early_calls"] = flag(result.early_calls);
  table["service_config"] = text(result.service_config);
  table["hedging"] = hedging(result.hedging);
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
  table["additional_certificates"] = certificates(result.tls.additional_certificates);
  py::object renew_tls;
  table["renew_tls"] = [&renew_tls](const std::string& what, const py::handle& function) {
    if (PyCallable_Check(function.ptr()) == 0) throw py::type_error(what + " is not callable");
    renew_tls = py::reinterpret_borrow<py::object>(function);
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
  table["trusted_proxies"] = texts(result.trusted_proxies);
  table["allowed_hosts"] = texts(result.allowed_hosts);
  table["allowed_origins"] = texts(result.allowed_origins);
  table["cors_origins"] = texts(result.cors_origins);
  table["adaptive_limit"] = flag(result.overload.adaptive_limit);
  table["min_adaptive_limit"] = number(result.overload.min_adaptive_limit);
  table["max_adaptive_limit"] = number(result.overload.max_adaptive_limit);
  table["queue_target"] = duration(result.overload.queue_target);
  table["queue_interval"] = duration(result.overload.queue_interval);
  table["priority_metadata"] = text(result.overload.priority_metadata);
  table["priorities"] = texts(result.overload.priorities);
  table["default_priority"] = text(result.overload.default_priority);
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
  if (renew_tls) {
    result.tls.renew = [renewal = std::make_shared<const TlsRenewal>(renew_tls, result.tls)] {
      return renewal->next();
    };
  }
  return result;
}

AnnounceOptions announce_options_of(const py::dict& options) {
  AnnounceOptions result;
  Table table;
  table["advertise"] = texts(result.advertise);
  table["weight"] = number(result.weight);
  table["zone"] = text(result.zone);
  table["priority"] = number(result.priority);
  table["host_name"] = text(result.host_name);
  table["time_to_live"] = duration(result.time_to_live);
  table["drain_delay"] = duration(result.drain_delay);
  apply("announce", options, table);
  return result;
}

CallSettings::CallSettings(const py::object& timeout, const py::object& metadata, bool wait_for_ready, bool idempotent,
                           const py::handle& compressor, const py::handle& routing_key)
    : compressor_(text_of("compressor", compressor)), routing_key_(text_of("routing_key", routing_key)) {
  if (!timeout.is_none()) options.timeout = duration_of("timeout", timeout);
  if (!metadata.is_none()) options.metadata = metadata_of_python(metadata);
  options.wait_for_ready = wait_for_ready;
  options.idempotent = idempotent;
  options.compressor = compressor_;
  options.routing_key = routing_key_;
}

}  // namespace trunkline::python
