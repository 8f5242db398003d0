// The interface for fuzzers. For any bytes, a reader must return its result or an error.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Chooses a format by its file suffix, "msh" or "json" (scenes); or "checkpoint", "log" (input logs), "args" (command
/// lines), "numbers" (of obstacles, paths and states), "calls" (of pliant.h). Returns false if the name is unknown.
bool fuzz_choose(const char *format);

/// Reads the bytes as a file of the chosen format. For "node", the part after the first byte 0xff is the .ele file.
void fuzz_one(const uint8_t *data, size_t size);
