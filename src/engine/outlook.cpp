#include "engine/outlook.hpp"

#include <fmt/format.h>

#include "engine/bound_words.hpp"

namespace eigenveil {

namespace {

Guarantee for_person(Guarantee guarantee, const std::string& person) {
  guarantee.person = person;
  return guarantee;
}

}  // namespace

std::string size_in_words(std::int64_t rows, std::size_t columns) {
  return fmt::format("{} rows, {} column{}", rows, columns, columns == 1 ? "" : "s");
}

Outlook::Outlook(const Request& request, const std::string& method, const Guarantee& planned,
                 const AssumedTable& table)
    : Outlook(std::string(name_of(request.task)), method, for_person(planned, table.person),
              *request.budget, size_in_words(table.rows, table.schema.dimension())) {}

Outlook::Outlook(const std::string& task, const std::string& method, const Guarantee& guarantee,
                 const Budget& requested, const std::string& size) {
  facts_.guarantee = guarantee;
  const std::string promise = headline(guarantee, requested);
  const std::string detection = detection_in_words(guarantee);
  json_ = {{"task", task},
           {"method", method},
           {"guarantee", promise},
           {"in_words", detection},
           {stated_power(guarantee).field, stated_power(guarantee).power}};
  facts_.title = fmt::format("Plan for {} by method {}: {} (no data was read)", task, method, size);
  line("guarantee", promise);
  line("in words", detection);
}

void Outlook::bound(const RowBound& bound) {
  json_["row_norm"] = bound.radius();
  line("bounds", describe_bound(bound));
}

void Outlook::line(std::string label, std::string text) {
  facts_.lines.push_back({std::move(label), std::move(text)});
}

PlanFacts Outlook::finish() && {
  facts_.json = json_.dump(2);
  return std::move(facts_);
}

}  // namespace eigenveil
