// Fuzz target for the functions of pliant.h.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Interprets the bytes as a sequence of calls with valid and invalid arguments. Each call must succeed, or fail with a
/// known status and a message.
void fuzz_calls(const uint8_t *data, size_t size);
