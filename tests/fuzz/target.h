// What a fuzzer calls with any bytes: the readers must come back with a mesh or a message, and nothing else happens.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Formats by their names' endings, "msh" or "json" (scenes); or "checkpoint", "log" (input logs), "args" (command
/// lines), "numbers" (of obstacles, paths and states). Returns false where there is none of that name.
bool fuzz_choose(const char *format);

/// Reads the bytes as a file of the chosen format. For "node" what follows the first byte 0xff is the .ele file.
void fuzz_one(const uint8_t *data, size_t size);
