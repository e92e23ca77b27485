// What OpenSSL has allocated, as this test program's own allocation functions count it.
#pragma once

namespace h2park::tls {

/// Blocks that the calling thread allocated, less those it freed.
long live_blocks();
/// Bytes in live blocks of the record layer's buffers (ssl/record/), of all threads.
long live_record_bytes();

}  // namespace h2park::tls
