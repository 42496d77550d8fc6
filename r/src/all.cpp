// The binding as one unit: most of the time of a small file goes into other people's headers.
#include "document.cpp"
#include "edge.cpp"
#include "engine.cpp"
#include "guarantee.cpp"
#include "init.cpp"
#include "json.cpp"
#include "ledger.cpp"
#include "table.cpp"
