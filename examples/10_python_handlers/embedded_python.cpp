// SPDX-License-Identifier: MIT
// Calling Python with the C API.
#include <Python.h>

#include "10_python_handlers/embedded_python.h"

#include <memory>
#include <stdexcept>

namespace example {

namespace {

struct Release {
  void operator()(PyObject* object) const { Py_DecRef(object); }
};
using Reference = std::unique_ptr<PyObject, Release>;

class Gil {
 public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  PyGILState_STATE state_;
};

[[noreturn]] void fail(const std::string& what) {
  PyErr_Print();
  throw std::runtime_error(what);
}

trunkline::Result<std::string> call(PyObject* function, const std::string& method, const std::string& request) {
  const Gil held;
  const Reference argument(PyBytes_FromStringAndSize(request.data(), static_cast<Py_ssize_t>(request.size())));
  const Reference result(argument ? PyObject_CallOneArg(function, argument.get()) : nullptr);
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!result || PyBytes_AsStringAndSize(result.get(), &data, &size) != 0) {
    PyErr_Print();
    return trunkline::Status(trunkline::StatusCode::internal, "handler of " + method + " raised an exception");
  }
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

EmbeddedPython::EmbeddedPython(const std::string& folder) {
  Py_InitializeEx(0);  // signals are the program's
  try {
    load(folder);
  } catch (...) {
    handlers_.clear();
    Py_FinalizeEx();
    throw;
  }
  main_thread_ = PyEval_SaveThread();
}

void EmbeddedPython::load(const std::string& folder) {
  const Reference path(PyUnicode_DecodeFSDefault(folder.c_str()));
  if (!path || PyList_Insert(PySys_GetObject("path"), 0, path.get()) != 0) fail("set sys.path");
  const Reference module(PyImport_ImportModule("handlers"));
  if (!module) fail("import handlers from " + folder);
  const Reference found(PyObject_GetAttrString(module.get(), "HANDLERS"));
  if (!found || PyDict_Check(found.get()) == 0) fail("handlers.HANDLERS is no dictionary");
  PyObject* name = nullptr;
  PyObject* function = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(found.get(), &position, &name, &function) != 0) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (text == nullptr) fail("a name in handlers.HANDLERS is no text");
    // The module keeps the function.
    handlers_[text] = [function, method = std::string(text)](const std::string& request) {
      return call(function, method, request);
    };
  }
}

EmbeddedPython::~EmbeddedPython() {
  PyEval_RestoreThread(static_cast<PyThreadState*>(main_thread_));
  Py_FinalizeEx();
}

}  // namespace example
