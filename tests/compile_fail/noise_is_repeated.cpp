// Two releases with the same noise show the rows: no stream gives its noise twice without saying
// so.
#include "eigenveil/random/stream.hpp"

eigenveil::RandomStream stream_of_table(eigenveil::RandomStream& family) {
#ifdef MUST_NOT_COMPILE
  return family.substream(1);
#else
  return family.split();
#endif
}
