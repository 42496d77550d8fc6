#include <filesystem>

#include "binding.hpp"

using namespace eigenveil;

namespace {

std::filesystem::path path_of(SEXP text) {
  return Rf_translateCharUTF8(STRING_ELT(text, 0));
}

std::string shown(SEXP path, const std::string& view) {
  const std::filesystem::path where = path_of(path);
  return r::interruptibly([&] { return r::unwrap(show_ledger(where, view)); });
}

}  // namespace

extern "C" SEXP ev_ledger_create(SEXP path, SEXP terms) {
  EIGENVEIL_EDGE([&] {
    r::unwrap(create_ledger(path_of(path), r::to_json(terms).dump()));
    return R_NilValue;
  });
}

extern "C" SEXP ev_ledger_show(SEXP path, SEXP view) {
  EIGENVEIL_EDGE([&] { return cpp11::as_sexp(shown(path, CHAR(STRING_ELT(view, 0)))); });
}

extern "C" SEXP ev_ledger_summary(SEXP path) {
  EIGENVEIL_EDGE([&] { return r::from_json(r::Json::parse(shown(path, "json"))); });
}

extern "C" SEXP ev_ledger_problems(SEXP path, SEXP releases) {
  EIGENVEIL_EDGE([&] {
    std::vector<std::string> folders;
    for (R_xlen_t i = 0; i < Rf_xlength(releases); ++i) {
      folders.emplace_back(Rf_translateCharUTF8(STRING_ELT(releases, i)));
    }
    const std::filesystem::path where = path_of(path);
    return r::strings(r::interruptibly([&] { return r::unwrap(ledger_problems(where, folders)); }));
  });
}

extern "C" SEXP ev_ledger_backup(SEXP path, SEXP copy) {
  EIGENVEIL_EDGE([&] {
    r::unwrap(back_up_ledger(path_of(path), path_of(copy)));
    return R_NilValue;
  });
}
