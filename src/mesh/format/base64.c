// Decodes and encodes base64: see base64.h.
#include "mesh/format/base64.h"

#include "base/interrupt.h"

static int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? 64 : -1;
}

const char *base64_decode(const char *at, const char *end, unsigned char *out, int64_t count) {
  for (int64_t done = 0; done < count && !interrupt_requested();) {
    int group[4], got = 0;
    while (got < 4) {
      while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
      if (at == end || (group[got++] = value_of(*at++)) < 0) return NULL;
    }
    const int bytes = group[2] == 64 ? 1 : group[3] == 64 ? 2 : 3;
    if (group[0] == 64 || group[1] == 64 || (group[2] == 64 && group[3] != 64)) return NULL;
    const uint32_t bits = (uint32_t)group[0] << 18 | (uint32_t)group[1] << 12 | (uint32_t)(group[2] & 63) << 6 |
                          (uint32_t)(group[3] & 63);
    if (bytes < 3 && done + bytes < count) return NULL;  // fails: '=' may occur only at the end of the data
    for (int k = 0; k < bytes && done < count; k++) out[done++] = (unsigned char)(bits >> (16 - 8 * k));
  }
  return interrupt_requested() ? NULL : at;
}

void base64_write(FILE *file, const unsigned char *bytes, size_t count) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t k = 0; k < count; k += 3) {
    const size_t left = count - k;
    const uint32_t bits =
        (uint32_t)bytes[k] << 16 | (left > 1 ? (uint32_t)bytes[k + 1] << 8 : 0) | (left > 2 ? bytes[k + 2] : 0);
    fputc(alphabet[bits >> 18], file);
    fputc(alphabet[bits >> 12 & 63], file);
    fputc(left > 1 ? alphabet[bits >> 6 & 63] : '=', file);
    fputc(left > 2 ? alphabet[bits & 63] : '=', file);
  }
}
