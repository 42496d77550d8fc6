#include <cblas.h>
#include <nanobind/stl/string.h>
#include <sodium.h>

#include <exception>
#include <stdexcept>

#include "bind.hpp"
#include "eigenveil/core/version.hpp"

namespace eigenveil::python {
namespace {

void raise_failure(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Failure& failure) {
    const nb::object instance =
        nb::module_::import_("eigenveil._errors")
            .attr("library_error")(
                failure.error.message.c_str(),
                failure.error.code == ErrorCode::InputOutput ? "input-output" : "bad-request");
    PyErr_SetObject(instance.type().ptr(), instance.ptr());
  }
}

}  // namespace

void run_interruptibly(const std::function<void()>& work, const std::function<void()>& tick) {
  const nb::gil_scoped_release released;
  run_watched(work, [&] {
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
    if (tick) {
      tick();
    }
  });
}

}  // namespace eigenveil::python

NB_MODULE(_core, module) {
  namespace python = eigenveil::python;
  if (sodium_init() < 0) {
    throw std::runtime_error("the operating system gives no secure randomness");
  }
  // An estimator that is alive when Python ends, in a thread of its own say, is no mistake.
  nanobind::set_leak_warnings(false);
  module.doc() = "Bindings of the C++ library; the public names are those of the package.";
  module.attr("__version__") = eigenveil::kVersion;
  module.def(
      "blas_kernels", [] { return std::string(openblas_get_corename()); },
      "Which kernels of OpenBLAS run: what a slow wheel would show first.");
  nanobind::register_exception_translator(python::raise_failure);
  python::bind_guarantee(module);
  python::bind_table(module);
  python::bind_rows(module);
  python::bind_shards(module);
  python::bind_engine(module);
  python::bind_histograms(module);
  python::bind_ledger(module);
  python::bind_diagnose(module);
  python::bind_analyse(module);
  python::bind_samplers(module);
  python::bind_audit(module);
}
