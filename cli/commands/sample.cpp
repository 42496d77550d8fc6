#include "cli/commands/sample.hpp"

#include <fmt/format.h>

#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

std::string npy_header(const std::string& type, std::size_t draws, Eigen::Index rows,
                       Eigen::Index columns) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}, {}), }}", type, draws,
                  rows, columns);
  constexpr std::size_t kPreamble = 10;
  header.append(63 - (kPreamble + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xffU);
  bytes += static_cast<char>(header.size() >> 8U);
  return bytes + header;
}

Command sample_command() {
  return command_group(
      "sample",
      "Draws from the laws behind the mechanisms, for research: no data, no privacy claim.\n"
      "  eigenveil sample bingham --spectrum spectrum.txt --exponent 50 -k 2 --draws 1000 --out "
      "draws.npy",
      {sample_bingham_command(), sample_orbit_command()});
}

}  // namespace eigenveil::cli
