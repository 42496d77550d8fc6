#include <filesystem>

#include "binding.hpp"

using namespace eigenveil;

namespace {

using DocumentPointer = cpp11::external_pointer<ReleaseDocument>;

/// A document as R data, and as itself for write_release: the pointer does not outlive the session.
SEXP outcome_in_r(TableOutcome outcome) {
  std::vector<std::string> files;
  for (const std::filesystem::path& file : outcome.files) {
    files.push_back(file.string());
  }
  const cpp11::sexp document = r::document_in_r(outcome.document);
  return r::named_list({{"document", document},
                        {"warnings", r::strings(outcome.warnings)},
                        {"files", r::strings(files)},
                        {"charged", cpp11::as_sexp(outcome.charged)},
                        {"again", cpp11::as_sexp(outcome.again)},
                        {"pointer", static_cast<SEXP>(DocumentPointer(
                                        new ReleaseDocument(std::move(outcome.document))))}});
}

std::string text_of(SEXP text) {
  return Rf_translateCharUTF8(STRING_ELT(text, 0));
}

TableFormat format_of(SEXP word) {
  return text_of(word) == "npy" ? TableFormat::Npy : TableFormat::Csv;
}

}  // namespace

extern "C" SEXP ev_release(SEXP job, SEXP table) {
  EIGENVEIL_EDGE([&] {
    const std::string text = r::to_json(job).dump();
    ColumnTable memory;
    if (!Rf_isNull(table)) {
      memory = r::columns_of(table);
    }
    const ColumnTable* rows = Rf_isNull(table) ? nullptr : &memory;
    return outcome_in_r(r::interruptibly([&] { return r::unwrap(release_table(text, rows)); }));
  });
}

extern "C" SEXP ev_plan(SEXP job) {
  EIGENVEIL_EDGE([&] {
    const std::string text = r::to_json(job).dump();
    return r::from_json(
        r::Json::parse(r::interruptibly([&] { return r::unwrap(plan_table(text)); })));
  });
}

extern "C" SEXP ev_catalogue() {
  EIGENVEIL_EDGE([&] { return r::from_json(r::Json::parse(engine_catalogue())); });
}

extern "C" SEXP ev_write_release(SEXP pointer, SEXP folder, SEXP format, SEXP replace,
                                 SEXP data_set, SEXP date) {
  EIGENVEIL_EDGE([&] {
    ReleaseDocument document = *DocumentPointer(pointer);
    document.data_set = text_of(data_set);
    document.date = text_of(date);
    const Existing existing = Rf_asLogical(replace) == TRUE ? Existing::Replace : Existing::Refuse;
    const std::filesystem::path where = text_of(folder);
    return r::strings(r::interruptibly(
        [&] { return r::unwrap(write_release(document, format_of(format), where, existing)); }));
  });
}

extern "C" SEXP ev_read_release(SEXP path) {
  EIGENVEIL_EDGE([&] {
    const std::filesystem::path where = text_of(path);
    ReadRelease read = r::interruptibly([&] { return r::unwrap(read_release(where)); });
    TableOutcome outcome;
    for (const StreamedArray& array : read.document.streamed) {
      outcome.files.push_back(read.folder / array.name);
    }
    outcome.document = std::move(read.document);
    return outcome_in_r(std::move(outcome));
  });
}

extern "C" SEXP ev_is_alive(SEXP pointer) {
  return Rf_ScalarLogical(TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrAddr(pointer) != nullptr);
}

extern "C" SEXP ev_estimate(SEXP pointer, SEXP folder, SEXP question) {
  EIGENVEIL_EDGE([&] {
    const ReleaseDocument& document = *DocumentPointer(pointer);
    const std::string asked = r::to_json(question).dump();
    const std::filesystem::path where = text_of(folder);
    return r::from_json(r::Json::parse(
        r::interruptibly([&] { return r::unwrap(estimate_from(document, where, asked)); })));
  });
}
