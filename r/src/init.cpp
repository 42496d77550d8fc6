#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include <sodium.h>

#include <cpp11.hpp>

extern "C" {
SEXP ev_release(SEXP job, SEXP table);
SEXP ev_plan(SEXP job);
SEXP ev_catalogue();
SEXP ev_write_release(SEXP pointer, SEXP folder, SEXP format, SEXP replace, SEXP data_set,
                      SEXP date);
SEXP ev_read_release(SEXP path);
SEXP ev_is_alive(SEXP pointer);
SEXP ev_estimate(SEXP pointer, SEXP folder, SEXP question);
SEXP ev_guarantee_number(SEXP guarantee, SEXP what, SEXP at, SEXP conditional);
SEXP ev_compose(SEXP list);
SEXP ev_ledger_create(SEXP path, SEXP terms);
SEXP ev_ledger_show(SEXP path, SEXP view);
SEXP ev_ledger_summary(SEXP path);
SEXP ev_ledger_problems(SEXP path, SEXP releases);
SEXP ev_ledger_backup(SEXP path, SEXP copy);
SEXP ev_to_relation(SEXP guarantee, SEXP relation);
}

namespace {

// R's table of routines wants one type of pointer for all.
template <class Function>
R_CallMethodDef entry(const char* name, Function* function, int arguments) {
  return {name, reinterpret_cast<DL_FUNC>(function), arguments};
}

const R_CallMethodDef kEntries[] = {entry("ev_release", ev_release, 2),
                                    entry("ev_plan", ev_plan, 1),
                                    entry("ev_catalogue", ev_catalogue, 0),
                                    entry("ev_write_release", ev_write_release, 6),
                                    entry("ev_read_release", ev_read_release, 1),
                                    entry("ev_is_alive", ev_is_alive, 1),
                                    entry("ev_estimate", ev_estimate, 3),
                                    entry("ev_guarantee_number", ev_guarantee_number, 4),
                                    entry("ev_compose", ev_compose, 1),
                                    entry("ev_ledger_create", ev_ledger_create, 2),
                                    entry("ev_ledger_show", ev_ledger_show, 2),
                                    entry("ev_ledger_summary", ev_ledger_summary, 1),
                                    entry("ev_ledger_problems", ev_ledger_problems, 2),
                                    entry("ev_ledger_backup", ev_ledger_backup, 2),
                                    entry("ev_to_relation", ev_to_relation, 2),
                                    {nullptr, nullptr, 0}};

}  // namespace

extern "C" attribute_visible void R_init_eigenveil(DllInfo* library) {
  if (sodium_init() < 0) {
    Rf_error("the operating system gives no secure randomness");
  }
  R_registerRoutines(library, nullptr, kEntries, nullptr, nullptr);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
