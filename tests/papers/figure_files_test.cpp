#include "papers/figure_files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace eigenveil::papers {
namespace {

TEST(PaperFigure, CategoriesBecomeSeries) {
  const auto groups = points_by_category({1, 2, 3}, {4, 5, 6}, {"b", "a", "b"});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "b");
  EXPECT_EQ(groups[0].x, (std::vector<double>{1, 3}));
  EXPECT_EQ(groups[1].y, (std::vector<double>{5}));
}

TEST(PaperFigure, PngAppearsOrTheErrorSaysWhy) {
  const std::filesystem::path folder = testing::TempDir() + "eigenveil-papers-figure";
  std::filesystem::create_directories(folder);
  Figure figure;
  figure.panels.emplace_back().series = points_by_category({1, 2}, {1, 2}, {"a", "b"});
  ASSERT_TRUE(write_png(figure, folder, "points"));
  std::ifstream png(folder / "points.png", std::ios::binary);
  std::string magic(4, ' ');
  png.read(magic.data(), 4);
  EXPECT_EQ(magic, "\x89PNG");
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const Result<void> without_renderer = write_png(figure, folder, "points");
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(without_renderer);
  EXPECT_NE(without_renderer.error().message.find("librsvg2-bin"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace eigenveil::papers
