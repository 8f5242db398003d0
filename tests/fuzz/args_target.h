// Fuzz target for the command line.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Parses the bytes as the words of a command line, one word per line, once for each kind of command: with a scene,
/// with stages, with file names. The parser must return a scene with options, or an error.
void fuzz_command_line(const uint8_t *data, size_t size);
