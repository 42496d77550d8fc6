#include "binding.hpp"

namespace eigenveil::r {
namespace {

SEXP in_r(const FieldValue& value) {
  return std::visit(
      [](const auto& content) -> SEXP {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::int64_t>) {
          return cpp11::as_sexp(static_cast<double>(content));
        } else if constexpr (std::is_same_v<Content, std::vector<std::string>>) {
          return strings(content);
        } else {
          return cpp11::as_sexp(content);
        }
      },
      value);
}

SEXP in_r(const Fields& fields) {
  std::vector<std::pair<std::string, cpp11::sexp>> entries;
  for (const auto& [name, value] : fields) {
    entries.emplace_back(name, in_r(value));
  }
  return named_list(entries);
}

SEXP names_or_null(const std::vector<std::string>& names) {
  return names.empty() ? R_NilValue : strings(names);
}

SEXP in_r(const ReleasedTable& table) {
  cpp11::sexp matrix = Rf_allocMatrix(REALSXP, static_cast<int>(table.values.rows()),
                                      static_cast<int>(table.values.cols()));
  std::copy(table.values.data(), table.values.data() + table.values.size(), REAL(matrix));
  cpp11::writable::list names(2);
  names[0] = names_or_null(table.row_names);
  names[1] = names_or_null(table.column_names);
  matrix.attr("dimnames") = names;
  return matrix;
}

}  // namespace

SEXP document_in_r(const ReleaseDocument& document) {
  std::vector<std::pair<std::string, cpp11::sexp>> tables;
  for (const ReleasedTable& table : document.tables) {
    tables.emplace_back(table.name, in_r(table));
  }
  std::vector<std::string> remarks;
  std::vector<std::string> labels;
  for (const FactLine& line : document.remarks) {
    remarks.push_back(line.text);
    labels.push_back(line.label);
  }
  cpp11::sexp said = strings(remarks);
  said.attr("names") = strings(labels);
  return named_list({{"task", cpp11::as_sexp(document.task)},
                     {"method", cpp11::as_sexp(document.method)},
                     {"guarantee", guarantee_in_r(document.guarantee(), document.requested)},
                     {"parameters", in_r(document.parameters)},
                     {"result", in_r(document.result)},
                     {"tables", named_list(tables)},
                     {"remarks", said},
                     {"null_reason", cpp11::as_sexp(null_reason(document))},
                     {"request", cpp11::as_sexp(document.request)},
                     {"data_set", cpp11::as_sexp(document.data_set)},
                     {"date", cpp11::as_sexp(document.date)}});
}

}  // namespace eigenveil::r
