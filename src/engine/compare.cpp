#include "engine/compare.hpp"

namespace eigenveil {

Result<AssumedSetting> assumed_setting(const Request& request, const AssumedTable& table) {
  if (table.spectrum.size() == 0) {
    return bad_request(
        "a comparison predicts errors for an assumed spectrum: give {spectrum}, with the "
        "eigenvalues "
        "of the covariance in scaled units",
        "spectrum");
  }
  if (const Result<void> fits = request.check_components(table.schema.dimension()); !fits) {
    return error_of(fits);
  }
  if (const Result<void> fits = check_spectrum(request, table); !fits) {
    return error_of(fits);
  }
  const Result<RowBound> bound = table.bound({});
  if (!bound) {
    return error_of(bound);
  }
  if (request.components >= table.spectrum.size()) {
    return bad_request("a comparison needs {components} below the number of columns", "components");
  }
  const bool private_mean = request.private_mean() ||
                            (request.center == CenterChoice::Unsaid && !request.arrives_centred);
  return AssumedSetting{table.rows,
                        request.components,
                        *bound,
                        *request.budget,
                        request.relation,
                        table.spectrum,
                        request.group_size,
                        private_mean ? Extension::Full : Extension::Count};
}

MethodComparison compare_methods(const Request& request, const AssumedSetting& setting) {
  std::vector<ComparedMethod> methods;
  for (const Method* method : methods_for(request.task)) {
    if (std::optional<PredictedError> predicted = method->predicted_error(request, setting)) {
      methods.push_back({method->info().name, *std::move(predicted)});
    }
  }
  return compared(std::move(methods), setting);
}

}  // namespace eigenveil
