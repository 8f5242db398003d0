// Base64 encoding for VTU files.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Decodes base64 text between `at` and `end` into `count` bytes `out`; blanks are skipped. Returns the end of the
/// decoded text and its padding, or NULL if the text is too short or invalid, or after an interrupt.
const char *base64_decode(const char *at, const char *end, unsigned char *out, int64_t count);

/// Writes bytes in base64, with padding, without line ends.
void base64_write(FILE *file, const unsigned char *bytes, size_t count);
