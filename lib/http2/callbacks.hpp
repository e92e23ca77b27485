// Callbacks: the thunks between nghttp2's C table and ServerSession.
//
// Each calls one member. Exceptions do not cross C frames: they become NGHTTP2_ERR_CALLBACK_FAILURE, which
// ends the connection with INTERNAL_ERROR.
#pragma once

#include <nghttp2/nghttp2.h>

namespace h2park::http2 {

void set_callbacks(nghttp2_session_callbacks& table);
/// Reads response DATA; `source.ptr` is the Stream.
nghttp2_data_provider data_provider(void* stream);

}  // namespace h2park::http2
