// A copy of a stream would draw the same noise again.
#include "eigenveil/random/stream.hpp"

void draw(eigenveil::RandomStream stream);

void draw_of(eigenveil::RandomStream& stream) {
#ifdef MUST_NOT_COMPILE
  draw(stream);
#else
  draw(stream.split());
#endif
}
