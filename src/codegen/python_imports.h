// SPDX-License-Identifier: MIT
// PythonImports: the modules of messages that a generated module imports, and the names under which it uses them.
#pragma once

#include "codegen/definition.h"
#include "codegen/text_writer.h"

#include <map>
#include <set>
#include <string>

namespace trunkline::codegen {

class PythonImports {
 public:
  /// `relative_files` are the files whose modules are imported relatively.
  PythonImports(const FileDefinition& file, const std::set<std::string>& relative_files);

  /// Returns the module of the file that declares the services.
  const std::string& own_module() const { return modules_.at(file_).alias; }

  /// Returns an expression such as _hello_pb2.Outer.Inner.
  std::string expression_of(const MessageLocation& type) const;
  /// Returns the expression for a type checker; `_Any` for names that Python's grammar does not allow.
  std::string annotation_of(const MessageLocation& type) const;

  /// Returns true if a name cannot be written in an import statement.
  bool needs_importlib() const;
  void write(TextWriter& out) const;
  /// Writes only the modules that annotations can name, for a stub.
  void write_stub(TextWriter& out) const;

 private:
  struct Module {
    /// The folder: `.`, `..b`, `a.b`; empty for an absolute module without a folder.
    std::string folder;
    /// The name of the module, e.g. hello_pb2.
    std::string name;
    /// The alias of the module, e.g. _hello_pb2.
    std::string alias;
    bool is_relative = false;
    /// True if importlib has to import it.
    bool has_statement = false;
  };
  Module module_of(const std::string& file, bool is_relative) const;
  void write_statement(const Module& module, TextWriter& out) const;
  void write_all(TextWriter& out, bool with_importlib) const;

  const std::string file_;
  std::map<std::string, Module> modules_;
};

}  // namespace trunkline::codegen
