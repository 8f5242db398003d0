// Finds the words that a user has typed in texts, without regard to the case of ASCII letters.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the first position of `word` [length] in a text; NULL: the text does not have it.
const char *word_find(const char *text, const char *word, size_t length);

/// Returns true if each word of `typed` is in `text` or in `other`. Spaces separate words.
bool words_are_in(const char *typed, const char *text, const char *other);

#ifdef __cplusplus
}
#endif
