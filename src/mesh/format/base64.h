// Decodes and encodes base64, a text form of binary data that VTU files use.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Decodes base64 text, from `at` on and before `end`, into the `count` bytes of `out`. Skips blanks in the text.
/// Returns the address after the decoded text and its padding, or NULL if the text is too short or invalid, or after an
/// interrupt.
const char *base64_decode(const char *at, const char *end, unsigned char *out, int64_t count);

/// Writes `count` bytes in base64, with padding and without line ends.
void base64_write(FILE *file, const unsigned char *bytes, size_t count);
