// Decodes and encodes base64, in which VTU files store binary data as text.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Decodes base64 text between `at` and `end` into the `count` bytes of `out`; blanks in the text are skipped. Returns
/// the address after the decoded text and its padding. Returns NULL if the text is too short or invalid, or after an
/// interrupt.
const char *base64_decode(const char *at, const char *end, unsigned char *out, int64_t count);

/// Writes `count` bytes in base64, with padding and without line ends.
void base64_write(FILE *file, const unsigned char *bytes, size_t count);
