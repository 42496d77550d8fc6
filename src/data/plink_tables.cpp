#include "data/plink_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/column_selection.hpp"
#include "data/text_lines.hpp"

namespace eigenveil::detail {
namespace {

/// One line of a .bim file; views into the line.
struct Variant {
  std::string_view chromosome;
  std::string_view identifier;
  std::string_view position;
  std::string_view counted_allele;  // A1, whose copies the .bed file codes
  std::string_view other_allele;
};

std::string place_name(const Variant& variant) {
  return fmt::format("{}:{}:{}:{}", variant.chromosome, variant.position, variant.counted_allele,
                     variant.other_allele);
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter > ' ' && letter <= '~'; });
}

/// Lines of a .bim file, checked; empty lines are skipped.
class VariantLines {
 public:
  explicit VariantLines(TextLines lines) : lines_(std::move(lines)) {}

  Result<bool> next(Variant& variant) {
    std::string_view line;
    do {
      const Result<bool> more = lines_.next(line);
      if (!more || !*more) {
        return more;
      }
      split_at_spaces(line, fields_);
    } while (fields_.empty());
    // The genetic distance may be left out, as plink allows.
    if (fields_.size() != 5 && fields_.size() != 6) {
      return bad_request(
          fmt::format("{} line {}: six fields are expected (chromosome, identifier, centimorgans, "
                      "position, allele 1, allele 2), not {}.",
                      shown(lines_.path()), lines_.number(), fields_.size()));
    }
    const std::size_t at = fields_.size() - 3;
    variant = {fields_[0], fields_[1], fields_[at], fields_[at + 1], fields_[at + 2]};
    if (!is_printable(variant.chromosome) || !is_printable(variant.identifier) ||
        !is_printable(variant.position) || !is_printable(variant.counted_allele) ||
        !is_printable(variant.other_allele)) {
      return bad_request(fmt::format("{} line {}: only printable ASCII characters are allowed.",
                                     shown(lines_.path()), lines_.number()));
    }
    return true;
  }

 private:
  TextLines lines_;
  std::vector<std::string_view> fields_;
};

using NameCounts = std::unordered_map<std::string, std::size_t>;

Result<PlinkVariants> all_variants(VariantLines& lines) {
  PlinkVariants variants;
  std::vector<std::string> place_names;
  NameCounts uses;
  Variant variant;
  Result<bool> more = lines.next(variant);
  for (; more && *more; more = lines.next(variant)) {
    if (variants.total == kLargestDimension) {
      return bad_request(fmt::format(
          "there are more than {} variants; choose some with {{columns}}.", kLargestDimension));
    }
    variants.positions.push_back(variants.total++);
    variants.schema.columns.emplace_back(variant.identifier);
    variants.schema.counted_alleles.emplace_back(variant.counted_allele);
    place_names.push_back(place_name(variant));
    ++uses[variants.schema.columns.back()];
  }
  if (!more) {
    return error_of(more);
  }
  for (std::size_t j = 0; j < variants.total; ++j) {
    std::string& name = variants.schema.columns[j];
    if (name == "." || uses[name] > 1) {
      name = std::move(place_names[j]);
    }
  }
  NameCounts names;
  for (const std::string& name : variants.schema.columns) {
    if (++names[name] > 1) {
      return bad_request(
          fmt::format("there are several variants called {}; make them differ in "
                      "identifier, position or alleles.",
                      shown(name)));
    }
  }
  return variants;
}

/// Fills the slots of a request while lines go by.
class Request {
 public:
  static Result<Request> make(const std::vector<std::string>& names) {
    Request request;
    request.variants_.schema.columns = names;
    request.variants_.schema.counted_alleles.resize(names.size());
    request.variants_.positions.assign(names.size(), kOpen);
    for (std::size_t slot = 0; slot < names.size(); ++slot) {
      if (!request.slots_.emplace(names[slot], slot).second) {
        return bad_request(fmt::format("variant {} is selected twice.", shown(names[slot])));
      }
      request.has_places_ = request.has_places_ || names[slot].find(':') != std::string::npos;
    }
    return request;
  }

  Result<void> offer(const Variant& variant) {
    const std::size_t by_identifier =
        variant.identifier == "." ? kOpen : slot_of(std::string(variant.identifier));
    const std::size_t by_place = has_places_ ? slot_of(place_name(variant)) : kOpen;
    const std::size_t slot = by_identifier != kOpen ? by_identifier : by_place;
    const std::size_t position = variants_.total++;
    if (slot == kOpen) {
      return {};
    }
    const std::string& name = variants_.schema.columns[slot];
    if (by_identifier != kOpen && by_place != kOpen && by_identifier != by_place) {
      return bad_request(fmt::format("variant {} is selected twice, once as {}.", shown(name),
                                     shown(variants_.schema.columns[by_place])));
    }
    if (variants_.positions[slot] != kOpen) {
      return bad_request(
          fmt::format("there are several variants called {}; select by chromosome:position:A1:A2.",
                      shown(name)));
    }
    variants_.positions[slot] = position;
    variants_.schema.counted_alleles[slot] = variant.counted_allele;
    return {};
  }

  Result<PlinkVariants> finish() && {
    for (std::size_t slot = 0; slot < variants_.positions.size(); ++slot) {
      if (variants_.positions[slot] == kOpen) {
        return bad_request(
            fmt::format("there is no variant {}; a name is the second column of the .bim file, or "
                        "chromosome:position:A1:A2",
                        shown(variants_.schema.columns[slot])));
      }
    }
    return std::move(variants_);
  }

 private:
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);
  std::size_t slot_of(const std::string& name) const {
    const auto found = slots_.find(name);
    return found == slots_.end() ? kOpen : found->second;
  }
  PlinkVariants variants_;
  std::unordered_map<std::string, std::size_t> slots_;
  bool has_places_ = false;
};

Result<PlinkVariants> requested_variants(VariantLines& lines,
                                         const std::vector<std::string>& requested) {
  Result<Request> request = Request::make(requested);
  if (!request) {
    return error_of(request);
  }
  Variant variant;
  Result<bool> more = lines.next(variant);
  for (; more && *more; more = lines.next(variant)) {
    if (const Result<void> taken = request->offer(variant); !taken) {
      return error_of(taken);
    }
  }
  if (!more) {
    return error_of(more);
  }
  return std::move(*request).finish();
}

}  // namespace

Result<PlinkVariants> read_variants(const std::string& bim_path,
                                    const std::vector<std::string>& requested,
                                    const std::vector<std::string>& excluded) {
  if (!excluded.empty()) {  // by the names that a table without a selection would have
    return (requested.empty() ? read_variants(bim_path, {}).map([](PlinkVariants all) {
             return std::move(all.schema.columns);
           })
                              : Result<std::vector<std::string>>(requested))
        .and_then([&](const auto& names) { return without_columns(names, excluded); })
        .and_then([&](const auto& kept) { return read_variants(bim_path, kept); });
  }
  Result<TextLines> text = TextLines::open(bim_path);
  if (!text) {
    return error_of(text);
  }
  VariantLines lines(*std::move(text));
  Result<PlinkVariants> variants =
      requested.empty() ? all_variants(lines) : requested_variants(lines, requested);
  if (variants && variants->total == 0) {
    return bad_request(fmt::format("{} names no variant.", bim_path));
  }
  return variants;
}

namespace {

template <class Take>
Result<void> for_each_person(const std::string& fam_path, Take&& take) {
  Result<TextLines> lines = TextLines::open(fam_path);
  if (!lines) {
    return error_of(lines);
  }
  std::string_view line;
  std::vector<std::string_view> fields;
  Result<bool> more = lines->next(line);
  for (; more && *more; more = lines->next(line)) {
    split_at_spaces(line, fields);
    if (fields.size() != 6) {  // also an empty line: one person per line, whatever it holds
      return bad_request(
          fmt::format("{} line {}: six fields are expected (family, person, father, mother, sex, "
                      "phenotype), not {}.",
                      fam_path, lines->number(), fields.size()));
    }
    take(fields[1]);
  }
  if (!more) {
    return error_of(more);
  }
  return {};
}

}  // namespace

Result<std::size_t> count_people(const std::string& fam_path) {
  std::size_t people = 0;
  return for_each_person(fam_path, [&](std::string_view) { ++people; }).map([&] { return people; });
}

Result<std::vector<std::string>> people_of(const std::string& fam_path) {
  std::vector<std::string> people;
  return for_each_person(fam_path, [&](std::string_view name) { people.emplace_back(name); })
      .map([&] { return people; });
}

}  // namespace eigenveil::detail
