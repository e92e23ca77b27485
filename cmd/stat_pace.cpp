#include "cmd/stat_pace.hpp"

#include <thread>

namespace h2park::cmd {

void RealPace::sleep_until(TimePoint time) { std::this_thread::sleep_until(time); }

}  // namespace h2park::cmd
