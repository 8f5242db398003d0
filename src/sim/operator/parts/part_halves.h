// Off-diagonal blocks of a matrix in parts (part_layout.h), rounded to 16 bits (IEEE binary16), so that products read
// half the bytes of a matrix in single precision. A tile is a group of rows, which one warp multiplies by x. Each lane
// (thread) has a chunk, some blocks of one row, and multiplies one of them per step.
//
// Layout: data are stored in units of 16 bytes (PART_UNIT words of 16 bits), so that one load reads a unit. PART_GROUP
// steps form a group. In a group, a lane has one unit with the columns of its blocks (local numbers of nodes), and then
// the entries of its blocks, [step][row][column]. Example with 3 x 3 blocks: a group of 8 steps has 8 columns in one
// unit and 72 entries in 9 units. The units of a tile are [units][PART_LANES].
//
// Scale: the blocks of a lane have a common scale, a power of two, which brings the largest entry to between 2^14 and
// 2^15, so nothing overflows. Entries of at least 2^-28 of the largest keep 11 significant bits; entries of at most
// 2^-29 become zero. The blocks (a, b) and (b, a) are rounded equally, so the matrix stays symmetric, except for
// entries that become zero in only one of them.
//
// Rigid translations: the forces of a fine mesh are small differences of large products, so rounding errors must cancel
// too. Therefore a block K is stored as its symmetric part (K_ik + K_ki) / 2, on and above the diagonal, and its
// antisymmetric part (K_ik - K_ki) / 2, below the diagonal. The rounding errors of the symmetric parts are added to the
// diagonal block of the row. The antisymmetric parts are small, and within a body their sum over a row nearly cancels.
// So the error of a product depends on the differences of x between neighbours, not on x.
#pragma once
#include <math.h>
#include <string.h>

#include "base/real.h"
#include "sim/operator/parts/part_layout.h"

// Exponent that marks a lane (thread with the blocks of one chunk) with an entry NaN or infinity. Products then give
// NaN in the lane's row.
enum { EXPONENT_NONE = INT16_MAX };

/// Returns the 16-bit float (half) nearest to a value of magnitude at most 2^15, ties to even; 0 for magnitudes below
/// 2^-14.
HOST_DEVICE uint16_t half_of(real value) {
  if (sizeof(real) == sizeof(float)) {
    uint32_t bits;
    const float narrow = (float)value;
    memcpy(&bits, &narrow, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size < 0x38800000) return 0;
    return (uint16_t)(sign | (((size + 0xfff + (size >> 13 & 1)) >> 13) - (112 << 10)));
  }
  uint64_t bits;
  const double wide = value;
  memcpy(&bits, &wide, sizeof bits);
  const uint64_t sign = bits >> 48 & 0x8000, size = bits & 0x7fffffffffffffff;
  if (size < 0x3f10000000000000) return 0;
  return (uint16_t)(sign | (((size + 0x1ffffffffff + (size >> 42 & 1)) >> 42) - (1008 << 10)));
}

/// Converts a half, the bits of a 16-bit float, to a float.
HOST_DEVICE float number_of_half(uint16_t half) {
  const uint32_t bits = (uint32_t)(half & 0x8000) << 16 | (uint32_t)(half & 0x7fff) << 13;
  float number;
  memcpy(&number, &bits, sizeof number);
  return number * 0x1p112f;  // the factor corrects the exponent bias, 127 - 15; no half here is denormal
}

/// Returns 2^exponent, by which a product multiplies the rounded entries of a lane (thread with one chunk of a row);
/// NaN for EXPONENT_NONE. `real` can represent the result and its inverse.
HOST_DEVICE real lane_scale(int exponent) {
  const uint32_t narrow = (uint32_t)(exponent + 127) << 23;
  const uint64_t wide = (uint64_t)(exponent + 1023) << 52;
  float number;
  double precise;
  memcpy(&number, &narrow, sizeof number);
  memcpy(&precise, &wide, sizeof precise);
  return exponent == EXPONENT_NONE ? (real)NAN : sizeof(real) == sizeof(float) ? (real)number : (real)precise;
}

/// Returns the exponent of a lane (thread with one chunk of a row), so that its entries times 2^-exponent can be
/// rounded without overflow. `maximum` is the largest magnitude in the lane's blocks.
HOST_DEVICE int lane_exponent(real maximum) {
  const int least = sizeof(real) == sizeof(float) ? -125 : -1020;
  int exponent = 0;
  if (!isfinite(maximum)) return EXPONENT_NONE;
  if (maximum == 0) return 0;
  frexp((double)maximum, &exponent);
  return exponent - 15 > least ? exponent - 15 : least;
}

/// Sets *maximum to |value| if |value| is larger. NaN and infinity count as infinity.
HOST_DEVICE void grow(real *maximum, real value) {
  const real amount = value < 0 ? -value : value;
  if (!(amount <= *maximum)) *maximum = isfinite(amount) ? amount : (real)INFINITY;
}

/// Multiplies PART_UNIT entries by `scale`, a power of two from rounding_scale, and rounds them to a unit of 16 bytes.
/// A scale of 0 gives zeros.
HOST_DEVICE PartUnit round_unit(const real entry[PART_UNIT], real scale) {
  PartUnit unit;
  for (int k = 0; k < PART_UNIT; k++) unit.word[k] = scale > 0 ? half_of(entry[k] * scale) : 0;
  return unit;
}

/// Returns 2^-exponent, by which the entries of a lane (thread with one chunk of a row) are multiplied before they are
/// rounded; 0 for EXPONENT_NONE.
HOST_DEVICE real rounding_scale(int exponent) {
  return exponent == EXPONENT_NONE ? (real)0 : lane_scale(-exponent);
}

/// Converts a block [dof][dof] to its stored form: the symmetric part on and above the diagonal, the antisymmetric part
/// below. Example with dof = 2: entries 5, 3, 1, 6, row by row, become 5, 2, 1, 6, because (3 + 1) / 2 = 2 and (3 - 1)
/// / 2 = 1.
HOST_DEVICE void split_block(real *block, int dof) {
  for (int i = 0; i < dof; i++)
    for (int k = i + 1; k < dof; k++) {
      const real upper = block[dof * i + k], lower = block[dof * k + i];
      block[dof * i + k] = (upper + lower) / 2;
      block[dof * k + i] = (upper - lower) / 2;
    }
}

/// Inverse of split_block for one entry: returns the entry in row i and column k of a matrix block. `block` [dof][dof]
/// has its symmetric part on and above the diagonal, and its antisymmetric part below.
HOST_DEVICE real joined_entry(const real *block, int dof, int i, int k) {
  const real entry = block[dof * i + k], mirror = block[dof * k + i];
  return i == k ? entry : i < k ? entry + mirror : mirror - entry;
}

/// Adds the rounding errors of a block's symmetric part to lost [6], the upper triangle of a block, row by row. `block`
/// has the symmetric part on and above its diagonal, and `words` the rounded entries, to be multiplied by `scale`.
HOST_DEVICE void add_lost(real lost[6], const real *block, const uint16_t *words, real scale, int dof) {
  int at = 0;
  for (int i = 0; i < dof; i++)
    for (int k = i; k < dof; k++) lost[at++] += block[dof * i + k] - scale * (real)number_of_half(words[dof * i + k]);
}

/// Adds lost [6], rounding errors of the blocks of a row as an upper triangle, to the row's diagonal block [dof][dof].
HOST_DEVICE void add_to_diagonal(real *diagonal, const real lost[6], int dof) {
  int at = 0;
  for (int i = 0; i < dof; i++)
    for (int k = i; k < dof; k++, at++) {
      diagonal[dof * i + k] += lost[at];
      if (i != k) diagonal[dof * k + i] += lost[at];
    }
}

/// Rounds the blocks of one lane (thread) in a tile, and writes them to the lane's units of 16 bytes. Adds up the
/// rounding errors of the symmetric parts of these blocks, and writes the sum to lost [6] as an upper triangle.
HOST_DEVICE void round_lane(const PartLayout *l, const real *values, int tile, int lane, int dof, real lost[6]) {
  enum { ROOM = 9 * PART_GROUP };
  const int first = l->step_start[tile], steps = l->step_start[tile + 1] - first, size = dof * dof;
  const real *entries = values + (int64_t)first * size * PART_LANES + lane;
  real maximum = 0;
  for (int e = 0; e < steps * size; e++) grow(&maximum, entries[e * PART_LANES]);
  const int exponent = lane_exponent(maximum);
  const real scale = rounding_scale(exponent);
  l->halves.exponent[tile * PART_LANES + lane] = (int16_t)exponent;
  for (int k = 0; k < 6; k++) lost[k] = 0;
  PartUnit *unit = l->halves.unit + (int64_t)l->halves.unit_start[tile] * PART_LANES + lane;
  for (int begin = 0; begin < steps; begin += PART_GROUP) {
    const int group = steps - begin < PART_GROUP ? steps - begin : PART_GROUP, count = size * group;
    const real *from = entries + (int64_t)begin * size * PART_LANES;
    real entry[ROOM];
    uint16_t words[ROOM];
    for (int e = 0; e < ROOM; e++) entry[e] = e < count ? from[e * PART_LANES] : (real)0;
    for (int s = 0; s < group; s++) split_block(entry + size * s, dof);
    unit += PART_LANES;  // skip the unit that stores the column indices of the group
    for (int e = 0; e < count; e += PART_UNIT, unit += PART_LANES) {
      *unit = round_unit(entry + e, scale);
      for (int k = 0; k < PART_UNIT; k++) words[e + k] = unit->word[k];
    }
    for (int s = 0; s < group; s++) add_lost(lost, entry + size * s, words + size * s, lane_scale(exponent), dof);
  }
}

/// Returns the column of the block that a lane (thread) multiplies in a step of a tile, as local number of the node
/// within the part. If PartLayout.local_column is NULL, reads the column from halves.unit, where it is stored before
/// the rounded blocks.
HOST_DEVICE int part_local_column(const PartLayout *l, int tile, int lane, int step, int dof) {
  if (l->local_column) return l->local_column[((int64_t)l->step_start[tile] + step) * PART_LANES + lane];
  const int64_t unit =
      l->halves.unit_start[tile] + (int64_t)(step / PART_GROUP) * (1 + part_units(PART_GROUP * dof * dof));
  return l->halves.unit[unit * PART_LANES + lane].word[step % PART_GROUP];
}

#ifndef __CUDACC__

/// Computes on the CPU, for each lane of a tile (rows for one warp), the product of its rounded blocks with x: sums
/// [lane][dof]. The node with local number l (its index within the part) has its x at x[dof * node[l]], or at x[dof *
/// l] if `node` is NULL.
static inline void halves_product(const PartLayout *l, int tile, const real *x, const int *node, int dof,
                                  real sums[PART_LANES][3]) {
  enum { ROOM = 9 * PART_GROUP };
  const int size = dof * dof, steps = l->step_start[tile + 1] - l->step_start[tile];
  const PartUnit *unit = l->halves.unit + (int64_t)l->halves.unit_start[tile] * PART_LANES;
  for (int lane = 0; lane < PART_LANES; lane++)
    for (int i = 0; i < dof; i++) sums[lane][i] = 0;
  for (int begin = 0; begin < steps; begin += PART_GROUP) {
    const int group = steps - begin < PART_GROUP ? steps - begin : PART_GROUP;
    const PartUnit *locals = unit;
    unit += PART_LANES;
    for (int lane = 0; lane < PART_LANES; lane++) {
      real entry[ROOM];
      for (int e = 0; e < group * size; e += PART_UNIT)
        for (int k = 0; k < PART_UNIT; k++)
          entry[e + k] = number_of_half(unit[e / PART_UNIT * PART_LANES + lane].word[k]);
      for (int s = 0; s < group; s++) {
        const int local = locals[lane].word[s], other = node ? node[local] : local;
        for (int i = 0; i < dof; i++)
          for (int k = 0; k < dof; k++)
            sums[lane][i] += joined_entry(entry + s * size, dof, i, k) * x[(int64_t)dof * other + k];
      }
    }
    unit += part_units(group * size) * PART_LANES;
  }

  for (int lane = 0; lane < PART_LANES; lane++) {
    const real scale = lane_scale(l->halves.exponent[tile * PART_LANES + lane]);
    for (int i = 0; i < dof; i++) sums[lane][i] *= scale;
  }
}

#endif
