#include "cli/explore/directions_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/explore/simulated.hpp"
#include "report/pictures.hpp"

namespace eigenveil::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownRows = 12;

/// Half width, 95%, of the sampling error of one weight (Gaussian rows, first order).
double sampling_reach(const Vector& spectrum, const Matrix& directions, Eigen::Index row,
                      Eigen::Index component, double people) {
  double variance = 0.0;
  for (Eigen::Index i = 0; i < spectrum.size(); ++i) {
    const double gap = spectrum[component] - spectrum[i];
    if (i != component && gap != 0.0) {
      variance +=
          spectrum[i] * spectrum[component] / (gap * gap) * directions(row, i) * directions(row, i);
    }
  }
  return 1.96 * std::sqrt(variance / people);
}

std::string scree_of(const Planned& plan, const Simulated& simulated, const Glance& glance) {
  const Vector& spectrum = plan.table.spectrum;
  const double unit = plan.unit;
  const std::optional<double> floor = plan.number("noise_floor");
  const std::optional<double> sd = plan.number("noise_sd_diagonal");
  ScreePicture picture;
  for (Eigen::Index j = 0; j < plan.question.hoped; ++j) {
    const double variance = spectrum[j] * unit;
    ScreeBar bar{.label = fmt::format("PC{}", j + 1),
                 .height = std::sqrt(variance),
                 .above_noise = !floor || variance > *floor};
    if (sd) {
      const double reach = 1.96 * *sd * unit;
      bar.privacy = Reach{std::sqrt(std::max(0.0, variance - reach)), std::sqrt(variance + reach)};
    }
    const double sampling = 1.96 * std::sqrt(2.0 / static_cast<double>(plan.table.rows)) * variance;
    bar.sampling =
        Reach{std::sqrt(std::max(0.0, variance - sampling)), std::sqrt(variance + sampling)};
    const auto release = static_cast<std::size_t>(glance.release);
    if (release < simulated.variances.size() && j < simulated.variances[release].size()) {
      bar.ring = std::sqrt(std::max(0.0, simulated.variances[release][j] * unit));
    }
    picture.bars.push_back(std::move(bar));
  }
  if (floor) {
    picture.floor = std::sqrt(*floor);
  }
  // The scale stays while a slider moves: it follows the assumptions alone.
  picture.top = 1.15 * std::sqrt(spectrum[0] * unit);
  picture.axis =
      plan.question.standardize ? "spread, in shares of half a range" : "spread, in answer points";
  picture.words =
      floor ? fmt::format("Spread of {} components against the noise floor: {} rise above it",
                          plan.question.hoped, plan.above_noise)
            : fmt::format("Spread of {} components; this method states no noise floor",
                          plan.question.hoped);
  picture.chosen = glance.component;
  picture.handle = floor.has_value();
  picture.width = glance.narrow;
  return scree_picture(picture);
}

/// Of the largest first chosen, then in the table's order; or those whose names were searched for.
std::vector<Eigen::Index> shown_rows(const std::vector<std::string>& names, const Vector& values,
                                     const std::string& search) {
  std::vector<Eigen::Index> rows(names.size());
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  if (!search.empty()) {
    std::erase_if(rows, [&](Eigen::Index row) {
      return names[static_cast<std::size_t>(row)].find(search) == std::string::npos;
    });
  } else {
    std::stable_sort(rows.begin(), rows.end(), [&](Eigen::Index a, Eigen::Index b) {
      return std::abs(values[a]) > std::abs(values[b]);
    });
  }
  rows.resize(std::min(rows.size(), kShownRows));
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string weights_of(const Planned& plan, const Simulated& simulated, const Glance& glance) {
  const Matrix& assumed = assumed_directions(plan.table.spectrum.size());
  const Vector weights = simulated.truth.col(glance.component);
  WeightsPicture picture;
  // The scale stays while a slider moves: it follows the assumptions alone.
  picture.full = std::clamp(1.25 * weights.cwiseAbs().maxCoeff(), 0.6, 1.0);
  for (const Eigen::Index row : shown_rows(plan.question.columns, weights, glance.search)) {
    WeightRow shown{.name = plan.question.columns[static_cast<std::size_t>(row)],
                    .weight = weights[row],
                    .sampling = sampling_reach(plan.table.spectrum, assumed, row, glance.component,
                                               static_cast<double>(plan.table.rows))};
    for (const Matrix& directions : simulated.directions) {
      shown.releases.push_back(assumed.row(row).dot(directions.col(glance.component)));
    }
    picture.rows.push_back(std::move(shown));
  }
  picture.ring = static_cast<std::size_t>(glance.release);
  picture.above_noise = glance.component < plan.above_noise;
  picture.words =
      fmt::format("Weights of {} columns in PC{}: assumed value, {} simulated releases",
                  picture.rows.size(), glance.component + 1, simulated.directions.size());
  picture.width = glance.wide;
  return weights_picture(picture);
}

/// How far the simulated releases put a weight of this component from the assumed one, 95%.
std::optional<double> simulated_reach(const Simulated& simulated, Eigen::Index component) {
  if (simulated.directions.empty()) {
    return std::nullopt;
  }
  double squares = 0.0;
  for (const Matrix& directions : simulated.directions) {
    squares +=
        (directions.col(component) - Vector::Unit(directions.rows(), component)).squaredNorm();
  }
  const auto entries = static_cast<double>(simulated.directions.front().rows()) *
                       static_cast<double>(simulated.directions.size());
  return 1.96 * std::sqrt(squares / entries);
}

Json maps_of(const Planned& plan, const Simulated& simulated, const Glance& glance) {
  const Vector& spectrum = plan.table.spectrum;
  if (spectrum.size() < 2 || plan.question.hoped < 2) {
    return nullptr;
  }
  const double width = std::max(120.0, 0.5 * (glance.wide - 24.0));
  const Matrix before = people_map(spectrum, Matrix::Identity(spectrum.size(), 2));
  const double full = before.maxCoeff();
  Json maps = {{"before", map_picture(before, 0.0, full, width,
                                      "Assumed people on the two assumed directions")}};
  const auto release = static_cast<std::size_t>(glance.release);
  if (release < simulated.directions.size()) {
    Matrix after = people_map(spectrum, simulated.directions[release]);
    const double agree = after.cwiseMin(before).sum() / std::max(1.0, before.sum());
    double hidden = 0.0;
    if (const double budget = plan.question.map_epsilon; budget > 0.0) {
      const auto people = static_cast<double>(plan.table.rows);
      const double scale =
          (plan.request.relation == Relation::ReplaceOne ? 2.0 : 1.0) / budget;  // two squares move
      add_map_noise(after, people, scale);
      // Noise alone passes three scales in one square of forty.
      hidden = 3.0 * scale * before.sum() / people;
    }
    maps["hidden"] = hidden;
    maps["full"] = full;
    maps["agree"] = agree;
    maps["after"] = map_picture(after, hidden, full, width,
                                "The same people on the two directions of a simulated release");
  }
  return maps;
}

/// The plan's noise by its law. Gaussian noise has one of its own along the trace, which is common
/// to all variances: their standard deviation says how much of it.
NoiseScale noise_of(const Planned& plan, double sd_diagonal, double sd_off) {
  if (plan.method == "wishart") {
    return {.law = NoiseLaw::Wishart, .diagonal = sd_diagonal, .off_diagonal = sd_off};
  }
  if (plan.method == "laplace") {
    const double root = std::sqrt(2.0);
    return {
        .law = NoiseLaw::Laplace, .diagonal = sd_diagonal / root, .off_diagonal = sd_off / root};
  }
  const auto p = static_cast<double>(plan.table.spectrum.size());
  const double apart = 1.0 + p * (0.5 * sd_diagonal * sd_diagonal / (sd_off * sd_off) - 1.0);
  return {.diagonal = std::sqrt(2.0) * sd_off,
          .off_diagonal = sd_off,
          .trace_ratio = std::max(0.0, apart)};
}

}  // namespace

std::string slopes_picture(const Slopes& slopes, const std::string& response,
                           const Glance& glance) {
  WeightsPicture picture;
  picture.full = 1.25 * (slopes.values.cwiseAbs() + slopes.sampling).maxCoeff();
  for (const Eigen::Index row : shown_rows(slopes.predictors, slopes.values, glance.search)) {
    picture.rows.push_back({.name = slopes.predictors[static_cast<std::size_t>(row)],
                            .weight = slopes.values[row],
                            .sampling = slopes.sampling[row],
                            .noise = slopes.noise[row]});
  }
  picture.above_noise = !slopes.hidden;
  picture.words = fmt::format(
      "Slopes of {} columns that explain {}: assumed value, privacy noise "
      "and sampling error",
      picture.rows.size(), response);
  picture.width = glance.wide;
  return weights_picture(picture);
}

void add_directions(Json& json, const Planned& plan, Glance glance) {
  const Vector& spectrum = plan.table.spectrum;
  if (spectrum.size() == 0) {
    return;
  }
  const auto hoped = plan.question.hoped;
  glance.component = std::min(glance.component, static_cast<int>(hoped) - 1);
  const std::optional<double> sd_diagonal = plan.number("noise_sd_diagonal");
  const std::optional<double> sd_off = plan.number("noise_sd_off_diagonal");
  const Simulated simulated =
      sd_diagonal && sd_off
          ? simulate_moment(spectrum, noise_of(plan, *sd_diagonal, *sd_off), hoped)
          : simulate_method(plan.request, plan.table, hoped);
  const std::size_t releases = simulated.directions.size();
  glance.release = releases == 0 ? 0 : glance.release % static_cast<int>(releases);
  json["component"] = glance.component;
  json["release"] = glance.release;
  json["releases"] = releases;
  json["null_releases"] = simulated.nulls;
  if (const std::optional<double> reach = simulated_reach(simulated, glance.component)) {
    json["weight_reach"] = *reach;
  }
  json["scree"] = scree_of(plan, simulated, glance);
  json["weights"] = weights_of(plan, simulated, glance);
  json["maps"] = maps_of(plan, simulated, glance);
  json["spectrum"] = std::vector<double>(spectrum.data(), spectrum.data() + spectrum.size());
}

}  // namespace eigenveil::cli
