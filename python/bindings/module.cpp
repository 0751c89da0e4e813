// SPDX-License-Identifier: MIT
// The extension module trunkline._core: names and signatures; _core.pyi describes them.
#include "call_window.h"
#include "client_channel.h"
#include "collision_scan.h"
#include "failure.h"
#include "host_server.h"
#include "log_output.h"
#include "message_bytes.h"
#include "option_values.h"
#include "python_updates.h"

#include "http/conditions.h"
#include "net/fork_safe_sockets.h"

#include <trunkline/compressor.h>
#include <trunkline/target.h>

#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace trunkline::python {

namespace {

/// Returns the name of a method, or throws TypeError for what is no str. pybind11's own error would list all arguments,
/// the request included.
std::string_view method_name(const py::handle& name) { return view_of("the name of the method", name); }

/// Returns the URI of a channel without user and password; empty if it is none.
std::string shown_uri(const std::string& uri) {
  const Result<Target> target = Target::parse(uri);
  return target ? target->text : std::string();
}

/// Returns true if the CollisionScan of a message finds collisions. `form` is the name of a TextForm.
bool has_collisions(const py::handle& message, bool is_json, const std::string& form, bool checks_arrays) {
  const BufferView view(message);
  const TextForm texts = form == "decimal" ? TextForm::decimal : form == "uuid" ? TextForm::uuid : TextForm::text;
  CollisionScan scan({reinterpret_cast<const char*>(view.bytes().data()), view.size()}, texts, checks_arrays);
  const ReleasedGil released;
  return is_json ? scan.finds_in_json() : scan.finds_in_msgpack();
}

/// Returns the status, and with 206 the place and the size of the part.
std::tuple<std::uint32_t, std::size_t, std::size_t> answer_conditions(const std::string& http_method,
                                                                      const pybind11::handle& headers,
                                                                      const std::string& tag,
                                                                      const std::string& modified,
                                                                      std::size_t content_bytes) {
  const http::ConditionalAnswer answer =
      http::answer_conditions(http_method, metadata_of_python(headers), tag, modified, content_bytes);
  return {answer.status, answer.offset, answer.size};
}

std::vector<std::string> built_in_compressors() {
  std::vector<std::string> names;
  for (const auto& compressor : CompressorRegistry::with_defaults().compressors())
    names.emplace_back(compressor->name());
  return names;
}

/// Binds begin_read of a stream. Its `reads`, unless it is None, gets the read as its attribute `untaken`, which it has
/// even if a signal handler raises before Python code can store the result.
template <class Stream>
auto bound_begin_read() {
  return [](Stream& stream, const std::shared_ptr<Inbox>& inbox, const py::handle& tag, const py::handle& reads) {
    std::shared_ptr<StreamOperation> read = stream.begin_read(inbox, tag);
    if (!reads.is_none()) py::setattr(reads, "untaken", py::cast(read));
    return read;
  };
}

void bind_calls(py::module_& module) {
  py::class_<ReceivedBytes>(module, "ReceivedBytes", py::buffer_protocol())
      .def_buffer(&ReceivedBytes::buffer)
      .def("__len__", &ReceivedBytes::size);

  py::class_<CallSettings, std::shared_ptr<CallSettings>>(module, "CallSettings")
      .def(py::init<const py::object&, const py::object&, bool, bool, const py::handle&, const py::handle&>(),
           py::arg("timeout"), py::arg("metadata"), py::arg("wait_for_ready"), py::arg("idempotent"),
           py::arg("compressor"), py::arg("routing_key"));

  py::class_<Inbox, std::shared_ptr<Inbox>>(module, "Inbox")
      .def("fileno", &Inbox::descriptor)
      .def("take", &Inbox::take)
      .def("wait_and_take", &Inbox::wait_and_take, py::arg("timeout"))
      .def("close", &Inbox::close)
      .def("is_closed", &Inbox::is_closed)
      .def_property_readonly("batches", &Inbox::batches)
      .def_property_readonly("completions", &Inbox::completions);

  py::class_<Completion, std::shared_ptr<Completion>>(module, "Completion")
      .def("cancel", &Completion::cancel_now)
      .def("is_done", &Completion::is_done)
      .def("set_tag", &Completion::set_tag, py::arg("tag"))
      .def("wait", [](Completion& completion) { return value_or_raise(completion.wait_and_take()); });
  module.def("cancel_all", &Completion::cancel_all, py::arg("completions"));
  py::class_<ClientCall, Completion, std::shared_ptr<ClientCall>>(module, "ClientCall")
      .def("leading", [](const ClientCall& call) { return metadata_to_python(call.reply().leading); })
      .def("trailing", [](const ClientCall& call) { return metadata_to_python(call.reply().trailing); })
      .def("peer", [](const ClientCall& call) { return call.reply().peer; });
  py::class_<StreamOperation, Completion, std::shared_ptr<StreamOperation>>(module, "StreamOperation");

  using Stream = ClientStreamEnd;
  py::class_<Stream, std::shared_ptr<Stream>>(module, "ClientStream")
      .def("begin_read", bound_begin_read<Stream>(), py::arg("inbox").none(true), py::arg("tag"),
           py::arg("reads") = py::none())
      .def("begin_write", &Stream::begin_write, py::arg("message"), py::arg("last"), py::arg("inbox").none(true),
           py::arg("tag"))
      // No signal handler can run between the begin and the wait, which gives the write up if one raises.
      .def(
          "write",
          [](Stream& stream, const py::handle& message, bool last) {
            return value_or_raise(stream.begin_write(message, last, nullptr, py::none())->wait_and_take());
          },
          py::arg("message"), py::arg("last"))
      .def("begin_close_writes", &Stream::begin_close_writes, py::arg("inbox").none(true), py::arg("tag"))
      .def("begin_finish", &Stream::begin_finish, py::arg("inbox").none(true), py::arg("tag"))
      .def("begin_await_leading", &Stream::begin_await_leading, py::arg("inbox").none(true), py::arg("tag"))
      .def("cancel", &Stream::cancel)
      .def("codec", &Stream::codec)
      .def("leading", &Stream::leading)
      .def("trailing", &Stream::trailing)
      .def("peer", &Stream::peer);
}

void bind_channel(py::module_& module) {
  py::class_<PythonUpdates, std::shared_ptr<PythonUpdates>>(module, "ResolverUpdates")
      .def("update", &PythonUpdates::update, py::arg("servers"), py::arg("service_config"))
      .def("fail", &PythonUpdates::fail, py::arg("code"), py::arg("message"));

  py::enum_<Expects>(module, "Expects")
      .value("response", Expects::response)
      .value("response_or_none", Expects::response_or_none)
      .value("nothing", Expects::nothing);

  py::class_<ClientChannel, std::shared_ptr<ClientChannel>>(module, "Channel")
      .def(py::init([](const py::handle& uri, const py::dict& options) {
             return std::make_shared<ClientChannel>(text_of("Channel: the endpoint", uri), options);
           }),
           py::arg("uri"), py::arg("options"))
      .def("make_inbox", &ClientChannel::make_inbox, py::arg("has_descriptor"))
      .def("start_thread", &ClientChannel::start_thread)
      .def(
          "call",
          [](ClientChannel& channel, const py::handle& method, const py::handle& request, std::string_view codec,
             const CallSettings* settings,
             Expects expects) { return channel.call(method_name(method), request, codec, settings, expects); },
          py::arg("method"), py::arg("request"), py::arg("codec"), py::arg("settings").none(true), py::arg("expects"))
      .def(
          "begin",
          [](ClientChannel& channel, const py::handle& method, const py::handle& request, std::string_view codec,
             const CallSettings* settings, Expects expects, const std::shared_ptr<Inbox>& inbox,
             const py::handle& tag) {
            return channel.begin(channel.method(method_name(method)), request, codec, settings, expects, inbox, tag);
          },
          py::arg("method"), py::arg("request"), py::arg("codec"), py::arg("settings").none(true), py::arg("expects"),
          py::arg("inbox").none(true), py::arg("tag"))
      .def(
          "open_stream",
          [](ClientChannel& channel, const py::handle& method, std::string_view codec, const CallSettings* settings,
             const py::object& only_request) {
            return channel.open_stream(method_name(method), codec, settings, only_request);
          },
          py::arg("method"), py::arg("codec"), py::arg("settings").none(true), py::arg("only_request"))
      .def(
          "make_window",
          [](std::shared_ptr<ClientChannel> channel, const py::handle& method, std::string_view codec,
             std::shared_ptr<CallSettings> settings, std::size_t size, Expects expects) {
            return std::make_unique<CallWindow>(std::move(channel), method_name(method), codec, std::move(settings),
                                                size, expects);
          },
          py::arg("method"), py::arg("codec"), py::arg("settings").none(true), py::arg("size"), py::arg("expects"))
      .def("state", &ClientChannel::state)
      .def("watch_states", &ClientChannel::watch_states, py::arg("into").none(false), py::arg("tag"))
      .def("unwatch_states", &ClientChannel::unwatch_states, py::arg("tag"))
      .def("memory_usage", &ClientChannel::memory_usage)
      .def("servers", &ClientChannel::servers)
      .def("wait_for_ready", &ClientChannel::wait_for_ready, py::arg("timeout"))
      .def("close", &ClientChannel::close, py::arg("timeout"))
      .def("is_closed", &ClientChannel::is_closed);
}

void bind_window(py::module_& module) {
  py::class_<CallWindow>(module, "CallWindow")
      .def("exchange", &CallWindow::exchange, py::arg("requests"), py::arg("wait"))
      .def("cancel", &CallWindow::cancel);
}

void bind_server(py::module_& module) {
  using Call = ServedCall;
  py::class_<Call, std::shared_ptr<Call>>(module, "ServedCall")
      .def("method", &Call::method)
      .def("peer", &Call::peer)
      .def("certificate_subject", &Call::certificate_subject)
      .def("certificate_names", &Call::certificate_names)
      .def("certificate_pem", &Call::certificate_pem)
      .def("user_agent", &Call::user_agent)
      .def("metadata", &Call::metadata)
      .def("codec", &Call::codec)
      .def("time_left", &Call::time_left)
      .def("is_cancelled", &Call::is_cancelled)
      .def("is_draining", &Call::is_draining)
      .def("add_leading_metadata", &Call::add_leading_metadata, py::arg("name"), py::arg("value"))
      .def("add_trailing_metadata", &Call::add_trailing_metadata, py::arg("name"), py::arg("value"))
      .def(
          "set_compressor",
          [](Call& call, const py::handle& name) {
            return call.set_compressor(view_of("the name of the compressor", name));
          },
          py::arg("name"))
      .def("send_leading_metadata", &Call::send_leading_metadata)
      .def("notify_cancelled", &Call::notify_cancelled, py::arg("inbox"), py::arg("tag"))
      .def("disconnect", &Call::disconnect)
      .def("begin_read", bound_begin_read<Call>(), py::arg("inbox").none(true), py::arg("tag"),
           py::arg("reads") = py::none())
      .def("begin_write", &Call::begin_write, py::arg("message"), py::arg("codec"), py::arg("inbox").none(true),
           py::arg("tag"))
      .def("set_response", &Call::set_response, py::arg("message"))
      .def("set_ok", &Call::set_ok)
      .def("defer", &Call::defer)
      .def(
          "set_error",
          [](Call& call, const py::tuple& described) {
            Metadata trailing;
            const Status status = status_of_description(described, call.served_method().name(), trailing);
            return call.set_status(status, trailing);
          },
          py::arg("described"));

  py::enum_<MethodKind>(module, "MethodKind")
      .value("unary", MethodKind::unary)
      .value("client_stream", MethodKind::client_stream)
      .value("server_stream", MethodKind::server_stream)
      .value("bidirectional", MethodKind::bidirectional);

  py::class_<HostServer, std::shared_ptr<HostServer>>(module, "Server")
      .def(py::init<const py::dict&>(), py::arg("options"))
      .def(
          "add",
          [](HostServer& server, const std::string& name, MethodKind kind, const py::object& entry, bool needs_call,
             std::string request_type, std::string response_type, std::string response_codec, bool idempotent,
             const py::handle& max_concurrent_calls, bool is_route, bool no_side_effects, bool is_private,
             bool is_built_in) {
            server.add(name, kind, entry, needs_call,
                       {std::move(request_type), std::move(response_type), std::move(response_codec), idempotent,
                        integer_of<std::size_t>("method " + name + ": max_concurrent_calls", max_concurrent_calls),
                        is_route, no_side_effects, is_private, is_built_in});
          },
          py::arg("name"), py::arg("kind"), py::arg("entry"), py::arg("needs_call"), py::arg("request_type"),
          py::arg("response_type"), py::arg("response_codec"), py::arg("idempotent"), py::arg("max_concurrent_calls"),
          py::arg("is_route") = false, py::arg("no_side_effects") = false, py::arg("is_private") = false,
          py::arg("is_built_in") = false)
      .def("remove", &HostServer::remove, py::arg("name"))
      .def(
          "listen",
          [](HostServer& server, const py::handle& uri, bool is_private) {
            return server.listen(text_of("serve: the endpoint", uri), is_private);
          },
          py::arg("uri"), py::arg("is_private") = false)
      .def(
          "announce",
          [](HostServer& server, const py::handle& uri, const py::dict& options) {
            server.announce(text_of("announce: the URI", uri), options);
          },
          py::arg("uri"), py::arg("options"))
      .def("start", &HostServer::start)
      .def("make_inbox", &HostServer::make_inbox, py::arg("has_descriptor"))
      .def("start_for_event_loop", &HostServer::start_for_event_loop, py::arg("is_closed"))
      .def("open_lanes", &HostServer::open_lanes, py::arg("threads"), py::arg("max_stream_threads"))
      .def("work", &HostServer::work, py::arg("is_reserve"))
      .def("keep", &HostServer::keep)
      .def("report_refused", &HostServer::report_refused, py::arg("is_reserve"))
      .def("take_calls", &HostServer::take_calls)
      .def("finish", &HostServer::finish, py::arg("call"))
      .def("flush", &HostServer::flush)
      .def("shutdown", &HostServer::shutdown, py::arg("timeout"))
      .def("begin_shutdown", &HostServer::begin_shutdown, py::arg("timeout"), py::arg("into").none(false),
           py::arg("tag"))
      .def("stop", &HostServer::stop)
      .def("destroy", &HostServer::destroy)
      .def("running", &HostServer::running)
      .def("totals", &HostServer::totals)
      .def("collect_statistics", &HostServer::collect_statistics)
      .def("statistics", &HostServer::statistics);
}

}  // namespace

}  // namespace trunkline::python

PYBIND11_MODULE(_core, module) {
  using namespace trunkline::python;
  watch_forks();
  watch_forks_of_references();
  watch_forks_of_codec_names();
  trunkline::net::ForkSafeSockets::close_in_children();
  forget_exit();
  module.def("begin_exit", &begin_exit);
  module.def("keep_through_exit", &keep_through_exit);
  module.def("is_left_behind", &is_left_behind);
  module.def("end_if_left_behind", &end_if_left_behind);
  module.doc() = "The C++ core of trunkline.";
  module.def("set_failure_functions", &set_failure_functions, pybind11::arg("make_error"),
             pybind11::arg("describe_error"));
  module.def("set_log_function", &set_log_function, pybind11::arg("log"));
  module.def("built_in_compressors", &built_in_compressors);
  module.def("shown_uri", &shown_uri, pybind11::arg("uri"));
  module.def("has_collisions", &has_collisions, pybind11::arg("message"), pybind11::arg("is_json"),
             pybind11::arg("form"), pybind11::arg("checks_arrays"));
  module.attr("MAX_COLLISIONS") = CollisionScan::max_collisions;
  module.def("answer_conditions", &answer_conditions, pybind11::arg("http_method"), pybind11::arg("headers"),
             pybind11::arg("tag"), pybind11::arg("modified"), pybind11::arg("content_bytes"));
  bind_calls(module);
  bind_window(module);  // before the channel, whose signatures name it
  bind_channel(module);
  bind_server(module);
}
