# Everything comes from Debian packages (scripts/debian-packages.txt).
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
if(EIGENVEIL_CLI)
  find_package(CLI11 REQUIRED)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(crypto REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(lapacke REQUIRED IMPORTED_TARGET lapacke)

add_library(eigenveil_dependencies INTERFACE)
target_link_libraries(eigenveil_dependencies INTERFACE
  Eigen3::Eigen fmt::fmt ZLIB::ZLIB PkgConfig::sodium PkgConfig::crypto
  PkgConfig::lapacke PkgConfig::openblas Threads::Threads)
