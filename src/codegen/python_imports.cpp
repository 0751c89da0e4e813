// SPDX-License-Identifier: MIT
// Imports of message modules. Relative imports work wherever the package is located, unlike those of protoc.
#include "codegen/python_imports.h"

#include "codegen/identifier.h"
#include "codegen/python_names.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace trunkline::codegen {

namespace {

std::string joined(const std::vector<std::string>& parts, std::size_t from, char separator) {
  std::string text;
  for (std::size_t i = from; i < parts.size(); ++i) {
    if (i > from) text += separator;
    text += parts[i];
  }
  return text;
}

// Returns the folder of `target` relative to `from`, both as lists of names: `.b` from a to a.b, `..b` from a.c to a.b.
std::string relative_folder(const std::vector<std::string>& from, const std::vector<std::string>& target) {
  const auto [end, target_end] = std::mismatch(from.begin(), from.end(), target.begin(), target.end());
  const auto shared = static_cast<std::size_t>(end - from.begin());
  return std::string(1 + from.size() - shared, '.') + joined(target, shared, '.');
}

std::vector<std::string> folder_of(const std::string& file) {
  std::vector<std::string> parts = split(python_module_of(file, "_pb2"), '.');
  parts.pop_back();
  return parts;
}

// Returns a name with exactly one leading underscore: Python mangles two in the body of a class.
std::string alias_of(std::string_view name) {
  std::string alias = as_identifier(name);
  return alias.replace(0, std::min(alias.find_first_not_of('_'), alias.size()), 1, '_');
}

bool always_free(std::string_view) { return false; }

// Returns true for modules of the protobuf runtime, which are imported from there.
bool is_of_protobuf(const std::string& file) { return file.rfind("google/protobuf/", 0) == 0; }

}  // namespace

PythonImports::PythonImports(const FileDefinition& file, const std::set<std::string>& relative_files)
    : file_(file.name) {
  std::set<std::string> files;
  for (const ServiceDefinition& service : file.services) {
    for (const MethodDefinition& method : service.methods) {
      files.insert(method.request->file);
      files.insert(method.response->file);
    }
  }
  files.erase(file_);
  NameScope aliases(always_free);
  const auto add = [&](const std::string& name) {
    Module module = module_of(name, relative_files.count(name) > 0 && !is_of_protobuf(name));
    module.alias = alias_of(module.name);
    if (!aliases.is_free(module.alias)) {
      module.alias = alias_of(python_module_of(name, "_pb2"));
    }
    module.alias = aliases.take(module.alias);
    modules_.emplace(name, std::move(module));
  };
  add(file_);
  for (const std::string& name : files) add(name);
}

PythonImports::Module PythonImports::module_of(const std::string& file, bool is_relative) const {
  Module module;
  const std::vector<std::string> folder = folder_of(file);
  module.name = split(python_module_of(file, "_pb2"), '.').back();
  module.is_relative = is_relative;
  module.folder = is_relative ? relative_folder(folder_of(file_), folder) : joined(folder, 0, '.');
  module.has_statement = is_plain_attribute(replaced(module.name, '_', 'x'));
  for (const std::string& part : split(module.folder, '.')) {
    module.has_statement = module.has_statement && (part.empty() || is_plain_attribute(part));
  }
  return module;
}

std::string PythonImports::expression_of(const MessageLocation& type) const {
  std::string expression = modules_.at(type.file).alias;
  for (const std::string& part : type.path) {
    if (is_plain_attribute(part)) {
      expression.append(".").append(part);
    } else {
      expression.insert(0, "getattr(").append(", \"").append(part).append("\")");
    }
  }
  return expression;
}

std::string PythonImports::annotation_of(const MessageLocation& type) const {
  const bool is_plain =
      modules_.at(type.file).has_statement && std::all_of(type.path.begin(), type.path.end(), is_plain_attribute);
  return is_plain ? expression_of(type) : "_Any";
}

bool PythonImports::needs_importlib() const {
  return std::any_of(modules_.begin(), modules_.end(), [](const auto& entry) { return !entry.second.has_statement; });
}

void PythonImports::write_statement(const Module& module, TextWriter& out) const {
  if (module.has_statement && module.folder.empty()) {
    out.line("import ", module.name, " as ", module.alias);
  } else if (module.has_statement) {
    out.line("from ", module.folder, " import ", module.name, " as ", module.alias);
  } else {
    const bool has_dot = module.folder.empty() || module.folder.back() == '.';
    out.line(module.alias, " = importlib.import_module(\"", module.folder, has_dot ? "" : ".", module.name, "\"",
             module.is_relative ? ", __package__)" : ")");
  }
}

void PythonImports::write(TextWriter& out) const { write_all(out, true); }

void PythonImports::write_stub(TextWriter& out) const { write_all(out, false); }

void PythonImports::write_all(TextWriter& out, bool with_importlib) const {
  for (const auto& [file, module] : modules_) {
    if (with_importlib || module.has_statement) write_statement(module, out);
  }
}

}  // namespace trunkline::codegen
