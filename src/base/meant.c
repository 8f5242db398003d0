// Finds the known word that is nearest to an unknown word: see meant.h.
#include "base/meant.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 63, PREFIX_LEAST = 3 };

// Returns the largest number of edits at which a known word counts as similar to an unknown word of this length. For
// example, words within 2 edits of "yuong" (5 letters) are similar to it.
static int edits_max(size_t length) {
  return length < 4 ? 1 : length < 8 ? 2 : 3;
}

static int least(int a, int b) {
  return a < b ? a : b;
}

// Returns the number of edits between two words, where each letter is in at most one edit (optimal string alignment).
// Row i of the table has, at k, the number of edits between the first i letters of a and the first k letters of b. Only
// the last three rows are stored, row i in rows[i % 3].
static int edits_between(const char *a, const char *b) {
  const int m = (int)strlen(a), n = (int)strlen(b);
  int rows[3][LENGTH_MAX + 1];
  for (int k = 0; k <= n; k++) rows[0][k] = k;
  for (int i = 1; i <= m; i++) {
    int *row = rows[i % 3];
    const int *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
    row[0] = i;
    for (int k = 1; k <= n; k++) {
      row[k] = least(least(before[k], row[k - 1]) + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) row[k] = least(row[k], two_before[k - 2] + 1);
    }
  }
  return rows[m % 3][n];
}

Meant meant_by(const char *word) {
  const int maximum = edits_max(strlen(word));
  return (Meant){ .word = word, .edits = maximum + 1 };
}

void meant_offer(Meant *meant, const char *word) {
  const size_t length = strlen(meant->word);
  if (length > LENGTH_MAX || strlen(word) > LENGTH_MAX) return;
  int edits = edits_between(meant->word, word);
  if (length >= PREFIX_LEAST && strncmp(word, meant->word, length) == 0) edits = least(edits, edits_max(length));
  if (edits >= meant->edits) return;
  meant->edits = edits;
  snprintf(meant->nearest, sizeof meant->nearest, "%s", word);
}

const char *meant_text(const Meant *meant, char text[96]) {
  text[0] = '\0';
  if (meant->nearest[0]) snprintf(text, 96, " (did you mean \"%s\"?)", meant->nearest);
  return text;
}
