// SPDX-License-Identifier: MIT
// Reads certificates and their keys from Python.
#include "tls_certificates.h"

#include "option_values.h"

#include <utility>

namespace trunkline::python {

namespace {

TlsCertificate certificate_of(const std::string& what, const py::handle& value) {
  if (!py::isinstance<py::dict>(value)) {
    throw py::type_error(what + " has a " + Py_TYPE(value.ptr())->tp_name + ", not dicts with a certificate each");
  }
  TlsCertificate result;
  for (const auto& [key, part] : py::reinterpret_borrow<py::dict>(value)) {
    const std::string name = text_of(what + ": a key", key);
    const std::string where = what + ": '" + name + "'";
    if (name == "certificate_file") {
      result.certificate_file = path_of(where, part);
    } else if (name == "private_key_file") {
      result.private_key_file = path_of(where, part);
    } else if (name == "certificate_pem") {
      result.certificate_pem = pem_of(where, part);
    } else if (name == "private_key_pem") {
      result.private_key_pem = pem_of(where, part);
    } else {
      throw py::type_error(where +
                           " is unknown, none of certificate_file, private_key_file, certificate_pem, private_key_pem");
    }
  }
  return result;
}

}  // namespace

std::string pem_of(const std::string& what, const py::handle& value) {
  return PyBytes_Check(value.ptr()) != 0 ? value.cast<std::string>() : text_of(what, value);
}

std::vector<TlsCertificate> certificates_of(const std::string& what, const py::handle& values) {
  if (!py::isinstance<py::list>(values) && !py::isinstance<py::tuple>(values)) {
    throw py::type_error(what + " must be a list or tuple of dicts, not one " + Py_TYPE(values.ptr())->tp_name);
  }
  std::vector<TlsCertificate> result;
  for (const py::handle& value : values) result.push_back(certificate_of(what, value));
  return result;
}

}  // namespace trunkline::python
