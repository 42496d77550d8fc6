#include "publication/released_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "data/open.hpp"
#include "report/explain.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool is_document(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") && name.find("release") != std::string::npos;
}

/// The document of a directory, of itself, or of a pseudo-data file beside it.
Result<fs::path> document_of(const fs::path& path) {
  std::error_code ignored;
  if (is_document(path) && !fs::is_directory(path, ignored)) {
    return path;
  }
  const bool folder = fs::is_directory(path, ignored);
  const fs::path place = folder ? path : (path.has_parent_path() ? path.parent_path() : ".");
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored)) {
    if (!is_document(entry.path()) || !entry.is_regular_file(ignored)) {
      continue;
    }
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string named = "\"name\": \"" + path.filename().string() + "\"";
    if (folder || text.find(named) != std::string::npos) {
      found.push_back(entry.path());
    }
  }
  if (!fs::exists(path, ignored)) {
    return bad_request(fmt::format("{} does not exist", path.string()));
  }
  if (found.size() > 1) {
    return bad_request(fmt::format("{} has several release documents; give the one to be analysed",
                                   path.string()));
  }
  if (found.empty()) {
    return bad_request(
        folder ? fmt::format("{} has no release document in it", path.string())
               : fmt::format("{} has no release document beside it that names it; give the "
                             "release.json of the release",
                             path.string()));
  }
  return found.front();
}

/// Sum of row products of a table with `skipped` leading columns of names.
Result<Matrix> products_of_rows(const fs::path& path, std::size_t columns) {
  ReadOptions options;
  options.header = ReadOptions::Header::Present;
  options.missing = MissingCell::Refuse;
  Result<std::unique_ptr<RowReader>> reader = open_rows(path.string(), options);
  if (!reader) {
    return error_of(reader);
  }
  if ((*reader)->schema().dimension() != columns) {
    return bad_request(fmt::format(
        "{} has another number of columns than its release document says", path.string()));
  }
  const auto p = static_cast<Eigen::Index>(columns);
  Matrix sum = Matrix::Zero(p, p);
  RawRows block;
  for (;;) {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      return sum;
    }
    const Eigen::Map<const Matrix> rows(block.values.data(), p,
                                        static_cast<Eigen::Index>(block.rows));
    sum.noalias() += rows * rows.transpose();
  }
}

/// A named matrix of a release, of the shape that its document says: CSV with row names, or NPY in
/// column order.
Result<Matrix> read_table(const fs::path& path, const std::vector<std::string>& columns,
                          const Json& array) {
  ReadOptions options;
  options.missing = MissingCell::Refuse;
  const bool csv = path.extension() == ".csv";
  if (csv) {
    options.header = ReadOptions::Header::Present;
    options.columns = columns;
  }
  Result<std::unique_ptr<RowReader>> reader = open_rows(path.string(), options);
  if (!reader) {
    return error_of(reader);
  }
  std::vector<double> values;
  RawRows block;
  for (;;) {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      break;
    }
    values.insert(values.end(), block.values.begin(), block.values.end());
  }
  const auto p = static_cast<Eigen::Index>(columns.size());
  const auto rows = array.at("shape").at(0).get<Eigen::Index>();
  if ((*reader)->schema().dimension() != columns.size() ||
      array.at("shape").at(1).get<Eigen::Index>() != p || std::ssize(values) != rows * p) {
    return bad_request(
        fmt::format("{} has another shape than its release document says", path.string()));
  }
  return Matrix(Eigen::Map<const Matrix>(values.data(), p, rows).transpose());
}

/// One number for each column.
Vector numbers(const Json& list, std::size_t columns) {
  const auto values = list.get<std::vector<double>>();
  if (values.size() != columns) {
    throw Json::other_error::create(501, "another number of values", &list);  // caught below
  }
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Whether a zero of the release is the midpoint of a public range instead of a zero of the data.
bool has_midpoints(const Json& parameters) {
  if (!parameters.contains("range_low")) {
    return false;
  }
  const Json& low = parameters.at("range_low");  // an intercept has no range
  const std::size_t ranges = low.size();
  return !(numbers(low, ranges) + numbers(parameters.at("range_high"), ranges)).isZero(0.0);
}

/// What brings the columns of data back to original units; empty for a release in other units.
Vector midpoints_of(const Json& parameters, std::size_t columns) {
  if (parameters.at("units").get<std::string>() != "original") {
    return {};
  }
  if (parameters.contains("range_low")) {
    return 0.5 * (numbers(parameters.at("range_low"), columns) +
                  numbers(parameters.at("range_high"), columns));
  }
  return parameters.contains("public_center")
             ? numbers(parameters.at("public_center"), columns)
             : Vector(Vector::Zero(static_cast<Eigen::Index>(columns)));
}

/// No row is longer, in the units of the release: by its norm, and by its ranges.
double longest_row(const Json& parameters, const Vector& scales) {
  const double by_norm = parameters.at("row_norm").get<double>() * scales.maxCoeff();
  return parameters.contains("range_low") ? std::min(by_norm, scales.norm()) : by_norm;
}

Vector with_first(double first, const Vector& values) {
  Vector all(values.size() + 1);
  all << first, values;
  return all;
}

constexpr const char* kContradiction =
    "the release contradicts itself: its columns, its noise and its tables do not fit";

/// Whoever wrote the document, nothing is computed from noise or sums that cannot be.
Result<ReleasedGram> checked(ReleasedGram gram) {
  const auto p = static_cast<Eigen::Index>(gram.names.size());
  const std::set<std::string> names(gram.names.begin(), gram.names.end());
  const auto is_noise = [](const auto& sd) { return sd.allFinite() && (sd.array() >= 0.0).all(); };
  const bool noise = gram.masked() ? gram.cell_sd.size() == p && is_noise(gram.cell_sd)
                                   : gram.entry_sd.rows() == p && gram.entry_sd.cols() == p &&
                                         is_noise(gram.entry_sd);
  if (!noise || p == 0 || std::ssize(names) != p || gram.products.rows() != p ||
      gram.products.cols() != p || !gram.products.allFinite() || !std::isfinite(gram.rows)) {
    return bad_request(kContradiction);
  }
  return gram;
}

/// Only tables have names for their rows; pseudo-data has none, and its file may be called
/// anything.
bool is_table(const Json& array) {
  return array.contains("rows");
}

/// The table PREFIXnoisy_gram, with whatever mark and ending.
bool is_gram(const Json& array) {
  const fs::path name = array.at("name").get<std::string>();
  std::string table = name.stem().string();
  if (constexpr std::string_view kMark = ".NOT-PRIVATE"; table.ends_with(kMark)) {
    table.resize(table.size() - kMark.size());
  }
  return is_table(array) && (table == "noisy_gram" || table.ends_with(".noisy_gram"));
}

Result<ReleasedGram> read_mask(const Json& json, const fs::path& folder) {
  ReleasedGram gram;
  const Json& parameters = json.at("parameters");
  gram.names = parameters.at("columns").get<std::vector<std::string>>();
  gram.intercept = parameters.at("intercept").get<bool>();
  gram.rows = json.at("result").at("rows").get<double>();
  if (!(gram.rows > 0.0)) {
    return bad_request("this release has no rows, so there is nothing to estimate");
  }
  const auto p = static_cast<Eigen::Index>(gram.names.size());
  gram.products = Matrix::Zero(p, p);
  const Json& arrays = json.at("result").at("arrays");
  if (arrays.empty()) {
    return bad_request("the release lists no pseudo-data");
  }
  const auto noisy = std::find_if(arrays.begin(), arrays.end(), is_gram);
  for (const Json& array : arrays) {
    if (noisy != arrays.end() && !is_gram(array)) {
      continue;  // method gauss: unbiased sums instead of the positive semidefinite ones
    }
    const auto name = array.at("name").get<std::string>();
    const bool factor = is_table(array) && !is_gram(array);
    Result<Matrix> part = is_table(array) ? read_table(folder / name, gram.names, array)
                                          : products_of_rows(folder / name, gram.names.size());
    if (!part) {
      return error_of(part);
    }
    gram.products += factor ? Matrix(part->transpose() * *part) : *part;
  }
  gram.from_midpoints = has_midpoints(parameters);
  gram.scales = numbers(parameters.at("column_scales"), gram.names.size());
  const std::size_t constant = gram.intercept ? 1 : 0;
  gram.longest_row =
      longest_row(parameters, gram.scales.tail(p - static_cast<Eigen::Index>(constant)));
  gram.midpoints = midpoints_of(parameters, gram.names.size() - constant);
  if (gram.intercept && gram.midpoints.size() > 0) {
    gram.midpoints = with_first(0.0, gram.midpoints);
  }
  if (parameters.contains("cell_noise_sd")) {
    gram.cell_sd = numbers(parameters.at("cell_noise_sd"), gram.names.size());
    return gram;
  }
  MaskNoise noise;
  noise.gram_sd_diagonal = parameters.at("gram_noise_sd_diagonal").get<double>();
  noise.gram_sd_off_diagonal = parameters.at("gram_noise_sd_off_diagonal").get<double>();
  noise.gram_sd_sums = gram.intercept ? parameters.at("gram_noise_sd_sums").get<double>() : 0.0;
  gram.entry_sd = gram_deviations(gram.scales, noise, gram.intercept);
  const auto blocks = json.at("result").at("blocks").get<double>();
  if (!(blocks >= 1.0)) {
    return bad_request(kContradiction);
  }
  gram.entry_sd *= std::sqrt(blocks);
  return gram;
}

/// A covariance about a private mean was computed from noisy products, sums and a noisy count about
/// the public midpoint: back to those, because their noise is independent and known.
ReleasedGram with_intercept(ReleasedGram gram, const ReleasedCovariance& released) {
  const Vector& mean = *released.mean;
  const Eigen::Index p = mean.size();
  Matrix products(p + 1, p + 1);
  products(0, 0) = gram.rows;
  products.block(0, 1, 1, p) = gram.rows * mean.transpose();
  products.block(1, 0, p, 1) = gram.rows * mean;
  products.block(1, 1, p, p) = gram.products + gram.rows * mean * mean.transpose();
  Matrix sd(p + 1, p + 1);
  sd(0, 0) = released.rows_sd;
  const Vector of_sums = released.noise.gram_sd_sums * released.scales;
  sd.block(0, 1, 1, p) = of_sums.transpose();
  sd.block(1, 0, p, 1) = of_sums;
  sd.block(1, 1, p, p) = gram.entry_sd;
  gram.names.insert(gram.names.begin(), kInterceptColumn);
  gram.scales = with_first(1.0, gram.scales);
  if (gram.midpoints.size() > 0) {
    gram.midpoints = with_first(0.0, gram.midpoints);
  }
  gram.intercept = true;
  gram.products = std::move(products);
  gram.entry_sd = std::move(sd);
  return gram;
}

Result<ReleasedGram> read_covariance(const Json& json, const fs::path& folder) {
  if (json.at("method").get<std::string>() != "gauss") {
    return bad_request(
        "intervals are only known for Gaussian noise: release the covariance with "
        "--method gauss, or mask the table");
  }
  ReleasedCovariance released;
  const Json& parameters = json.at("parameters");
  const Json& result = json.at("result");
  released.names = parameters.at("columns").get<std::vector<std::string>>();
  released.rows =
      (result.contains("rows") ? result.at("rows") : result.at("noisy_rows")).get<double>();
  released.rows_sd = result.value("noisy_rows_sd", 0.0);
  released.from_midpoints = has_midpoints(parameters);
  for (const Json& array : result.at("arrays")) {
    const auto name = array.at("name").get<std::string>();
    if (name.starts_with("covariance_raw")) {
      Result<Matrix> raw = read_table(folder / name, released.names, array);
      if (!raw) {
        return error_of(raw);
      }
      released.raw = std::move(*raw);
    }
  }
  const std::size_t columns = released.names.size();
  if (released.raw.rows() != std::ssize(released.names)) {
    return bad_request("the release lists no square table called covariance_raw");
  }
  const bool original_ranges = parameters.contains("range_low") &&
                               parameters.at("units").get<std::string>() != "scaled to [-1, 1]";
  released.scales = Vector::Ones(static_cast<Eigen::Index>(columns));
  if (original_ranges) {
    released.scales = 0.5 * (numbers(parameters.at("range_high"), columns) -
                             numbers(parameters.at("range_low"), columns));
  }
  released.midpoints = midpoints_of(parameters, columns);
  released.longest_row = longest_row(parameters, released.scales);
  released.noise.gram_sd_diagonal = parameters.at("noise_sd_diagonal").get<double>();
  released.noise.gram_sd_off_diagonal = parameters.at("noise_sd_off_diagonal").get<double>();
  if (parameters.at("center").get<std::string>() == "private mean") {
    if (!result.contains("sum_noise_sd_scaled")) {
      return bad_request(
          "this covariance about a private mean comes from an early version, which did not write "
          "down the noise on the sums, so intervals are not known: release it again with this "
          "version (that spends budget), or analyse a release about the public midpoint");
    }
    released.noise.gram_sd_sums = result.at("sum_noise_sd_scaled").get<double>();
    released.mean = numbers(result.at("noisy_mean"), columns);
    if (original_ranges) {
      *released.mean -= 0.5 * (numbers(parameters.at("range_low"), columns) +
                               numbers(parameters.at("range_high"), columns));
    }
  }
  return gram_of(released);
}

/// Shards of one table: sums about the same points, in the same units, of a public number of rows.
bool can_be_added(const ReleasedGram& one, const ReleasedGram& other) {
  const auto is_public = [](const ReleasedGram& gram) {
    return !gram.centered && gram.rows_sd == 0.0;
  };
  const auto same = [](const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; };
  return one.names == other.names && one.intercept == other.intercept &&
         same(one.cell_sd, other.cell_sd) && same(one.scales, other.scales) &&
         same(one.midpoints, other.midpoints) && is_public(one) && is_public(other);
}

Result<ReleasedGram> read_document(const fs::path& document) {
  std::ifstream file(document, std::ios::binary);
  const Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    return bad_request(fmt::format("{} is not a release document", document.string()));
  }
  const std::string task = json.value("task", "");
  const fs::path folder = document.has_parent_path() ? document.parent_path() : fs::path(".");
  if (task == "mask") {
    return read_mask(json, folder).and_then(checked);
  }
  if (task == "covariance") {
    return read_covariance(json, folder).and_then(checked);
  }
  return bad_request("analyse works on pseudo-data (mask) and on a released covariance");
}

}  // namespace

Result<ReleasedGram> gram_of(const ReleasedCovariance& released) {
  ReleasedGram gram;
  gram.names = released.names;
  gram.rows = std::max(1.0, released.rows);
  gram.from_midpoints = released.from_midpoints;
  gram.midpoints = released.midpoints;
  gram.scales = released.scales;
  gram.longest_row = released.longest_row;
  gram.rows_sd = released.rows_sd;
  gram.centered = released.mean.has_value();
  if (gram.centered &&
      std::find(gram.names.begin(), gram.names.end(), kInterceptColumn) != gram.names.end()) {
    return bad_request(
        "a column is called 'intercept', the name of the constant in a release about a private "
        "mean: rename it and release again");
  }
  gram.products = gram.rows * released.raw;
  gram.entry_sd = gram_deviations(released.scales, released.noise, false);
  return gram.centered ? with_intercept(std::move(gram), released) : gram;
}

Result<ReleasedGram> read_released_gram(const std::string& path) {
  const Result<fs::path> document = document_of(path);
  if (!document) {
    return error_of(document);
  }
  // Whoever changed a file must not get intervals from it.
  if (const Result<std::string> checked = explain_release(*document); !checked) {
    return error_of(checked);
  }
  try {
    return read_document(*document);
  } catch (const Json::exception&) {
    return bad_request(
        fmt::format("{} lacks a field that analyse needs, or holds it in another form: it was "
                    "edited or written by another version; give the document as it was written, "
                    "or release again with this version",
                    document->string()));
  }
}

Result<ReleasedGram> read_released_grams(const std::vector<std::string>& paths) {
  Result<ReleasedGram> all = read_released_gram(paths.front());
  std::vector<Matrix> seen;
  if (all) {
    seen.push_back(all->products);
  }
  for (std::size_t i = 1; all && i < paths.size(); ++i) {
    const Result<ReleasedGram> next = read_released_gram(paths[i]);
    if (!next) {
      return error_of(next);
    }
    if (!can_be_added(*all, *next)) {
      return bad_request(
          "several releases are read as one table only when all are pseudo-data with the same "
          "columns, units and method, by method mask with the same noise as well: mask every shard "
          "with the same --smallest-block");
    }
    seen.push_back(next->products);
    if (std::find(seen.begin(), seen.end() - 1, seen.back()) != seen.end() - 1) {
      return bad_request("a release is named twice");
    }
    all->products += next->products;
    all->rows += next->rows;
    if (!all->masked()) {  // independent noise on the same sums
      all->entry_sd = (all->entry_sd.cwiseAbs2() + next->entry_sd.cwiseAbs2()).cwiseSqrt();
    }
    all->longest_row = std::max(all->longest_row, next->longest_row);
  }
  return all;
}

}  // namespace eigenveil
