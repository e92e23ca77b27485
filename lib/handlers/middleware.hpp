// Middleware, composed once at start into one handler.
//
// A middleware is a plain function wherever it can be one: it does its work and returns what `next` returned.
// Only one that must wait for a suspended `next` pays for a coroutine frame, so a handler that finishes at
// once (most do) costs the chain a few calls and nothing else. See recovery.cpp for the shape.
#pragma once

#include "http/handler.hpp"

#include <span>

namespace h2park::handlers {

/// The first middleware is the outermost. The result owns copies of them all; it is immutable and may be
/// called from several threads at once if its parts may.
http::Handler compose(std::span<const http::Middleware> middleware, http::Handler handler);

}  // namespace h2park::handlers
