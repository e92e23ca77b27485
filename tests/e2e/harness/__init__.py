"""What the end-to-end tests share: a server to start, clients that speak in raw frames and lines, statistics."""
