#include "cli/released_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "eigenveil/data/open.hpp"
#include "eigenveil/report/explain.hpp"

namespace eigenveil::cli {
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
  if (found.size() != 1) {
    return bad_request(fmt::format(
        "{} has no release document beside it that names it; give the release.json of the release",
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

Vector numbers(const Json& list) {
  const auto values = list.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Whether a zero of the release is the midpoint of a public range instead of a zero of the data.
bool has_midpoints(const Json& parameters) {
  return parameters.contains("range_low") &&
         !(numbers(parameters.at("range_low")) + numbers(parameters.at("range_high"))).isZero(0.0);
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
  const auto p = static_cast<Eigen::Index>(gram.names.size());
  gram.products = Matrix::Zero(p, p);
  const Json& arrays = json.at("result").at("arrays");
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
  if (parameters.contains("cell_noise_sd")) {
    gram.cell_sd = numbers(parameters.at("cell_noise_sd"));
    return gram;
  }
  MaskNoise noise;
  noise.gram_sd_diagonal = parameters.at("gram_noise_sd_diagonal").get<double>();
  noise.gram_sd_off_diagonal = parameters.at("gram_noise_sd_off_diagonal").get<double>();
  noise.gram_sd_sums = gram.intercept ? parameters.at("gram_noise_sd_sums").get<double>() : 0.0;
  gram.entry_sd = gram_deviations(numbers(parameters.at("column_scales")), noise, gram.intercept);
  gram.entry_sd *= std::sqrt(json.at("result").at("blocks").get<double>());
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
  const bool original_ranges = parameters.contains("range_low") &&
                               parameters.at("units").get<std::string>() != "scaled to [-1, 1]";
  released.scales = Vector::Ones(static_cast<Eigen::Index>(released.names.size()));
  if (original_ranges) {
    released.scales =
        0.5 * (numbers(parameters.at("range_high")) - numbers(parameters.at("range_low")));
  }
  released.noise.gram_sd_diagonal = parameters.at("noise_sd_diagonal").get<double>();
  released.noise.gram_sd_off_diagonal = parameters.at("noise_sd_off_diagonal").get<double>();
  if (parameters.at("center").get<std::string>() == "private mean") {
    released.noise.gram_sd_sums = result.at("sum_noise_sd_scaled").get<double>();
    released.mean = numbers(result.at("noisy_mean"));
    if (original_ranges) {
      *released.mean -=
          0.5 * (numbers(parameters.at("range_low")) + numbers(parameters.at("range_high")));
    }
  }
  return gram_of(released);
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
    return read_mask(json, folder);
  }
  if (task == "covariance") {
    return read_covariance(json, folder);
  }
  return bad_request("analyse works on pseudo-data (mask) and on a released covariance");
}

}  // namespace

Result<ReleasedGram> gram_of(const ReleasedCovariance& released) {
  ReleasedGram gram;
  gram.names = released.names;
  gram.rows = std::max(1.0, released.rows);
  gram.from_midpoints = released.from_midpoints;
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
    return bad_request(fmt::format("{} lacks a field that analyse needs", document->string()));
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
    if (!all->masked() || !next->masked() || next->names != all->names ||
        next->cell_sd != all->cell_sd) {
      return bad_request(
          "several releases are read as one table only when all are masked with the same "
          "columns and the same noise: mask every shard with the same --smallest-block");
    }
    seen.push_back(next->products);
    if (std::find(seen.begin(), seen.end() - 1, seen.back()) != seen.end() - 1) {
      return bad_request("a release is named twice");
    }
    all->products += next->products;
    all->rows += next->rows;
  }
  return all;
}

}  // namespace eigenveil::cli
