// Boxes by eights: see box_blocks.h. What comes near can hardly be foretold: so tests of a pair of blocks leave bits,
// and a branch is taken for those that are set alone.
#include "sim/contact/box_blocks.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/wide.h"

typedef int Mask8 __attribute__((vector_size(32), aligned(16)));

static const Box EMPTY = { .low = { INFINITY, INFINITY, INFINITY },
                           .high = { -INFINITY, -INFINITY, -INFINITY },
                           .way_low = { INFINITY, INFINITY, INFINITY },
                           .way_high = { -INFINITY, -INFINITY, -INFINITY } };

static void put(BoxBlock *block, int lane, const Box *box) {
  for (int i = 0; i < 3; i++) {
    block->low[i][lane] = box->low[i], block->high[i][lane] = box->high[i];
    block->way_low[i][lane] = box->way_low[i], block->way_high[i][lane] = box->way_high[i];
  }
}

// the box around all of a block
static Box around(const BoxBlock *block) {
  Box box = EMPTY;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < BOX_BLOCK; j++) {
      const float low = block->low[i][j], high = block->high[i][j];
      const float way_low = block->way_low[i][j], way_high = block->way_high[i][j];
      box.low[i] = low < box.low[i] ? low : box.low[i], box.high[i] = high > box.high[i] ? high : box.high[i];
      box.way_low[i] = way_low < box.way_low[i] ? way_low : box.way_low[i];
      box.way_high[i] = way_high > box.way_high[i] ? way_high : box.way_high[i];
    }
  return box;
}

bool box_blocks_create(BoxBlocks *b, const int *item, int count, Error *error) {
  int levels = 1, blocks = 0;
  for (int64_t n = BOX_BLOCK; n < count; n *= BOX_BLOCK) levels++;
  *b = (BoxBlocks){ .slot_count = (count + BOX_BLOCK - 1) / BOX_BLOCK * BOX_BLOCK, .level_count = levels };
  b->item = array_new(b->slot_count, sizeof *b->item, "contact", error);
  b->level = array_new((int64_t)levels + 1, sizeof *b->level, "contact", error);
  if (!b->item || !b->level) return false;
  for (int l = 0, n = count; l < levels; l++) {
    n = (n + BOX_BLOCK - 1) / BOX_BLOCK;
    blocks += n;
    b->level[l + 1] = blocks;
  }
  b->block = array_new(blocks, sizeof *b->block, "contact", error);
  if (!b->block) return false;
  for (int k = 0; k < b->slot_count; k++) b->item[k] = k < count ? item[k] : -1;
  for (int k = 0; k < blocks; k++)
    for (int j = 0; j < BOX_BLOCK; j++) put(&b->block[k], j, &EMPTY);
  return true;
}

void box_blocks_destroy(BoxBlocks *b) {
  free(b->item), free(b->level), free(b->block);
  *b = (BoxBlocks){ 0 };
}

void box_blocks_put(BoxBlocks *b, int slot, const Box *box) {
  put(&b->block[slot / BOX_BLOCK], slot % BOX_BLOCK, box);
}

void box_blocks_fit(BoxBlocks *b) {
  for (int l = 1; l < b->level_count; l++)
    for (int k = 0; k < box_blocks_count(b, l - 1); k++) {
      const Box box = around(&b->block[b->level[l - 1] + k]);
      put(&b->block[b->level[l] + k / BOX_BLOCK], k % BOX_BLOCK, &box);
    }
}

// which of a block's boxes may not come near to one with these ends along axis i: boxes_meet's test
#define APART(block, i, box_low, box_high, box_way_low, box_way_high)                                    \
  do {                                                                                                   \
    Eight back = (box_way_low) - (block)->way_high[i], on = (box_way_high) - (block)->way_low[i];        \
    back = (Eight)((Mask8)back & (back < 0)), on = (Eight)((Mask8)on & (on > 0));                        \
    apart |= ((box_low) - (block)->high[i] + back > near) | ((box_high) - (block)->low[i] + on < -near); \
  } while (0)

// a bit for each of a block's boxes that may come near to box `lane` of another one
static inline unsigned bits_near(const BoxBlock *block, const BoxBlock *of, int lane, float near) {
  const Mask8 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
  Mask8 apart = { 0 };
  unsigned bits = 0;
  for (int c = 0; c < 3; c++)
    APART(block, c, of->low[c][lane], of->high[c][lane], of->way_low[c][lane], of->way_high[c][lane]);
  apart = ~apart & bit;
  for (int j = 0; j < BOX_BLOCK; j++) bits |= (unsigned)apart[j];
  return bits;
}

WIDE int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near,
                           bool once, BlockPair to[BOX_BLOCK * BOX_BLOCK]) {
  const BoxBlock *a = &own->block[own->level[level] + pair.a], *b = &other->block[other->level[level] + pair.b];
  const BoxBlock *above =
      level + 1 < other->level_count ? &other->block[other->level[level + 1] + pair.b / BOX_BLOCK] : NULL;
  unsigned left = above ? bits_near(a, above, pair.b % BOX_BLOCK, near) : (1 << BOX_BLOCK) - 1;  // near to all of b
  Mask8 meet = { 0 };  // bit i of each of b's: whether i of a's is near
  for (; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    Mask8 apart = { 0 };
    for (int c = 0; c < 3; c++) APART(b, c, a->low[c][i], a->high[c][i], a->way_low[c][i], a->way_high[c][i]);
    meet |= ~apart & (1 << i);
  }
  int found = 0;
  uint64_t bits = 0;
  for (int j = 0; j < BOX_BLOCK; j++) bits |= (uint64_t)(unsigned)meet[j] << (BOX_BLOCK * j);
  for (; bits; bits &= bits - 1) {
    const int at = __builtin_ctzll(bits);
    to[found] = (BlockPair){ BOX_BLOCK * pair.a + at % BOX_BLOCK, BOX_BLOCK * pair.b + at / BOX_BLOCK };
    found += !once | (to[found].a <= to[found].b);
  }
  return found;
}

WIDE int box_blocks_divide_other(const BoxBlocks *own, int a, int own_level, const BoxBlocks *other, int b, int level,
                                 float near, bool once, BlockPair to[BOX_BLOCK]) {
  const Box box = around(&own->block[own->level[own_level] + a]);
  const BoxBlock *second = &other->block[other->level[level] + b];
  const int least = once ? a >> (3 * (level - 1 - own_level)) : 0;  // what a stands in there
  int found = 0;
  Mask8 apart = { 0 };
  for (int c = 0; c < 3; c++) APART(second, c, box.low[c], box.high[c], box.way_low[c], box.way_high[c]);
  for (int j = 0; j < BOX_BLOCK; j++) {
    to[found] = (BlockPair){ a, BOX_BLOCK * b + j };
    found += (apart[j] == 0) & (to[found].b >= least);
  }
  return found;
}
