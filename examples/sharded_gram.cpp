// Data on several machines: each sums its own rows exactly, the totals are merged, and one release
// is drawn from them. The merged totals are the same bits as one pass over all rows.
#include <eigenveil/eigenveil.hpp>
#include <filesystem>
#include <iostream>

using namespace eigenveil;

namespace {

/// What a machine does. The file holds exact sums, so it is as private as the rows.
Result<void> sum_rows(const MatrixView& rows, const RowBound& bound,
                      const std::filesystem::path& file) {
  GramAccumulator accumulator(Schema::numbered(bound.dimension()), bound, 2);
  return accumulator.add(rows)
      .and_then([&] { return accumulator.finish(); })
      .and_then([&](const ExactGram& gram) { return gram.save(file); });
}

/// What the machine in the middle does.
Result<ExactGram> merged(const std::vector<std::filesystem::path>& files) {
  Result<ExactGram> all = ExactGram::load(files.front());
  for (std::size_t i = 1; all && i < files.size(); ++i) {
    const Result<void> added =
        ExactGram::load(files[i]).and_then([&](const ExactGram& part) { return all->merge(part); });
    if (!added) {
      return tl::unexpected(added.error());
    }
  }
  return all;
}

Result<void> run() {
  const Matrix people = Matrix::Random(3000, 5);
  const RowBound bound = RowBound::ranges(std::vector<ColumnRange>(5, {-1.0, 1.0})).value();
  const std::vector<std::filesystem::path> files = {"north.gram", "middle.gram", "south.gram"};
  for (Eigen::Index part = 0; part < 3; ++part) {
    const Result<void> summed = sum_rows(people.middleRows(1000 * part, 1000), bound,
                                         files[static_cast<std::size_t>(part)]);
    if (!summed) {
      return summed;
    }
  }
  const Result<ExactGram> all = merged(files);
  if (!all) {
    return tl::unexpected(all.error());
  }
  GramAccumulator one_pass(all->schema(), bound, 1);
  const Result<bool> same = one_pass.add(people)
                                .and_then([&] { return one_pass.finish(); })
                                .map([&](const ExactGram& once) { return once == *all; });
  std::cout << "merged totals are those of one pass: " << (same && *same ? "yes" : "no") << '\n';

  Request request;
  request.task = Task::Covariance;
  request.budget = Zcdp{0.5};
  RandomStream stream = RandomStream::secure();
  return plan(request, {all->schema(), bound})
      .and_then([&](const auto& planned) { return release(*planned, *all, stream); })
      .map([](const ReleaseDocument& document) {
        // Post-processing sees released values alone and keeps their guarantee.
        const Release<double> total =
            document.array("covariance")->map([](const Matrix& c) { return c.trace(); });
        std::cout << "total variance " << total.value() << ": " << in_words(total.guarantee())
                  << '\n';
      });
}

}  // namespace

int main() {
  const Result<void> done = run();
  if (!done) {
    std::cerr << in_words(done.error()) << '\n';
  }
  return done ? 0 : 1;
}
