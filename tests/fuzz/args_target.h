// What the fuzzer throws at the command line.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Parses the bytes, a word on each line, as commands that take a scene, stages or names do: into a scene with its
/// options, or a message.
void fuzz_command_line(const uint8_t *data, size_t size);
