// Interface of the fuzz targets. For any bytes, a reader must return a result or an error, and must not crash.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Chooses the reader that fuzz_one tests. `format` is a file suffix, such as "msh" or "json" (scenes), or one of
/// "checkpoint", "log" (input logs), "args" (command lines), "numbers" (of obstacles, paths and states) and "calls" (of
/// functions of pliant.h). Returns false if the name is unknown.
bool fuzz_choose(const char *format);

/// Reads the bytes as a file of the chosen format. "node" needs two files: the bytes before the first 0xff are the
/// .node file, the bytes after it the .ele file.
void fuzz_one(const uint8_t *data, size_t size);
