// Code that only the start of the program needed, given back.
#pragma once

#include <string_view>

namespace h2park {

/// Unmaps the code and constants of the loaded libraries whose file name begins with `library`. Whatever is
/// used again comes back from the page cache, at the price of a minor fault for sixteen pages.
/// Requires: nobody has changed that code in memory, as a debugger's breakpoints do.
/// Thread: any.
void drop_code_pages(std::string_view library);

}  // namespace h2park
