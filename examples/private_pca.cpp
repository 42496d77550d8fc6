// Private principal components of an Eigen matrix, written to the directory `out`.
#include <eigenveil/eigenveil.hpp>
#include <iostream>

int main() {
  Eigen::MatrixXd people = Eigen::MatrixXd::Random(20000, 8);  // a row per person, either order
  people.leftCols(2) *= 5.0;
  eigenveil::Request request;  // principal components; all of it is public
  request.components = 2;
  request.budget = eigenveil::ApproxDp{.epsilon = 1.0, .delta = 1e-6};
  const auto bound = eigenveil::RowBound::row_norm(8, 7.5).value();  // known without looking
  auto stream = eigenveil::RandomStream::secure();
  const auto document =
      eigenveil::plan(request, {eigenveil::Schema::numbered(8), bound})
          .and_then([&](const auto& plan) { return eigenveil::release(*plan, people, stream); });
  if (!document) {
    std::cerr << document.error().message << '\n';
    return 1;
  }
  std::cout << in_words(document->guarantee) << '\n'
            << document->array("loadings")->value() << '\n';
  return write_release(*document, eigenveil::TableFormat::Csv, "out") ? 0 : 1;
}
