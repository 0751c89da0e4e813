// SPDX-License-Identifier: MIT
// PythonImports: the modules of messages that a generated module imports, and how it names what is in them.
#pragma once

#include "codegen/definition.h"
#include "codegen/text_writer.h"

#include <map>
#include <set>
#include <string>

namespace trunkline::codegen {

class PythonImports {
 public:
  /// `relative_files`: those whose modules are imported relative to this one's.
  PythonImports(const FileDefinition& file, const std::set<std::string>& relative_files);

  /// The module of the file that declares the services.
  const std::string& own_module() const { return modules_.at(file_).alias; }

  /// An expression: _hello_pb2.Outer.Inner
  std::string expression_of(const MessageType& type) const;
  /// The same where a type checker has to know it; `_Any` for names that Python's grammar has no place for.
  std::string annotation_of(const MessageType& type) const;

  /// True if some name is beyond the import statement.
  bool needs_importlib() const;
  void write(TextWriter& out) const;
  /// For a stub: only what annotations can name.
  void write_stub(TextWriter& out) const;

 private:
  struct Module {
    std::string folder;  ///< `.`, `..b`, `a.b`; empty for an absolute module without one
    std::string name;    ///< hello_pb2
    std::string alias;   ///< _hello_pb2
    bool is_relative = false;
    bool has_statement = false;  ///< or importlib has to import it
  };
  Module module_of(const std::string& file, bool is_relative) const;
  void write_statement(const Module& module, TextWriter& out) const;
  void write_all(TextWriter& out, bool with_importlib) const;

  const std::string file_;
  std::map<std::string, Module> modules_;
};

}  // namespace trunkline::codegen
