// A lane's share of a tile whose blocks are rounded to 16 bits (part_halves.h), on the GPU: each unit of 16 bytes is
// one load, and those of a whole group are on their way at once.
#pragma once
#include <cuda_fp16.h>

#include "sim/operator/part_halves.h"

// What is read once in a product has no use for the first cache.
static __device__ __forceinline__ uint4 load_unit(const uint4 *from) {
  uint4 unit;
  asm("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(unit.x), "=r"(unit.y), "=r"(unit.z), "=r"(unit.w)
      : "l"(from));
  return unit;
}

// word k of units side by side, k known to the compiler
static __device__ __forceinline__ unsigned unit_word(const uint4 *units, int k) {
  const uint4 &unit = units[k / PART_UNIT];
  const int pair = k % PART_UNIT / 2;
  const unsigned two = pair == 0 ? unit.x : pair == 1 ? unit.y : pair == 2 ? unit.z : unit.w;
  return k % 2 ? two >> 16 : two & 0xffff;
}

// sum += the lane's blocks times what read(step, local column) gives of the other node, an array-like v[DOF]
template <int DOF, class Read>
static __device__ __forceinline__ void multiply_halves(const PartLayout &l, int tile, int lane, real sum[DOF],
                                                       Read read) {
  enum { SIZE = DOF * DOF, UNITS = SIZE * PART_GROUP / PART_UNIT };
  const int steps = l.step_start[tile + 1] - l.step_start[tile];
  const uint4 *from = (const uint4 *)l.halves.unit + (size_t)l.halves.unit_start[tile] * PART_LANES + lane;
  const real scale = lane_scale(l.halves.exponent[tile * PART_LANES + lane]);
  real y[DOF] = {};
  for (int begin = 0; begin < steps; begin += PART_GROUP) {
    const int count = min(steps - begin, (int)PART_GROUP), units = part_units(count * SIZE);
    const uint4 columns = load_unit(from);
    uint4 blocks[UNITS];
#pragma unroll
    for (int j = 0; j < UNITS; j++)
      blocks[j] = j < units ? load_unit(from + (1 + j) * PART_LANES) : make_uint4(0, 0, 0, 0);
    from += (1 + units) * PART_LANES;
#pragma unroll
    for (int k = 0; k < PART_GROUP; k++) {
      if (k >= count) break;
      const auto other = read(begin + k, (int)unit_word(&columns, k));
#pragma unroll
      for (int e = 0; e < DOF; e++)
#pragma unroll
        for (int i = 0; i < DOF; i++)
          y[i] += (real)__half2float(__ushort_as_half((unsigned short)unit_word(blocks, k * SIZE + i * DOF + e))) *
                  other.v[e];
    }
  }
#pragma unroll
  for (int i = 0; i < DOF; i++) sum[i] += scale * y[i];
}

// entry `e` of the lane's blocks, [step][row][column]
static __device__ __forceinline__ real rounded_entry(const PartLayout &l, int tile, int lane, int e) {
  const PartUnit *unit = l.halves.unit + ((size_t)l.halves.unit_start[tile] + 1 + e / PART_UNIT) * PART_LANES + lane;
  return lane_scale(l.halves.exponent[tile * PART_LANES + lane]) *
         (real)__half2float(__ushort_as_half(unit->word[e % PART_UNIT]));
}
