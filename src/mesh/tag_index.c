// Finds nodes and cells by their tags: see tag_index.h.
#include "mesh/tag_index.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

static int compare_tags(const void *left, const void *right) {
  const int64_t a = ((const TagIndex *)left)->tag, b = ((const TagIndex *)right)->tag;
  return (a > b) - (a < b);
}

bool tag_index_sort(TagIndex *items, int64_t count, Error *error) {
  int64_t ascending = 1;
  while (ascending < count && items[ascending - 1].tag <= items[ascending].tag) ascending++;
  if (ascending >= count) return true;  // sorted already, as in most files
  return sort_items(items, count, sizeof *items, compare_tags, error);
}

TagIndex *tag_index_new(const int64_t *tags, int64_t count, Error *error) {
  TagIndex *items = array_new(count, sizeof *items, "tags", error);
  for (int64_t k = 0; items && k < count; k++) items[k] = (TagIndex){ tags[k], k };
  if (items && tag_index_sort(items, count, error)) return items;
  free(items);
  return NULL;
}

int64_t tag_index_from(const TagIndex *items, int64_t count, int64_t tag) {
  int64_t low = 0;
  while (count > 0) {
    const int64_t half = count / 2;
    if (items[low + half].tag < tag) {
      low += half + 1;
      count -= half + 1;
    } else
      count = half;
  }
  return low;
}

int64_t tag_index_find(const TagIndex *items, int64_t count, int64_t tag) {
  const int64_t at = tag_index_from(items, count, tag);
  return at < count && items[at].tag == tag ? items[at].index : -1;
}
