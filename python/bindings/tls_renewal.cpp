// SPDX-License-Identifier: MIT
// TlsRenewal: calls the function, and reads its result as options.
#include "tls_renewal.h"

#include "completion.h"
#include "tls_certificates.h"

#include <exception>
#include <string>

namespace trunkline::python {

std::shared_ptr<const TlsOptions> TlsRenewal::next() const {
  const py::gil_scoped_acquire held;
  // This thread may be handling an exception.
  const py::error_scope pending;
  try {
    const py::object renewed = function_.share()();
    if (renewed.is_none()) return nullptr;
    const auto parts = renewed.cast<py::tuple>();
    auto options = std::make_shared<TlsOptions>();
    options->client_certificate = client_certificate_;
    options->additional_certificates = additional_certificates_;
    options->private_key_pem = parts[0].cast<std::string>();
    options->certificate_pem = parts[1].cast<std::string>();
    if (!parts[2].is_none()) options->ca_pem = parts[2].cast<std::string>();
    if (parts.size() > 3) {
      options->additional_certificates = certificates_of("renew_tls: the fourth part of the tuple", parts[3]);
    }
    return options;
  } catch (py::error_already_set& error) {
    if (!defer_interrupt(error)) error.discard_as_unraisable("renewal of trunkline's certificates");
  } catch (const py::cast_error&) {
    PyErr_SetString(
        PyExc_TypeError,
        "renew_tls: the function returned no tuple of three PEM texts and maybe further certificates, nor None");
    PyErr_WriteUnraisable(function_.get());
  } catch (const py::builtin_exception& error) {
    // A further certificate is not as it must be.
    error.set_error();
    PyErr_WriteUnraisable(function_.get());
  } catch (const std::exception&) {
    // There is no memory for the certificates.
  }
  return nullptr;
}

}  // namespace trunkline::python
