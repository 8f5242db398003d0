// Suggests an existing word for an unknown one, such as "young" for "yuong". It is the word from which the unknown one
// differs by the fewest edits, such as a changed letter.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// The search for an existing word that the user may have meant.
typedef struct Meant {
  const char *word;  // the unknown word; borrowed
  char nearest[64];  // nearest of the offered words; empty: none is near
  // Edits from `word` to `nearest`: letters changed, left out, added, or swapped with the next one. If none is near:
  // one more than the largest number at which a word is near.
  int edits;
} Meant;

/// Begins a search for the word nearest to an unknown word; each existing word is then passed to meant_offer.
Meant meant_by(const char *word);

/// Compares an existing word with the unknown one. It counts as near if few edits separate the two words: 1 edit for an
/// unknown word of up to 3 letters, 2 for up to 7, and 3 for more. It also counts as near, with at most this number of
/// edits, if it begins with the unknown word, which then must have at least 3 letters.
void meant_offer(Meant *meant, const char *word);

/// Writes ` (did you mean "young"?)`, which messages put after the unknown word, or "" if no word is near. Returns
/// `text`.
const char *meant_text(const Meant *meant, char text[96]);

#ifdef __cplusplus
}
#endif
