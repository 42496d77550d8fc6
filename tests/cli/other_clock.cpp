// A clock that says what EIGENVEIL_TIME says (seconds since 1970), for programs that are started
// with this library in LD_PRELOAD.
#include <cstdlib>
#include <ctime>

extern "C" std::time_t time(std::time_t* out) {
  const char* said = std::getenv("EIGENVEIL_TIME");
  const std::time_t now = said != nullptr ? static_cast<std::time_t>(std::atoll(said)) : 0;
  if (out != nullptr) {
    *out = now;
  }
  return now;
}
