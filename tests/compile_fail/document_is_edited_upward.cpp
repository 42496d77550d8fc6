// What is published says what was proved: nobody writes a smaller loss into a drawn document.
#include "eigenveil/report/document.hpp"

using namespace eigenveil;

void edit(ReleaseDocument& document) {
#ifdef MUST_NOT_COMPILE
  document.guarantee().loss = PureDp{0.001};
#else
  document.data_set = in_words(document.guarantee());
#endif
}
