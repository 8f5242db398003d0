// Boxes in blocks of eight: see box_blocks.h. A comparison of two blocks tests 64 pairs of boxes. A processor cannot
// predict the results, so the tests have no branches: each sets one bit of a word. Then a loop visits only the pairs
// whose bits are 1.
#include "sim/contact/box_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/wide.h"

typedef EightNodes Mask8;

static const Box EMPTY = { .low = { INFINITY, INFINITY, INFINITY },
                           .high = { -INFINITY, -INFINITY, -INFINITY },
                           .path_low = { INFINITY, INFINITY, INFINITY },
                           .path_high = { -INFINITY, -INFINITY, -INFINITY } };

static void put(BoxBlock *block, int lane, const Box *box) {
  for (int i = 0; i < 3; i++) {
    block->low[i][lane] = box->low[i];
    block->high[i][lane] = box->high[i];
    block->path_low[i][lane] = box->path_low[i];
    block->path_high[i][lane] = box->path_high[i];
  }
}

// The small functions below take vectors by pointer. If vectors were passed by value, the compiler would warn: this
// file is compiled for several instruction sets (base/wide.h), which pass vectors in different registers.
static inline void take_least(Eight *a, const Eight *b) {
  for (int j = 0; j < BOX_BLOCK; j++) (*a)[j] = (*b)[j] < (*a)[j] ? (*b)[j] : (*a)[j];
}

static inline void take_greatest(Eight *a, const Eight *b) {
  for (int j = 0; j < BOX_BLOCK; j++) (*a)[j] = (*b)[j] > (*a)[j] ? (*b)[j] : (*a)[j];
}

static inline float least_of(const Eight *all) {
  float least[BOX_BLOCK / 2];
  for (int j = 0; j < 4; j++) least[j] = (*all)[j + 4] < (*all)[j] ? (*all)[j + 4] : (*all)[j];
  for (int j = 0; j < 2; j++) least[j] = least[j + 2] < least[j] ? least[j + 2] : least[j];
  return least[1] < least[0] ? least[1] : least[0];
}

static inline float greatest_of(const Eight *all) {
  const Eight negative = -*all;
  return -least_of(&negative);
}

// Returns the box that contains all eight boxes of a block.
static inline Box around(const BoxBlock *block) {
  Box box = EMPTY;
  for (int i = 0; i < 3; i++) {
    box.low[i] = least_of(&block->low[i]);
    box.high[i] = greatest_of(&block->high[i]);
    box.path_low[i] = least_of(&block->path_low[i]);
    box.path_high[i] = greatest_of(&block->path_high[i]);
  }
  return box;
}

bool box_blocks_create(BoxBlocks *b, const int *item, int count, const int *node, int corner_count, Error *error) {
  int levels = 1, blocks = 0;
  for (int64_t n = BOX_BLOCK; n < count; n *= BOX_BLOCK) levels++;
  *b = (BoxBlocks){ .slot_count = (count + BOX_BLOCK - 1) / BOX_BLOCK * BOX_BLOCK,
                    .corner_count = corner_count,
                    .level_count = levels };
  b->item = array_new(b->slot_count, sizeof *b->item, "contact", error);
  b->corners = array_new(b->slot_count / BOX_BLOCK, sizeof *b->corners, "contact", error);
  b->filled = array_new(b->slot_count / BOX_BLOCK, sizeof *b->filled, "contact", error);
  b->level = array_new((int64_t)levels + 1, sizeof *b->level, "contact", error);
  if (!b->item || !b->corners || !b->filled || !b->level) return false;
  for (int l = 0, n = count; l < levels; l++) {
    n = (n + BOX_BLOCK - 1) / BOX_BLOCK;
    blocks += n;
    b->level[l + 1] = blocks;
  }

  b->block = array_new(blocks, sizeof *b->block, "contact", error);
  if (!b->block) return false;
  for (int k = 0; k < b->slot_count; k++) {
    b->item[k] = k < count ? item[k] : -1;
    if (b->item[k] >= 0) b->filled[k / BOX_BLOCK] |= (uint8_t)(1u << k % BOX_BLOCK);
    for (int j = 0; j < 3; j++)
      b->corners[k / BOX_BLOCK].node[j][k % BOX_BLOCK] =
          b->item[k] < 0 ? 0 : node[corner_count * b->item[k] + (j < corner_count ? j : 0)];
  }

  for (int k = 0; k < blocks; k++)
    for (int j = 0; j < BOX_BLOCK; j++) put(&b->block[k], j, &EMPTY);
  return true;
}

void box_blocks_destroy(BoxBlocks *b) {
  free(b->item);
  free(b->corners);
  free(b->filled);
  free(b->level);
  free(b->block);
  *b = (BoxBlocks){ 0 };
}

static inline void gather(const float *of, const EightNodes *at, Eight *to) {
  *to = (Eight){ of[(*at)[0]], of[(*at)[1]], of[(*at)[2]], of[(*at)[3]],
                 of[(*at)[4]], of[(*at)[5]], of[(*at)[6]], of[(*at)[7]] };
}

// For each of the eight slots of a block, computes *low and *high: the smallest and the largest element of the array
// `of` at the nodes of the slot's item. `of` [nodes] has one coordinate of the positions, or of the displacements.
static inline void ends(const float *of, const BlockCorners *corners, int corner_count, Eight *low, Eight *high) {
  gather(of, &corners->node[0], low);
  *high = *low;
  for (int j = 1; j < corner_count; j++) {
    Eight more;
    gather(of, &corners->node[j], &more);
    take_least(low, &more);
    take_greatest(high, &more);
  }
}

// Computes the box around the eight boxes of block k of `level`, and stores it in the level above. `level` must not be
// the highest.
static inline void put_above(BoxBlocks *b, int level, int k) {
  const Box box = around(&b->block[b->level[level] + k]);
  put(&b->block[b->level[level + 1] + k / BOX_BLOCK], k % BOX_BLOCK, &box);
}

WIDE void box_blocks_bound(BoxBlocks *b, const NodePaths *paths, int first, int last) {
  for (int k = first; k < last; k++) {
    const BlockCorners *corners = &b->corners[k];
    BoxBlock *block = &b->block[k];
    for (int i = 0; i < 3; i++) {
      ends(paths->at[i], corners, b->corner_count, &block->low[i], &block->high[i]);
      ends(paths->displacement[i], corners, b->corner_count, &block->path_low[i], &block->path_high[i]);
    }
    for (int j = 0; j < BOX_BLOCK; j++)
      if (b->item[BOX_BLOCK * k + j] < 0) put(block, j, &EMPTY);
    if (b->level_count > 1) put_above(b, 0, k);
  }
}

WIDE void box_blocks_fit(BoxBlocks *b) {
  for (int l = 1; l + 1 < b->level_count; l++)
    for (int k = 0; k < box_blocks_count(b, l); k++) put_above(b, l, k);
}

// Tests the eight boxes of a block against one given box along axis i. If a box stays further than `near` from the
// given box, its element of the mask `apart` is set. boxes_overlap (box_tree.h) uses this formula for all axes.
#define APART(block, i, box_low, box_high, box_path_low, box_path_high)                                  \
  do {                                                                                                   \
    Eight back = (box_path_low) - (block)->path_high[i], on = (box_path_high) - (block)->path_low[i];    \
    back = (Eight)((Mask8)back & (back < 0)), on = (Eight)((Mask8)on & (on > 0));                        \
    apart |= ((box_low) - (block)->high[i] + back > near) | ((box_high) - (block)->low[i] + on < -near); \
  } while (0)

// Converts a mask of eight elements to an integer: bit j is 1 if element j of the mask is set.
static inline unsigned bits_of(const Mask8 *set) {
#ifdef __SSE2__
  typedef float Four __attribute__((vector_size(16)));
  typedef struct Halves {
    Four low, high;
  } Halves;
  Halves halves;
  memcpy(&halves, set, sizeof halves);
  return (unsigned)__builtin_ia32_movmskps(halves.low) | (unsigned)__builtin_ia32_movmskps(halves.high) << 4;
#else
  const Mask8 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
  const Mask8 chosen = *set & bit;
  unsigned bits = 0;
  for (int j = 0; j < BOX_BLOCK; j++) bits |= (unsigned)chosen[j];
  return bits;
#endif
}

// Returns a mask of the blocks inside block k of `level` (above 0): bit i is 1 if the i-th block exists. The last block
// of a level may contain fewer than eight. The missing ones are empty boxes in memory; this mask excludes them, since a
// test with an infinite `near` would accept them.
static inline unsigned blocks_below(const BoxBlocks *b, int level, int k) {
  const int count = box_blocks_count(b, level - 1) - BOX_BLOCK * k;
  return count < BOX_BLOCK ? (1u << count) - 1 : (1u << BOX_BLOCK) - 1;
}

// Returns a mask: bit k is 1 if box k of `block` may come within `near`, m, of box number `lane` of the block `of`.
static inline unsigned bits_near(const BoxBlock *block, const BoxBlock *of, int lane, float near) {
  Mask8 apart = { 0 };
  for (int c = 0; c < 3; c++)
    APART(block, c, of->low[c][lane], of->high[c][lane], of->path_low[c][lane], of->path_high[c][lane]);
  apart = ~apart;
  return bits_of(&apart);
}

// Computes for each of a block's eight boxes the region that it covers during its motion, in a frame that moves by
// `displacement`. Enlarges each region by `more`, m, on all sides.
static inline void sweep(const BoxBlock *block, const float displacement[3], float more, Eight low[3], Eight high[3]) {
  const Eight none = { 0 };
  for (int i = 0; i < 3; i++) {
    Eight back = block->path_low[i] - displacement[i], on = block->path_high[i] - displacement[i];
    take_least(&back, &none);
    take_greatest(&on, &none);
    low[i] = block->low[i] + back - more;
    high[i] = block->high[i] + on + more;
  }
}

// The function decides if two items may come near each other. It tests the regions that the boxes of the items cover
// during the motion, in a frame that moves with the first item of block pair.a. boxes_overlap instead uses the relative
// motion of each pair, and takes three times as long as this test. The test here accepts only a few more pairs than
// boxes_overlap, since objects that are near each other usually have similar displacements.
WIDE int box_blocks_pairs(const BoxBlocks *own, const BoxBlocks *other, BlockPair pair, float near, bool once,
                          SweptBlock *swept, BlockPair to[BOX_BLOCK * BOX_BLOCK]) {
  const uint64_t NOT_BEHIND = 0x80c0e0f0f8fcfeff;  // selects j >= i: bit 8 i + j is 1 if j >= i
  const uint64_t BYTE = 0xff, EACH_BYTE = 0x0101010101010101;
  const EightNodes *first_node = own->corners[pair.a].node, *node = other->corners[pair.b].node;
  Eight low[3], high[3];
  if (swept->block != pair.a) {
    const BoxBlock *a = &own->block[pair.a];
    swept->block = pair.a;
    swept->filled = 0;
    for (int i = 0; i < BOX_BLOCK; i++)
      if (own->filled[pair.a] >> i & 1) swept->filled |= BYTE << (BOX_BLOCK * i);
    for (int i = 0; i < 3; i++) swept->displacement[i] = a->path_low[i][0];
    sweep(a, swept->displacement, near, swept->low, swept->high);
  }

  sweep(&other->block[pair.b], swept->displacement, 0, low, high);

  // bit 8 * i + j is for slot i of block pair.a and slot j of block pair.b: bit 19 is for slots 2 and 3. The loop sets
  // a bit if the boxes are far apart or the items share a node. Then all bits are inverted.
  uint64_t bits = 0;
  for (int i = 0; i < BOX_BLOCK; i++) {
    const int u = first_node[0][i], v = first_node[1][i];
    Mask8 far = (node[0] == u) | (node[1] == u) | (node[2] == u) | (node[0] == v) | (node[1] == v);
    far |= (high[0] < swept->low[0][i]) | (low[0] > swept->high[0][i]);
    far |= (high[1] < swept->low[1][i]) | (low[1] > swept->high[1][i]);
    far |= (high[2] < swept->low[2][i]) | (low[2] > swept->high[2][i]);
    bits |= (uint64_t)bits_of(&far) << (BOX_BLOCK * i);
  }

  bits = ~bits & (once && pair.a == pair.b ? NOT_BEHIND : ~(uint64_t)0);
  bits &= swept->filled & other->filled[pair.b] * EACH_BYTE;
  int found = 0;
  for (; bits; bits &= bits - 1) {
    const int at = __builtin_ctzll(bits);
    to[found++] = (BlockPair){ BOX_BLOCK * pair.a + at / BOX_BLOCK, BOX_BLOCK * pair.b + at % BOX_BLOCK };
  }
  return found;
}

static inline void clamp01_all(Eight *s) {
  const Eight none = { 0 }, all = none + 1.0f;
  take_greatest(s, &none);
  take_least(s, &all);
}

// Copies element k of *other to *s for each k that the mask `where` selects. The other elements of *s stay unchanged.
static inline void put_where(const Mask8 *where, const Eight *other, Eight *s) {
  *s = (Eight)(((Mask8)*other & *where) | ((Mask8)*s & ~*where));
}

static inline void dot_all(const Eight a[3], const Eight b[3], Eight *sum) {
  *sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// For eight pairs of edges, x[0] to x[1] and x[2] to x[3], computes two numbers, m^2: the squared distance of the
// edges, and the squared length of the longer edge. The method is that of nearest_edge_edge.
static inline void edge_distances2(const Eight x[4][3], Eight *distance2, Eight *longest2) {
  Eight u[3], v[3], r[3], a, b, c, e, f;
  for (int i = 0; i < 3; i++) {
    u[i] = x[1][i] - x[0][i];
    v[i] = x[3][i] - x[2][i];
    r[i] = x[0][i] - x[2][i];
  }

  dot_all(u, u, &a);
  dot_all(v, v, &e);
  dot_all(v, r, &f);
  dot_all(u, r, &c);
  dot_all(u, v, &b);
  const Eight across = a * e - b * b, none = { 0 }, all = none + 1.0f;
  const Mask8 parallel = across <= 1e-6f * a * e;
  Eight s = (b * f - c * e) / across;
  put_where(&parallel, &none, &s);
  clamp01_all(&s);
  Eight t = (b * s + f) / e, first = -c / a, last = (b - c) / a;
  const Mask8 before = t<0, behind = t> 1;
  clamp01_all(&first);
  clamp01_all(&last);
  put_where(&before, &first, &s);
  put_where(&before, &none, &t);
  put_where(&behind, &last, &s);
  put_where(&behind, &all, &t);
  for (int i = 0; i < 3; i++) r[i] += s * u[i] - t * v[i];
  dot_all(r, r, distance2);
  *longest2 = a;
  take_greatest(longest2, &e);
}

// For eight pairs of edges, computes an upper bound on the decrease of their distance, m: the largest relative
// displacement of a node of one edge and a node of the other. To avoid a square root, the bound uses sqrt(x) <= (x/c +
// c)/2, which holds for every c > 0. Here x is the largest squared length of a relative displacement of two
// nodes, and c the largest sum of the absolute values of its components.
static inline void edge_closings(const Eight displacement[4][3], Eight *closing) {
  Eight most2 = { 0 }, maximum = most2 + 1e-30f;
  for (int j = 0; j < 2; j++)
    for (int k = 2; k < 4; k++) {
      Eight against[3], size2, size = { 0 };
      for (int i = 0; i < 3; i++) {
        against[i] = displacement[j][i] - displacement[k][i];
        const Eight back = -against[i];
        Eight part = against[i];
        take_greatest(&part, &back);
        size += part;
      }
      dot_all(against, against, &size2);
      take_greatest(&most2, &size2);
      take_greatest(&maximum, &size);
    }
  *closing = (most2 / maximum + maximum) / 2;
}

// Distances between edges are computed in float, with errors below EDGE_OFF times an edge length. There are two reasons
// for such errors. Rounding moves the nearest points of two edges. If two edges are parallel after rounding to float,
// any two opposite points are taken as the nearest ones.
WIDE int box_blocks_close_edges(const BoxBlocks *edges, const NodePaths *paths, float near, BlockPair *pair,
                                int count) {
  const float EDGE_OFF = 4e-3f;
  int kept = 0;
  for (int first = 0; first < count; first += BOX_BLOCK) {
    const int last = count - first < BOX_BLOCK ? count - first : BOX_BLOCK;
    EightNodes node[4];
    Eight x[4][3], displacement[4][3], distance2, longest2, closing;
    for (int k = 0; k < BOX_BLOCK; k++) {
      const BlockPair at = pair[first + (k < last ? k : 0)];
      for (int j = 0; j < 2; j++) {
        node[j][k] = edges->corners[at.a / BOX_BLOCK].node[j][at.a % BOX_BLOCK];
        node[2 + j][k] = edges->corners[at.b / BOX_BLOCK].node[j][at.b % BOX_BLOCK];
      }
    }
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) {
        gather(paths->at[i], &node[j], &x[j][i]);
        gather(paths->displacement[i], &node[j], &displacement[j][i]);
      }
    edge_distances2((const Eight(*)[3])x, &distance2, &longest2);
    edge_closings((const Eight(*)[3])displacement, &closing);

    // A pair is too far apart if its distance > p + q. p = near + closing: `closing` bounds how much the motion reduces
    // the distance. q = EDGE_OFF * longest edge bounds the error of the distance. The test compares squares, with (p +
    // q)^2 <= 1.05 p^2 + 21 q^2.
    const Eight least = near + closing;
    const Mask8 far = distance2 > 1.05f * least * least + 21 * EDGE_OFF * EDGE_OFF * longest2;
    unsigned bits = ~bits_of(&far) & ((1u << last) - 1);
    for (; bits; bits &= bits - 1) pair[kept++] = pair[first + __builtin_ctz(bits)];
  }
  return kept;
}

WIDE int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near,
                           bool once, BlockPair to[BOX_BLOCK * BOX_BLOCK]) {
  const BoxBlock *a = &own->block[own->level[level] + pair.a], *b = &other->block[other->level[level] + pair.b];
  const BoxBlock *above =
      level + 1 < other->level_count ? &other->block[other->level[level + 1] + pair.b / BOX_BLOCK] : NULL;
  const unsigned first_below = blocks_below(own, level, pair.a), other_below = blocks_below(other, level, pair.b);

  // keep only blocks inside block a that may come near the box around block b
  unsigned left = first_below & (above ? bits_near(a, above, pair.b % BOX_BLOCK, near) : ~0u);
  int found = 0;
  for (; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    unsigned bits = other_below & bits_near(b, a, i, near);
    if (once && pair.a == pair.b) bits &= ~0u << i;
    for (; bits; bits &= bits - 1)
      to[found++] = (BlockPair){ BOX_BLOCK * pair.a + i, BOX_BLOCK * pair.b + __builtin_ctz(bits) };
  }
  return found;
}

WIDE int box_blocks_divide_other(const BoxBlocks *own, int a, int first_level, const BoxBlocks *other, int b, int level,
                                 float near, bool once, BlockPair to[BOX_BLOCK]) {
  const Box box = around(&own->block[own->level[first_level] + a]);
  const BoxBlock *second = &other->block[other->level[level] + b];

  // If `once` is true, blocks before `from` are skipped, so that each pair is found once. `from` is the block that
  // contains block a on the level of the found blocks.
  const int from = once ? a >> (3 * (level - 1 - first_level)) : 0;
  const unsigned below = blocks_below(other, level, b);
  int found = 0;
  Mask8 apart = { 0 };
  for (int c = 0; c < 3; c++) APART(second, c, box.low[c], box.high[c], box.path_low[c], box.path_high[c]);
  for (int j = 0; j < BOX_BLOCK; j++) {
    to[found] = (BlockPair){ a, BOX_BLOCK * b + j };
    found += (apart[j] == 0) & (to[found].b >= from) & (below >> j & 1);
  }
  return found;
}
