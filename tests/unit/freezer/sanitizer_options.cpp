// More memory than there is must be a null pointer for these tests, as it is without a sanitizer.
extern "C" const char* __asan_default_options();
extern "C" const char* __tsan_default_options();

const char* __asan_default_options() { return "allocator_may_return_null=1"; }
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
