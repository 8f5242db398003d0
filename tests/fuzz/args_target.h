// Fuzz target for the command line.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Parses the bytes, one word a line, as the arguments of commands with a scene, stages or names. The result is a scene
/// with options, or an error.
void fuzz_command_line(const uint8_t *data, size_t size);
