// What was meant by a word that does not exist: of those that do, the one with the fewest edits between.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Meant {
  const char *word;  // as it was given; borrowed
  char nearest[64];  // of those that were offered; empty: none is near
  int edits;         // between the two: letters changed, left out, added, or swapped with the next
} Meant;

/// Nothing offered yet.
Meant meant_by(const char *word);

/// A word that exists. It is near where about one letter in four is wrong, or where it begins with the given word.
void meant_offer(Meant *meant, const char *word);

/// Writes ` (did you mean "young"?)`, or nothing, for a message behind the word. Returns the text.
const char *meant_text(const Meant *meant, char text[96]);

#ifdef __cplusplus
}
#endif
