// The triple-matrix protocol, simulated offline, and one fake participant. Nothing else of it
// ships.
#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "collection/shares.hpp"
#include "papers/entry.hpp"
#include "random/normal.hpp"

namespace eigenveil::papers {
namespace {

constexpr Eigen::Index kPeople = 400;
constexpr Eigen::Index kColumns = 6;
constexpr double kNoise = 0.05;  // on every cell; rows have cells in [-1, 1]

Matrix normals(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix values(rows, columns);
  fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

/// What travels in the protocol.
struct TripleMatrix {
  Matrix rows;   ///< X, cells in [-1, 1]
  Matrix noisy;  ///< X + C, known to nobody
  Matrix mask;   ///< B, which the collector hands to every participant
  Matrix sent;   ///< (X + C) B, what the masking service receives
};

TripleMatrix run_protocol(RandomStream& stream) {
  TripleMatrix run;
  run.rows = normals(stream, kPeople, kColumns).cwiseMax(-3.0).cwiseMin(3.0) / 3.0;
  run.noisy = run.rows + kNoise * normals(stream, kPeople, kColumns);
  run.mask = normals(stream, kColumns, kColumns);
  run.sent = run.noisy * run.mask;
  return run;
}

double worst(const Matrix& difference) {
  return difference.cwiseAbs().maxCoeff();
}

/// The service enrols one participant, who is given B as everybody is.
Matrix read_by_fake_participant(const TripleMatrix& run) {
  return run.sent * run.mask.inverse();
}

/// The service knows `known` rows from elsewhere (not their noise) and fits B to what they sent.
Matrix read_by_known_rows(const TripleMatrix& run, Eigen::Index known) {
  const Matrix fitted =
      run.rows.topRows(known).colPivHouseholderQr().solve(run.sent.topRows(known));
  return run.sent * fitted.inverse();
}

double root_mean_square(const Matrix& difference) {
  return std::sqrt(difference.squaredNorm() / static_cast<double>(difference.size()));
}

/// Ours: how often the top bit of aggregator B's share of t x_1 tells the sign of x_1, over people
/// with either sign. The share is what B holds; a fake participant adds the public manifest to it.
double signs_told_by_a_share(int people, RandomStream& stream) {
  int told = 0;
  for (int person = 0; person < people; ++person) {
    const bool positive = person % 2 == 0;
    const std::vector<std::int64_t> row = {8192, positive ? 16000 : -16000};
    ShareSeed seed = {};
    for (unsigned char& byte : seed) {
      byte = static_cast<unsigned char>(stream.bits64());
    }
    const std::vector<Int128> triangle = outer_triangle(row);
    const ShareVector share = difference(triangle, expand(seed, triangle.size()));
    const bool guessed = (share[triangle_index(0, 1)] >> 127U) == 0;
    told += guessed == positive ? 1 : 0;
  }
  return static_cast<double>(told) / people;
}

Result<Reproduction> produce_attack(EntryRun& run) {
  const TripleMatrix protocol = run_protocol(run.stream);
  Reproduction result;
  result.parameters = {{"people", std::int64_t{kPeople}},
                       {"columns", std::int64_t{kColumns}},
                       {"noise_on_cells", kNoise}};
  const Matrix read = read_by_fake_participant(protocol);
  const double exactly = worst(read - protocol.noisy);
  result.comparisons.push_back(
      {"largest error of a noisy cell as the masking service reads it, with one fake participant",
       "0 up to rounding: read exactly", fmt::format("{:.1e}", exactly), exactly < 1e-9});
  PrintedTable table{"known_rows",
                     "Without a fake participant: rows that the service knows from elsewhere, and "
                     "how well it then reads all others (root mean square over cells; the noise "
                     "itself has 0.05, and guessing the mean 0.33).",
                     {"known rows", "error"},
                     {}};
  for (const Eigen::Index known : {kColumns, 2 * kColumns, 4 * kColumns, 16 * kColumns}) {
    const Matrix others =
        (read_by_known_rows(protocol, known) - protocol.rows).bottomRows(kPeople - known);
    table.rows.push_back(
        {fmt::format("{}", known), fmt::format("{:.3g}", root_mean_square(others))});
  }
  result.tables.push_back(table);
  const int people = run.effort == Effort::Full ? 1'000'000 : 50'000;
  const double told = signs_told_by_a_share(people, run.stream);
  // Hoeffding: further than this from 1/2 with probability at most 1e-9.
  const double limit = std::sqrt(std::log(2.0 / 1e-9) / (2.0 * people));
  result.comparisons.push_back(
      {"share of people whose sign of an answer one of our aggregators tells from its share",
       fmt::format("1/2, within {:.4f}", limit), fmt::format("{:.4f}", told),
       std::fabs(told - 0.5) <= limit});
  result.notes = {
      "The collector hands the same B to every participant, so that one participant who works for "
      "the service is enough: the service inverts B and reads every noisy row. The noise alone is "
      "then what protects a row, at the level of noise without a mask.",
      "Ours (docs/proofs/collection.md) has no secret that participants share: a fake participant "
      "learns public keys."};
  return result;
}

}  // namespace

Entry triple_matrix_entry() {
  return {"own-triple-matrix", "the triple-matrix protocol read by one fake participant, ours not",
          "Our own attack on the collection protocol that the masking paper points to",
          "Participants send (x + c) B to a masking service, which never sees unmasked rows.",
          produce_attack};
}

}  // namespace eigenveil::papers
