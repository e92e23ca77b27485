#include "base/heap_trim.hpp"

#include <malloc.h>

namespace h2park {

void HeapTrim::trim_heap() { malloc_trim(0); }

}  // namespace h2park
