#include "report/kept_document.hpp"

#include <cstring>

#include "core/keep.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

// CBOR holds what JSON text has no word for: numbers that are none, and bytes.

Json bytes_of(const double* values, std::size_t count) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(values);
  return Json::binary(std::vector<std::uint8_t>(begin, begin + count * sizeof(double)));
}

void copy_numbers(const Json& json, double* values, std::size_t count) {
  const Json::binary_t& bytes = json.get_binary();
  if (bytes.size() != count * sizeof(double)) {
    throw Json::other_error::create(0, "a table of another size", &json);
  }
  std::memcpy(values, bytes.data(), bytes.size());
}

/// An empty list of numbers stays one of numbers.
Json kept(const FieldValue& value) {
  const auto* numbers = std::get_if<std::vector<double>>(&value);
  return numbers != nullptr
             ? bytes_of(numbers->data(), numbers->size())
             : std::visit([](const auto& content) -> Json { return content; }, value);
}

Json kept(const Fields& fields) {
  Json all = Json::array();
  for (const auto& [name, value] : fields) {
    all.push_back({name, kept(value)});
  }
  return all;
}

Fields fields_of(const Json& json) {
  Fields fields;
  for (const Json& one : json) {
    const Json& value = one.at(1);
    fields.emplace_back(one.at(0).get<std::string>(), FieldValue());
    if (value.is_binary()) {
      std::vector<double> numbers(value.get_binary().size() / sizeof(double));
      copy_numbers(value, numbers.data(), numbers.size());
      fields.back().second = std::move(numbers);
    } else {
      fields.back().second = field_from_json(value);
    }
  }
  return fields;
}

Json kept(const std::vector<ReleasedTable>& tables) {
  Json all = Json::array();
  for (const auto& [name, description, corner, rows, columns, values, alleles] : tables) {
    all.push_back({name, description, corner, rows, columns, values.rows(), values.cols(),
                   bytes_of(values.data(), static_cast<std::size_t>(values.size())), alleles});
  }
  return all;
}

std::vector<ReleasedTable> tables_of(const Json& json) {
  std::vector<ReleasedTable> tables;
  for (const Json& one : json) {
    ReleasedTable& table = tables.emplace_back(
        ReleasedTable{one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), {}, one.at(8)});
    table.values.resize(one.at(5).get<Eigen::Index>(), one.at(6).get<Eigen::Index>());
    copy_numbers(one.at(7), table.values.data(), static_cast<std::size_t>(table.values.size()));
  }
  return tables;
}

Json kept(const std::vector<StreamedArray>& arrays) {
  Json all = Json::array();
  for (const auto& [name, description, sha256, rows, columns] : arrays) {
    all.push_back({name, description, sha256, rows, columns});
  }
  return all;
}

std::vector<StreamedArray> arrays_of(const Json& json) {
  std::vector<StreamedArray> arrays;
  for (const Json& one : json) {
    arrays.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
  }
  return arrays;
}

Result<ReleaseDocument> document_of(const Json& json) {
  ReleaseDocument document;
  json.at("task").get_to(document.task);
  json.at("method").get_to(document.method);
  document.parameters = fields_of(json.at("parameters"));
  document.result = fields_of(json.at("result"));
  document.tables = tables_of(json.at("tables"));
  document.streamed = arrays_of(json.at("streamed"));
  document.drawn = tables_of(json.at("drawn"));
  json.at("request").get_to(document.request);
  if (const Json& entry = json.at("ledger"); !entry.is_null()) {
    document.ledger = LedgerEntry{entry.at(0), entry.at(1), entry.at(2)};
  }
  json.at("builds_on").get_to(document.builds_on);
  json.at("data_set").get_to(document.data_set);
  json.at("date").get_to(document.date);
  json.at("papers").get_to(document.papers);
  json.at("prefix").get_to(document.prefix);
  for (const Json& line : json.at("remarks")) {
    document.remarks.push_back({line.at(0), line.at(1)});
  }
  return keep(guarantee_from_plain(json.at("guarantee")), trusted::guarantee_of(document))
      .and_then([&] { return keep(budget_from_json(json.at("requested")), document.requested); })
      .map([&] { return std::move(document); });
}

}  // namespace

std::string kept_document(const ReleaseDocument& document) {
  // Every field, in their order: this does not compile when there is one more.
  const auto& [task, method, requested, parameters, result, tables, streamed, pending, drawn,
               request, ledger, builds_on, data_set, date, papers, prefix, remarks, guarantee] =
      document;
  Json said = Json::array();
  for (const FactLine& line : remarks) {
    said.push_back({line.label, line.text});
  }
  std::string bytes;
  Json::to_cbor(
      Json{{"task", task},
           {"method", method},
           {"guarantee", plain_guarantee(guarantee)},
           {"requested", budget_to_json(requested)},
           {"parameters", kept(parameters)},
           {"result", kept(result)},
           {"tables", kept(tables)},
           {"streamed", kept(streamed)},
           {"drawn", kept(drawn)},
           {"request", request},
           {"ledger", ledger ? Json{ledger->id, ledger->index, ledger->reservation} : Json()},
           {"builds_on", builds_on},
           {"data_set", data_set},
           {"date", date},
           {"papers", papers},
           {"prefix", prefix},
           {"remarks", said}},
      bytes);
  return bytes;
}

Result<ReleaseDocument> document_of_kept(std::string_view bytes) {
  try {
    return document_of(Json::from_cbor(bytes));
  } catch (const Json::exception&) {
    return bad_request("a release that was kept by another version, or damaged, cannot be read");
  }
}

}  // namespace eigenveil
