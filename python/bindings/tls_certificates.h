// SPDX-License-Identifier: MIT
// Reads certificates and their keys from Python.
#pragma once

#include <pybind11/pybind11.h>

#include <trunkline/tls.h>

#include <string>
#include <vector>

namespace trunkline::python {

namespace py = pybind11;

/// Reads a str or bytes in PEM. Throws TypeError, with `what` as the name of the value. Requires the GIL.
std::string pem_of(const std::string& what, const py::handle& value);

/// Reads a list or tuple of dictionaries with the members of TlsCertificate as keys. Throws TypeError for another type
/// or an unknown key, with `what` as the name of the option. Requires the GIL.
std::vector<TlsCertificate> certificates_of(const std::string& what, const py::handle& values);

}  // namespace trunkline::python
