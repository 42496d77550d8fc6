// Private principal components of an Eigen matrix, written to the directory `out`.
#include <eigenveil/eigenveil.hpp>
#include <iostream>
using namespace eigenveil;

int main() {
  Eigen::MatrixXd people = Eigen::MatrixXd::Random(20000, 8);  // a row per person, either order
  people.leftCols(2) *= 5.0;
  const Request request{.budget = ApproxDp{.epsilon = 1.0, .delta = 1e-6}, .components = 2};
  const PublicFacts known{Schema::numbered(8), RowBound::row_norm(8, 7.5).value()};  // public
  auto stream = RandomStream::secure();
  const auto written =
      plan(request, known)
          .and_then([&](const auto& plan) { return release(*plan, people, stream); })
          .and_then([](const auto& document) {
            std::cout << in_words(document.guarantee()) << '\n'
                      << document.array("loadings")->value() << '\n';
            for (double v :
                 *field<std::vector<double>>(document.result, "noisy_explained_variance"))
              std::cout << v << '\n';
            return write_release(document, TableFormat::Csv, "out");
          });
  if (!written)
    std::cerr << in_words(written.error()) << '\n';
  return written ? 0 : 1;
}
