#include "engine/outlook.hpp"

#include <fmt/format.h>

#include "engine/bound_words.hpp"

namespace eigenveil {

Outlook::Outlook(const Request& request, const std::string& method, const Guarantee& planned,
                 const AssumedTable& table) {
  Guarantee guarantee = planned;
  guarantee.person = table.person;
  facts_.guarantee = guarantee;
  const std::string promise = headline(guarantee, *request.budget);
  const std::string detection = detection_in_words(guarantee);
  json_ = {{"task", name_of(request.task)},
           {"method", method},
           {"guarantee", promise},
           {"in_words", detection},
           {stated_power(guarantee).field, stated_power(guarantee).power}};
  const std::size_t columns = table.schema.dimension();
  facts_.title =
      fmt::format("Plan for {} by method {}: {} rows, {} column{} (no data was read)",
                  name_of(request.task), method, table.rows, columns, columns == 1 ? "" : "s");
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
