// Suggests an existing word for an unknown one: the existing word that needs the fewest edits to become the unknown
// one.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Meant {
  const char *word;  // the unknown word; borrowed
  char nearest[64];  // nearest of the offered words; empty: none is near
  int edits;         // number of edits: letters changed, left out, added, or swapped with the next
} Meant;

/// Returns a Meant to which no words were offered yet.
Meant meant_by(const char *word);

/// Offers an existing word. It counts as near if at most about one letter in four differs, or if it begins with the
/// unknown word.
void meant_offer(Meant *meant, const char *word);

/// Writes ` (did you mean "young"?)`, or an empty text, for a message after the word. Returns the text.
const char *meant_text(const Meant *meant, char text[96]);

#ifdef __cplusplus
}
#endif
