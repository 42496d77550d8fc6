#include "core/atomic_output.hpp"
#include "report/figure.hpp"

namespace eigenveil {

Result<void> write_figure(const Figure& figure, const std::filesystem::path& folder,
                          const std::string& stem) {
  return write_file_atomically(folder / (stem + ".svg"), figure_svg(figure)).and_then([&] {
    return write_file_atomically(folder / (stem + ".csv"), figure_csv(figure));
  });
}

}  // namespace eigenveil
