// Makes a text safe for a terminal: see printable.h.
#include "base/printable.h"

#include <stdio.h>
#include <string.h>

// Returns the number of bytes of the UTF-8 character at `text`; 0 if it is invalid.
static int character_length(const unsigned char *text) {
  const int length = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
  if (text[0] > 0xf4) return 0;
  for (int k = 1; k < length; k++)
    if ((text[k] & 0xc0) != 0x80) return 0;  // a text that ends within the character fails here too, by its zero byte
  return length;
}

// Returns true for control characters of ASCII and of Latin-1 (in UTF-8 the bytes c2 80 to c2 9f). Terminals obey
// control characters of both sets.
static int is_control(const unsigned char *text) {
  return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

// Writes one byte as an escape sequence of at most four characters: "\n", "\x1b".
static void escape(unsigned char byte, char out[5]) {
  static const char named[] = "abtnvfr";
  if (byte >= '\a' && byte <= '\r')
    snprintf(out, 5, "\\%c", named[byte - '\a']);
  else
    snprintf(out, 5, "\\x%02x", byte);
}

void printable(char *text, size_t size) {
  // skip the part that needs no change; most texts have no control characters, so the function ends here
  const unsigned char *from = (const unsigned char *)text;
  int length;
  while (*from && (length = character_length(from)) > 0 && !is_control(from)) from += length;
  if (!*from) return;

  char copy[2048];
  const size_t kept = (size_t)((const char *)from - text);
  snprintf(copy, sizeof copy, "%s", (const char *)from);
  char *to = text + kept;
  size_t capacity = size - kept;
  for (from = (const unsigned char *)copy; *from; from += length) {
    char piece[12] = "";
    length = character_length(from);
    if (length > 0 && !is_control(from)) {
      memcpy(piece, from, (size_t)length);
    } else {
      if (length == 0) length = 1;
      for (int k = 0; k < length; k++) escape(from[k], piece + strlen(piece));
    }
    const size_t taken = strlen(piece);
    if (taken >= capacity) break;
    memcpy(to, piece, taken);
    to += taken;
    capacity -= taken;
  }
  *to = '\0';
}
