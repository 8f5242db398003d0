// Finds typed words in texts: see word_search.h.
#include "base/word_search.h"

#include <ctype.h>
#include <string.h>

const char *word_find(const char *text, const char *word, size_t length) {
  for (; *text; text++) {
    size_t k = 0;
    while (k < length && text[k] && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k])) k++;
    if (k == length) return text;
  }
  return NULL;
}

bool words_are_in(const char *typed, const char *text, const char *other) {
  while (*(typed += strspn(typed, " "))) {
    const size_t length = strcspn(typed, " ");
    if (!word_find(text, typed, length) && !word_find(other, typed, length)) return false;
    typed += length;
  }
  return true;
}
