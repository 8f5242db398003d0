// Sorts by merging and by counting (sort.h).
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// Merge sort: sorts the two halves of items [count], merges them into `spare`, and copies the result back to `items`.
// Returns early if an end is requested.
static void sort_part(char *items, char *spare, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  if (count < 2) return;
  const size_t half = count / 2;
  sort_part(items, spare, half, size, compare);
  sort_part(items + half * size, spare, count - half, size, compare);
  const char *left = items, *right = items + half * size, *left_end = right, *right_end = items + count * size;
  char *to = spare;
  for (; left < left_end && right < right_end && !interrupt_requested(); to += size) {
    const char **least = compare(left, right) <= 0 ? &left : &right;
    memcpy(to, *least, size);
    *least += size;
  }
  if (interrupt_requested()) return;

  // remaining items of the right half are in their final positions
  memcpy(to, left, (size_t)(left_end - left));
  memcpy(items, spare, (size_t)(to - spare) + (size_t)(left_end - left));
}

bool sort_items(void *items, int64_t count, size_t size, int (*compare)(const void *, const void *), Error *error) {
  char *spare = array_new(count, size, "items to sort", error);
  if (spare) sort_part(items, spare, (size_t)count, size, compare);
  free(spare);
  return spare && interrupt_check(error);
}

bool sort_words(uint64_t *word, int64_t count, Error *error) {
  enum { BITS = 11, DIGITS = 1 << BITS };
  uint64_t *spare = array_new(count, sizeof *spare, "words to sort", error), *from = word, *to = spare, differs = 0;
  if (!spare) return false;
  for (int64_t k = 1; k < count; k++) differs |= word[k] ^ word[0];
  for (int shift = 0; shift < 64; shift += BITS) {
    int64_t start[DIGITS + 1] = { 0 };
    if (!(differs >> shift & (DIGITS - 1))) continue;
    for (int64_t k = 0; k < count; k++) start[(from[k] >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++) start[d + 1] += start[d];
    for (int64_t k = 0; k < count; k++) to[start[from[k] >> shift & (DIGITS - 1)]++] = from[k];
    uint64_t *last = from;
    from = to;
    to = last;
  }
  if (from != word) memcpy(word, from, sizeof *word * (size_t)count);
  free(spare);
  return true;
}

// A parallel counting sort of the numbers 0 to count - 1 by their keys. The numbers are divided into `pieces` ranges.
// First each piece counts how often each key occurs in it. Then each piece stores its numbers in `item`: a number comes
// after all numbers of earlier pieces that have its key.
typedef struct Counting {
  const int *key;
  int64_t count;
  int key_count, group, pieces;
  // [pieces][key_count]. At first, the number of times that the key occurs in the piece. Later, the position of the
  // piece's next number among all numbers with this key
  uint32_t *counts;
  int64_t *start;
  int *item;
} Counting;

enum { PIECES_MAX = 16, PIECE_LEAST = 1 << 16, KEY_CHUNK = 1 << 14 };

static int64_t piece_begin(const Counting *c, int piece) {
  return c->count * piece / c->pieces;
}

static void count_keys(const void *counting, int first, int last) {
  const Counting *c = counting;
  for (int piece = first; piece < last; piece++) {
    uint32_t *own = c->counts + (size_t)piece * (size_t)c->key_count;
    const int64_t end = piece_begin(c, piece + 1);
    for (int64_t k = piece_begin(c, piece); k < end && !interrupt_requested_at(k); k++) own[c->key[k]]++;
  }
}

static void add_pieces(const void *counting, int first, int last) {
  const Counting *c = counting;
  for (int key = first; key < last; key++) {
    uint32_t before = 0;
    for (int piece = 0; piece < c->pieces; piece++) {
      uint32_t *own = c->counts + (size_t)piece * (size_t)c->key_count + key, here = *own;
      *own = before;
      before += here;
    }
    c->start[key + 1] = before;
  }
}

static void put_numbers(const void *counting, int first, int last) {
  const Counting *c = counting;
  for (int piece = first; piece < last; piece++) {
    uint32_t *own = c->counts + (size_t)piece * (size_t)c->key_count;
    const int64_t end = piece_begin(c, piece + 1);
    for (int64_t k = piece_begin(c, piece); k < end && !interrupt_requested_at(k); k++)
      c->item[c->start[c->key[k]] + own[c->key[k]]++] = (int)(k / c->group);
  }
}

bool sort_by_key(const int *key, int64_t count, int key_count, int group, int64_t *start, int *item, Error *error) {
  const int64_t worth = count / PIECE_LEAST + 1;
  const int threads = parallel_threads() < PIECES_MAX ? parallel_threads() : PIECES_MAX;
  Counting c = { .key = key, .count = count, .key_count = key_count, .group = group, .start = start, .item = item };
  c.pieces = worth < threads ? (int)worth : threads;
  c.counts = array_new((int64_t)c.pieces * key_count, sizeof *c.counts, "keys", error);
  if (!c.counts) return false;
  parallel_for_parts(c.pieces, count_keys, &c);
  start[0] = 0;
  parallel_for(key_count, KEY_CHUNK, add_pieces, &c);
  for (int k = 0; k < key_count; k++) start[k + 1] += start[k];
  parallel_for_parts(c.pieces, put_numbers, &c);
  free(c.counts);
  return interrupt_check(error);
}
