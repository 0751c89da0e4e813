// SPDX-License-Identifier: MIT
// Generates one service in C++. Foreign names are qualified from the global namespace, because a package may contain
// any name.
#include "codegen/cpp_service.h"

#include "codegen/cpp_names.h"

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

namespace {

void write_comment(const Comment& comment, TextWriter& out) {
  for (const std::string& line : comment) {
    if (line.empty()) {
      out.line("///");
    } else {
      out.line("/// ", cpp_comment_line(line));
    }
  }
}

/// Writes the literals after `before`: on its line if there is one literal, otherwise on lines of their own below it.
void write_literals(std::string_view before, const Comment& comment, std::string_view after, TextWriter& out) {
  std::vector<std::string> literals = cpp_literals(comment);
  literals.back() += after;
  if (literals.size() == 1) return out.line(before, literals.front());
  out.line(before.substr(0, before.find_last_not_of(' ') + 1));
  out.indent();
  out.indent();
  for (const std::string& literal : literals) out.line(literal);
  out.outdent();
  out.outdent();
}

class CppServiceWriter {
 public:
  CppServiceWriter(const ServiceDefinition& service, ProtocRelease release, TextWriter& out)
      : service_(service), names_(cpp_method_names(service)), release_(release), out_(out) {}

  void write(std::string_view name) {
    write_comment(service_.comment, out_);
    out_.line("class ", service_.is_deprecated ? "[[deprecated]] " : "", name, " {");
    out_.line(" public:");
    out_.indent();
    out_.line(name, "() = delete;");
    out_.line();
    out_.line("static constexpr ::std::string_view full_name = \"", service_.full_name, "\";");
    out_.line();
    write_descriptions();
    out_.line();
    write_base();
    out_.line();
    write_partial_base();
    out_.line();
    write_client();
    out_.outdent();
    out_.line("};");
  }

 private:
  void write_descriptions() {
    out_.line("/// The description of each method; see trunkline::MethodDescription.");
    out_.line("struct Methods {");
    out_.indent();
    for (std::size_t i = 0; i < service_.methods.size(); ++i) {
      const MethodDefinition& method = service_.methods[i];
      if (i > 0) out_.line();
      out_.line("struct ", names_.descriptions[i], " {");
      out_.indent();
      out_.line("using Request = ", cpp_class_of(*method.request, release_), ";");
      out_.line("using Response = ", cpp_class_of(*method.response, release_), ";");
      out_.line("static constexpr ::std::string_view name = \"", method.path, "\";");
      out_.line("static constexpr ::trunkline::MethodKind kind = ::trunkline::MethodKind::", name_of(method.kind), ";");
      out_.line("static constexpr bool is_idempotent = ", method.is_idempotent ? "true" : "false", ";");
      if (method.has_no_side_effects) out_.line("static constexpr bool has_no_side_effects = true;");
      if (!method.comment.empty()) {
        write_literals("static constexpr ::std::string_view description = ", method.comment, ";", out_);
      }
      out_.outdent();
      out_.line("};");
    }
    out_.outdent();
    out_.line("};");
  }

  void write_base() {
    out_.line(
        "/// The base of a class that serves all methods, each with a member function in a form that Server::handle() "
        "and");
    out_.line(
        "/// the like accept. Pass an object of that class, not of this base, to trunkline::Server::add_service().");
    for (std::size_t i = 0; i < service_.methods.size(); ++i) {
      out_.line("///   ", names_.functions[i], parameters(service_.methods[i].kind));
    }
    out_.line("class Service {");
    out_.line(" public:");
    out_.indent();
    out_.line("template <class Implementation>");
    const bool is_empty = service_.methods.empty();
    out_.line("static ::trunkline::ServiceDefinition define(const ::std::shared_ptr<Implementation>&",
              is_empty ? "" : " service", ") {");
    out_.indent();
    // Through a pointer to a base, the functions of the derived class would not be visible, and none would be served.
    for (const char* base : {"Service", "PartialService"}) {
      out_.line("static_assert(!::std::is_same_v<Implementation, ", base, ">,");
      out_.line("              \"pass the object as its own class, not as this base\");");
    }
    out_.line("::trunkline::ServiceDefinition definition;");
    if (!service_.comment.empty()) write_literals("definition.describe(", service_.comment, ");", out_);
    for (std::size_t i = 0; i < service_.methods.size(); ++i) {
      out_.line("definition.add<Methods::", names_.descriptions[i], ">(service, &Implementation::", names_.functions[i],
                ");");
    }
    out_.line("return definition;");
    out_.outdent();
    out_.line("}");
    out_.outdent();
    out_.line("};");
  }

  static const char* parameters(MethodKind kind) {
    switch (kind) {
      case MethodKind::unary:
        return "(const Request&, Response&, ServerContext&)";
      case MethodKind::client_stream:
        return "(ServerReader<Request>&, Response&, ServerContext&)";
      case MethodKind::server_stream:
        return "(const Request&, ServerWriter<Response>&, ServerContext&)";
      case MethodKind::bidirectional:
        break;
    }
    return "(ServerStream<Request, Response>&, ServerContext&)";
  }

  void write_partial_base() {
    out_.line("/// The base of a class that serves some methods; calls of the other methods end with unimplemented.");
    out_.line("class PartialService : public Service {");
    if (!service_.methods.empty()) out_.line(" public:");
    out_.indent();
    for (std::size_t i = 0; i < service_.methods.size(); ++i) write_unimplemented(i);
    out_.outdent();
    out_.line("};");
  }

  void write_unimplemented(std::size_t index) {
    const MethodDefinition& method = service_.methods[index];
    const bool is_unary = method.kind == MethodKind::unary;
    const std::string described = "Methods::" + names_.descriptions[index];
    const std::string request = described + "::Request";
    const std::string response = described + "::Response";
    std::string arguments;
    if (method.kind == MethodKind::bidirectional) {
      arguments = "::trunkline::ServerStream<" + request + ", " + response + ">&, ";
    } else {
      arguments = has_single_request(method.kind) ? "const " + request + "&, "
                                                  : "::trunkline::ServerReader<" + request + ">&, ";
      arguments += method.kind == MethodKind::server_stream ? "::trunkline::ServerWriter<" + response + ">&, "
                                                            : response + "&, ";
    }
    out_.line(is_unary ? "::trunkline::Status " : "::asio::awaitable<::trunkline::Status> ", names_.functions[index],
              "(", arguments, "::trunkline::ServerContext&) {");
    out_.indent();
    out_.line(is_unary ? "return" : "co_return", " ::trunkline::Status(::trunkline::StatusCode::unimplemented, \"call ",
              method.path, ": not implemented\");");
    out_.outdent();
    out_.line("}");
  }

  void write_client() {
    out_.line("/// Calls the methods; copyable. The channel must outlive it.");
    out_.line("class Client {");
    out_.line(" public:");
    out_.indent();
    if (service_.methods.empty()) {
      out_.line("explicit Client(::trunkline::Channel&) {}");
    } else {
      write_client_constructor();
    }
    for (std::size_t i = 0; i < service_.methods.size(); ++i) {
      const MethodDefinition& method = service_.methods[i];
      const std::string described = "Methods::" + names_.descriptions[i];
      out_.line();
      write_comment(method.comment, out_);
      out_.line(method.is_deprecated ? "[[deprecated]] " : "", "::trunkline::", client_class_of(method.kind), "<",
                described, "::Request, ", described, "::Response> ", names_.functions[i], ";");
    }
    out_.outdent();
    out_.line("};");
  }

  void write_client_constructor() {
    out_.line("explicit Client(::trunkline::Channel& ", names_.channel, ")");
    out_.indent();
    out_.indent();
    for (std::size_t i = 0; i < service_.methods.size(); ++i) {
      const std::string described = "Methods::" + names_.descriptions[i];
      out_.line(i == 0 ? ": " : "  ", names_.functions[i], "(", names_.channel, ", ", described, "::name, ", described,
                "::is_idempotent)", i + 1 == service_.methods.size() ? " {}" : ",");
    }
    out_.outdent();
    out_.outdent();
  }

  const ServiceDefinition& service_;
  const CppMethodNames names_;
  const ProtocRelease release_;
  TextWriter& out_;
};

}  // namespace

void write_cpp_service(const ServiceDefinition& service, std::string_view name, ProtocRelease release,
                       TextWriter& out) {
  CppServiceWriter(service, release, out).write(name);
}

}  // namespace trunkline::codegen
