// Off-diagonal blocks of a matrix in parts (part_layout.h), rounded to 16 bits (IEEE binary16). Products then read half
// the bytes of a matrix in single precision. A tile is 32 chunks, each some blocks of a row. A lane, a thread of a
// warp, has one chunk of the tile, and multiplies one of its blocks in each step.
//
// Layout: a lane's data are stored in units of 16 bytes, which are PART_UNIT words of 16 bits, so that one load reads a
// unit. PART_GROUP steps form a group. A group has one unit with the columns of its steps (local numbers of nodes
// within the part), and then its blocks as [step][row][column], in as few units as hold them. Example with 3 x 3
// blocks: a group of 8 steps has 8 columns in one unit and 72 entries in 9 units. The units of a tile are
// [units][PART_LANES].
//
// Scale: the blocks of a lane have a common scale, a power of two, which brings the largest entry to between 2^14 and
// 2^15. So nothing overflows, for any matrix. Entries down to 2^-29 of the largest keep 11 significant bits. Smaller
// entries become zero, so no number is denormal. Scaling by powers of two is exact. So a block and its transpose are
// rounded equally, and the matrix stays symmetric, except for entries so small that they become zero. Both devices
// round with the same code.
//
// Rigid translations: the forces of a fine mesh are small differences of large products, so rounding errors must cancel
// as the products do. Therefore a block K of two or three unknowns is stored as its symmetric part (K_ik + K_ki) / 2,
// on and above the diagonal, and its antisymmetric part (K_ik - K_ki) / 2, below the diagonal. The symmetric and the
// antisymmetric part are rounded. The rounding errors of the symmetric parts are added to the diagonal block of the
// row. The antisymmetric parts are small, and within a body their sum over a row nearly cancels. So if x is a
// translation, only the rounding errors of the antisymmetric parts remain. In general, the error depends on the
// differences of x between neighbours, not on x.
#pragma once
#include <math.h>
#include <string.h>

#include "base/real.h"
#include "sim/operator/parts/part_layout.h"

// Exponent of a lane (the chunk of a row that a thread multiplies) that has an entry NaN or infinity. Products then
// give NaN in the lane's row.
enum { EXPONENT_NONE = INT16_MAX };

/// Returns the 16-bit float (half) nearest to a value of magnitude at most 2^15, ties to even; zero if it is below
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

/// Converts a half from half_of back to a float.
HOST_DEVICE float number_of_half(uint16_t half) {
  const uint32_t bits = (uint32_t)(half & 0x8000) << 16 | (uint32_t)(half & 0x7fff) << 13;
  float number;
  memcpy(&number, &bits, sizeof number);
  return number * 0x1p112f;  // corrects the exponent bias, 127 - 15; no value here is denormal
}

/// Returns the scale of a lane, 2^exponent, by which a product multiplies the rounded entries of the lane's chunk.
/// `real` can represent it and its inverse. Returns NaN for EXPONENT_NONE.
HOST_DEVICE real lane_scale(int exponent) {
  const uint32_t narrow = (uint32_t)(exponent + 127) << 23;
  const uint64_t wide = (uint64_t)(exponent + 1023) << 52;
  float number;
  double precise;
  memcpy(&number, &narrow, sizeof number);
  memcpy(&precise, &wide, sizeof precise);
  return exponent == EXPONENT_NONE ? (real)NAN : sizeof(real) == sizeof(float) ? (real)number : (real)precise;
}

/// Returns the exponent of a lane's scale, for which `maximum`, the largest magnitude in the blocks of the lane's
/// chunk, is rounded without overflow.
HOST_DEVICE int lane_exponent(real maximum) {
  const int least = sizeof(real) == sizeof(float) ? -125 : -1020;
  int exponent = 0;
  if (!isfinite(maximum)) return EXPONENT_NONE;
  if (maximum == 0) return 0;
  frexp((double)maximum, &exponent);
  return exponent - 15 > least ? exponent - 15 : least;
}

/// Sets *maximum to the magnitude of `value` if the magnitude is larger than *maximum. NaN and infinity both count as
/// infinity.
HOST_DEVICE void grow(real *maximum, real value) {
  const real amount = value < 0 ? -value : value;
  if (!(amount <= *maximum)) *maximum = isfinite(amount) ? amount : (real)INFINITY;
}

/// Multiplies the PART_UNIT entries of a unit of 16 bytes by `scale`, a result of rounding_scale, and rounds them. A
/// scale of 0 gives zeros.
HOST_DEVICE PartUnit round_unit(const real entry[PART_UNIT], real scale) {
  PartUnit unit;
  for (int k = 0; k < PART_UNIT; k++) unit.word[k] = scale > 0 ? half_of(entry[k] * scale) : 0;
  return unit;
}

/// Returns the factor by which the entries of a lane's chunk are multiplied before they are rounded, the inverse of
/// lane_scale. Returns 0 for EXPONENT_NONE, the exponent of a chunk with NaN or infinity.
HOST_DEVICE real rounding_scale(int exponent) {
  return exponent == EXPONENT_NONE ? (real)0 : lane_scale(-exponent);
}

/// Converts a block of dof^2 entries, row by row, to its stored form: the symmetric part on and above the diagonal, the
/// antisymmetric part below. Example with dof = 2: entries 5, 3, 1, 6 become 5, 2, 1, 6, since (3 + 1) / 2 = 2 and (3 -
/// 1) / 2 = 1.
HOST_DEVICE void split_block(real *block, int dof) {
  for (int i = 0; i < dof; i++)
    for (int k = i + 1; k < dof; k++) {
      const real upper = block[dof * i + k], lower = block[dof * k + i];
      block[dof * i + k] = (upper + lower) / 2, block[dof * k + i] = (upper - lower) / 2;
    }
}

/// Returns the entry in row i and column k of the matrix block that `block` [dof][dof] stores as symmetric part (on and
/// above the diagonal) and antisymmetric part (below).
HOST_DEVICE real joined_entry(const real *block, int dof, int i, int k) {
  const real entry = block[dof * i + k], mirror = block[dof * k + i];
  return i == k ? entry : i < k ? entry + mirror : mirror - entry;
}

/// Adds the rounding errors of a block's symmetric part to lost [6], the upper triangle of a block, row by row. `block`
/// holds its symmetric part on and above the diagonal, and `words` are its rounded entries. `scale` is the power of two
/// by which `words` are multiplied to get entries; all blocks of a chunk share it.
HOST_DEVICE void add_lost(real lost[6], const real *block, const uint16_t *words, real scale, int dof) {
  int at = 0;
  for (int i = 0; i < dof; i++)
    for (int k = i; k < dof; k++) lost[at++] += block[dof * i + k] - scale * (real)number_of_half(words[dof * i + k]);
}

/// Adds lost [6], the rounding errors of a row's blocks as an upper triangle, to the diagonal block `diagonal` [dof^2]
/// of the row.
HOST_DEVICE void add_to_diagonal(real *diagonal, const real lost[6], int dof) {
  int at = 0;
  for (int i = 0; i < dof; i++)
    for (int k = i; k < dof; k++, at++) {
      diagonal[dof * i + k] += lost[at];
      if (i != k) diagonal[dof * k + i] += lost[at];
    }
}

/// Rounds the blocks of one lane's chunk (some blocks of a row, which a thread multiplies) in a tile of 32 chunks. Each
/// block has dof^2 entries. Writes them to the lane's units of 16 bytes. lost [6] gets the sum over these blocks of the
/// rounding errors of their symmetric parts, as an upper triangle.
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
    unit += PART_LANES;  // skips the unit of columns
    for (int e = 0; e < count; e += PART_UNIT, unit += PART_LANES) {
      *unit = round_unit(entry + e, scale);
      for (int k = 0; k < PART_UNIT; k++) words[e + k] = unit->word[k];
    }
    for (int s = 0; s < group; s++) add_lost(lost, entry + size * s, words + size * s, lane_scale(exponent), dof);
  }
}

/// Returns the column of the block that a lane (thread) multiplies in a step of a tile (32 chunks, each some blocks of
/// a row). The column is the local number of its node within the part. If blocks are rounded, the column is read from
/// the units of 16 bytes.
HOST_DEVICE int part_local_column(const PartLayout *l, int tile, int lane, int step, int dof) {
  if (l->local_column) return l->local_column[((int64_t)l->step_start[tile] + step) * PART_LANES + lane];
  const int64_t unit =
      l->halves.unit_start[tile] + (int64_t)(step / PART_GROUP) * (1 + part_units(PART_GROUP * dof * dof));
  return l->halves.unit[unit * PART_LANES + lane].word[step % PART_GROUP];
}

#ifndef __CUDACC__

/// Computes, on the CPU, the product of each lane's chunk (blocks of a row) of a tile (32 chunks) with x: sums
/// [lane][dof]. The node with local number l within the part has its values of x at x[dof * node[l]], or at x[dof * l]
/// if `node` is NULL.
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
