#pragma once

#include <map>
#include <mutex>
#include <string>

namespace eigenveil {

/// Places for connections. One source (an address, or the /64 network of an IPv6 one) has so many
/// at most, and never more than a quarter of those that are free, or one: whoever holds connections
/// open leaves room for the others, and to fill the last places takes an address for each. 0 for
/// one source: all of them.
class ConnectionPlaces {
 public:
  ConnectionPlaces(int most, int most_of_one) : most_(most), most_of_one_(most_of_one) {}

  bool take(const std::string& source);
  void give_back(const std::string& source);

 private:
  int most_;
  int most_of_one_;
  int taken_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> of_;
};

}  // namespace eigenveil
