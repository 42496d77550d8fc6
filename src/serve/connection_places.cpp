#include "serve/connection_places.hpp"

#include <algorithm>

namespace eigenveil {

bool ConnectionPlaces::take(const std::string& source) {
  const std::lock_guard lock(mutex_);
  const auto found = of_.find(source);
  const int own = found == of_.end() ? 0 : found->second;
  const int room = most_ - taken_;
  const int share = most_of_one_ > 0 ? std::max(1, std::min(most_of_one_, room / 4)) : most_;
  if (room <= 0 || own >= share) {
    return false;
  }
  ++of_[source];
  ++taken_;
  return true;
}

void ConnectionPlaces::give_back(const std::string& source) {
  const std::lock_guard lock(mutex_);
  const auto found = of_.find(source);
  if (--found->second == 0) {
    of_.erase(found);
  }
  --taken_;
}

}  // namespace eigenveil
