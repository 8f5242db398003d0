// Finds pairs of equal faces: see face_pairs.h.
#include "mesh/face_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// Returns a hash of a face's nodes: the slot of the hash table at which the search for this face begins. The table has
// mask + 1 slots, a power of two. If the slot contains another face, the search continues in the next slots.
static uint32_t slot_of(const int node[3], uint32_t mask) {
  const uint32_t mixed = (uint32_t)node[0] * 73856093u ^ (uint32_t)node[1] * 19349663u ^ (uint32_t)node[2] * 83492791u;
  return (mixed ^ mixed >> 15) & mask;
}

bool face_pairs(const int (*node)[3], int count, int *pair, Error *error) {
  uint32_t slots = 8;
  while (slots < 2 * (uint32_t)count) slots *= 2;

  // Hash table: first[slot] is 1 + the index of a face, or 0 if the slot is empty. Of several equal faces, only the one
  // that was stored last is in the table.
  int *first = array_new(slots, sizeof *first, "faces", error);
  if (!first) return false;
  for (int k = 0; k < count; k++) {
    uint32_t at = slot_of(node[k], slots - 1);
    while (first[at] && memcmp(node[first[at] - 1], node[k], sizeof node[k]) != 0) at = (at + 1) & (slots - 1);
    const int same = first[at] - 1;
    pair[k] = -1;
    if (same >= 0 && pair[same] < 0) {
      pair[same] = k;
      pair[k] = same;
    } else
      first[at] = k + 1;
  }
  free(first);
  return true;
}
