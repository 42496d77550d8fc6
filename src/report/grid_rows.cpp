#include "report/grid_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace eigenveil {
namespace {

constexpr int kMostDecimals = 15;
constexpr double kLargestSteps = 9e18;

double power_of_ten(int decimals) {
  static constexpr std::array kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  return kPowers.at(static_cast<std::size_t>(decimals));
}

std::int64_t steps_of(double value, double power) {
  return std::llrint(std::clamp(value * power, -kLargestSteps, kLargestSteps));
}

/// "-12.345" for -12345 steps of 10^-3.
char* write_steps(char* out, std::int64_t steps, int decimals) {
  if (steps < 0) {
    *out++ = '-';
    steps = -steps;
  }
  std::array<char, 24> digits;
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), steps);
  const auto count = static_cast<int>(end - digits.data());
  const int whole = count - decimals;
  if (whole <= 0) {
    *out++ = '0';
  } else {
    out = std::copy_n(digits.data(), whole, out);
  }
  if (decimals > 0) {
    *out++ = '.';
    out = std::fill_n(out, std::max(0, -whole), '0');
    out = std::copy(digits.data() + std::max(0, whole), digits.data() + count, out);
  }
  return out;
}

}  // namespace

int grid_decimals(double deviation) {
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(deviation))), 0, kMostDecimals);
}

void round_to_decimals(double* values, std::size_t rows, const std::vector<int>& decimals) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (const int places : decimals) {
      const double power = power_of_ten(places);
      *values = static_cast<double>(steps_of(*values, power)) / power;
      ++values;
    }
  }
}

void append_grid_rows(std::string& text, const double* values, std::size_t rows,
                      const std::vector<int>& decimals) {
  constexpr std::size_t kWidest = 40;
  const std::size_t before = text.size();
  text.resize(before + rows * decimals.size() * kWidest);
  char* out = text.data() + before;
  std::vector<double> powers;
  for (const int places : decimals) {
    powers.push_back(power_of_ten(places));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < decimals.size(); ++column) {
      out = write_steps(out, steps_of(*values++, powers[column]), decimals[column]);
      *out++ = ',';
    }
    out[-1] = '\n';
  }
  text.resize(static_cast<std::size_t>(out - text.data()));
}

}  // namespace eigenveil
