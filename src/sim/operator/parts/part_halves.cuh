// Functions for the GPU that multiply by matrix blocks rounded to 16 bits, and that round blocks (part_halves.h). A
// warp processes a tile, a group of rows. Each lane (thread) has a chunk, some blocks of one row, and multiplies one of
// them per step. PART_GROUP steps form a group. Columns and entries of a lane's group are stored in units of 16 bytes.
// One load reads a unit, and all loads of a group are issued before the first result is used.
#pragma once
#include <cuda_fp16.h>

#include "sim/operator/parts/part_halves.h"

// Loads a unit of 16 bytes (eight 16-bit columns or entries). Does not store it in the L1 cache, because it is read
// only once. `volatile` keeps the compiler from moving the load to a later point.
static __device__ __forceinline__ uint4 load_unit(const uint4 *from) {
  uint4 unit;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(unit.x), "=r"(unit.y), "=r"(unit.z), "=r"(unit.w)
               : "l"(from));
  return unit;
}

// Returns word k (16 bits) of consecutive units of 16 bytes: words 0 to 7 are in units[0]. k must be known at compile
// time, so that the units stay in registers.
static __device__ __forceinline__ unsigned unit_word(const uint4 *units, int k) {
  const uint4 &unit = units[k / PART_UNIT];
  const int pair = k % PART_UNIT / 2;
  const unsigned two = pair == 0 ? unit.x : pair == 1 ? unit.y : pair == 2 ? unit.z : unit.w;
  return k % 2 ? two >> 16 : two & 0xffff;
}

static __device__ __forceinline__ real number_of_word(unsigned word) {
  return (real)__half2float(__ushort_as_half((unsigned short)word));
}

// Data of a lane (thread) for one group of PART_GROUP steps: the columns of its blocks (local numbers of nodes), the
// entries of its blocks, and the address of the lane's data for the next group.
template <int DOF>
struct LaneGroup {
  enum { SIZE = DOF * DOF, UNITS = SIZE * PART_GROUP / PART_UNIT };
  uint4 columns, blocks[UNITS];
  const uint4 *next;
};

// Loads the columns and entries of the blocks that one lane (thread) multiplies in `count` steps, at most PART_GROUP.
// `from` points to the lane's first unit of 16 bytes; its next units are PART_LANES units apart.
template <int DOF>
static __device__ __forceinline__ LaneGroup<DOF> load_group(const uint4 *from, int count) {
  LaneGroup<DOF> group;
  const int units = part_units(count * LaneGroup<DOF>::SIZE);
  group.columns = load_unit(from);
#pragma unroll
  for (int j = 0; j < LaneGroup<DOF>::UNITS; j++)
    group.blocks[j] = j < units ? load_unit(from + (1 + j) * PART_LANES) : make_uint4(0, 0, 0, 0);
  group.next = from + (1 + units) * PART_LANES;
  return group;
}

// Multiplies the blocks of a lane in `count` steps by x, and adds the products to y [DOF]. read(step, local column) is
// a function of the caller that returns x at the node of the column, as a struct with the member v[DOF].
template <int DOF, class Read>
static __device__ __forceinline__ void multiply_group(const LaneGroup<DOF> &group, int count, real y[DOF], Read read) {
#pragma unroll
  for (int k = 0; k < PART_GROUP; k++) {
    if (k >= count) break;
    const auto other = read(k, (int)unit_word(&group.columns, k));
    real block[LaneGroup<DOF>::SIZE];
#pragma unroll
    for (int e = 0; e < LaneGroup<DOF>::SIZE; e++)
      block[e] = number_of_word(unit_word(group.blocks, k * LaneGroup<DOF>::SIZE + e));
#pragma unroll
    for (int e = 0; e < DOF; e++)
#pragma unroll
      for (int i = 0; i < DOF; i++) y[i] += joined_entry(block, DOF, i, e) * other.v[e];
  }
}

// Data of a lane (thread) while its warp multiplies a tile (rows for one warp). steps: number of steps of the tile; the
// lane multiplies one block per step. exponent: the lane's entries are multiplied by 2^exponent. group: data of the
// first PART_GROUP steps, whose loads may still be running.
template <int DOF>
struct LaneTile {
  int steps, exponent;
  LaneGroup<DOF> group;
};

template <int DOF>
static __device__ __forceinline__ LaneTile<DOF> load_tile(const PartLayout &l, int tile, int lane) {
  LaneTile<DOF> t;
  t.steps = l.step_start[tile + 1] - l.step_start[tile];
  t.exponent = l.halves.exponent[tile * PART_LANES + lane];
  const uint4 *from = (const uint4 *)l.halves.unit + (size_t)l.halves.unit_start[tile] * PART_LANES + lane;
  t.group = load_group<DOF>(from, min(t.steps, (int)PART_GROUP));
  return t;
}

// Multiplies the chunk of a lane in a tile (some blocks of one row) by x, and adds the product to sum [DOF]. read(step,
// local column) is a function of the caller that returns x at the node of the column.
template <int DOF, class Read>
static __device__ __forceinline__ void multiply_tile(const LaneTile<DOF> &tile, real sum[DOF], Read read) {
  real y[DOF] = {};
  multiply_group<DOF>(tile.group, tile.steps, y, read);
  const uint4 *from = tile.group.next;
  for (int begin = PART_GROUP; begin < tile.steps; begin += PART_GROUP) {  // only for rows of more than 256 blocks
    const int count = min(tile.steps - begin, (int)PART_GROUP);
    const LaneGroup<DOF> more = load_group<DOF>(from, count);
    multiply_group<DOF>(more, count, y, [&](int step, int column) { return read(begin + step, column); });
    from = more.next;
  }
  const real scale = lane_scale(tile.exponent);
#pragma unroll
  for (int i = 0; i < DOF; i++) sum[i] += scale * y[i];
}

// Returns the rounded entry in row i and column k of the block that a lane (thread) multiplies in a step of a tile. The
// step must be less than PART_GROUP.
template <int DOF>
static __device__ __forceinline__ real rounded_entry(const PartLayout &l, int tile, int lane, int step, int i, int k) {
  const PartUnit *unit = l.halves.unit + ((size_t)l.halves.unit_start[tile] + 1) * PART_LANES + lane;
  const auto number = [&](int e) { return number_of_word(unit[e / PART_UNIT * PART_LANES].word[e % PART_UNIT]); };
  const real entry = number(step * DOF * DOF + i * DOF + k);
  const real mirror = i == k ? (real)0 : number(step * DOF * DOF + k * DOF + i);
  return lane_scale(l.halves.exponent[tile * PART_LANES + lane]) * (i <= k ? entry + mirror : mirror - entry);
}

// ---- Rounding of blocks to 16 bits. Results have the same bits as those of the functions in part_halves.h on a CPU.

// Returns the 16 bits of the half (16-bit float) nearest to `number`; 0 for magnitudes below 2^-14. Differs from
// half_of of part_halves.h in speed only: a GPU converts a float by one instruction.
static __device__ __forceinline__ unsigned word_of_number(float number) {
  return fabsf(number) >= 0x1p-14f ? __half_as_ushort(__float2half_rn(number)) : 0;
}
static __device__ __forceinline__ unsigned word_of_number(double number) {
  return half_of((real)number);
}

// Returns an integer that increases with the magnitude of the number, so that magnitudes can be compared as integers.
// NaN and infinity give larger integers than finite numbers.
static __device__ __forceinline__ unsigned size_bits(float number) {
  return __float_as_uint(number) & 0x7fffffff;
}
static __device__ __forceinline__ unsigned long long size_bits(double number) {
  return (unsigned long long)__double_as_longlong(number) & 0x7fffffffffffffff;
}
static __device__ __forceinline__ real number_of_size_bits(unsigned bits) {
  return (real)__uint_as_float(bits);
}
static __device__ __forceinline__ real number_of_size_bits(unsigned long long bits) {
  return (real)__longlong_as_double((long long)bits);
}
typedef decltype(size_bits(real())) SizeBits;  // integer type that size_bits returns

// Rounds the blocks of one lane (thread) to 16 bits, in a tile of at most PART_GROUP steps, with the same bits as on a
// CPU. `maximum` is the largest magnitude of an entry, as the integer that size_bits returns. read(step, block) loads
// the block of a step; `read` is called AHEAD steps early, so that loads overlap with arithmetic. Adds the rounding
// errors of all these blocks to lost [6], one sum per entry of the upper triangle of a block.
template <int DOF, int AHEAD, class Read>
static __device__ __forceinline__ void round_steps(const PartLayout &l, int tile, int lane, SizeBits maximum,
                                                   real lost[6], Read read) {
  enum { SIZE = DOF * DOF, COMING = AHEAD + 1 };
  const int steps = l.step_start[tile + 1] - l.step_start[tile];
  const int exponent = lane_exponent(number_of_size_bits(maximum));
  const real scale = rounding_scale(exponent), back = lane_scale(exponent);
  uint4 *to = (uint4 *)l.halves.unit + ((size_t)l.halves.unit_start[tile] + 1) * PART_LANES + lane;
  real coming[COMING][SIZE];
  unsigned two[PART_UNIT / 2] = {};  // 16-bit words of the present unit, two per element
  l.halves.exponent[tile * PART_LANES + lane] = (int16_t)exponent;
#pragma unroll
  for (int s = 0; s < AHEAD; s++)
    if (s < steps) read(s, coming[s]);
#pragma unroll
  for (int s = 0; s < PART_GROUP; s++) {
    if (s >= steps) break;
    if (s + AHEAD < steps) read(s + AHEAD, coming[(s + AHEAD) % COMING]);
    real *block = coming[s % COMING];
    split_block(block, DOF);
    int at_lost = 0;
#pragma unroll
    for (int e = 0; e < SIZE; e++) {
      const int at = s * SIZE + e, pair = at % PART_UNIT / 2;
      const unsigned word = scale > 0 ? word_of_number(block[e] * scale) : 0;
      two[pair] = at % 2 ? two[pair] | word << 16 : word;
      if (e / DOF <= e % DOF) lost[at_lost++] += block[e] - back * number_of_word(word);
      if (at % PART_UNIT == PART_UNIT - 1) to[at / PART_UNIT * PART_LANES] = make_uint4(two[0], two[1], two[2], two[3]);
    }
    const int filled = (s + 1) * SIZE % PART_UNIT;
    if (filled > 0 && s + 1 == steps)
      to[(s + 1) * SIZE / PART_UNIT * PART_LANES] =
          make_uint4(two[0], filled > 2 ? two[1] : 0, filled > 4 ? two[2] : 0, filled > 6 ? two[3] : 0);
  }
}

// Adds the rounding errors `lost` of all 32 lanes of a tile, each the upper triangle of a block, to the diagonal blocks
// of the lanes' rows. Products with rigid translations then stay almost exact (part_halves.h). All lanes of a warp must
// call this function.
template <int DOF>
static __device__ __forceinline__ void add_lost_of_tile(const PartLayout &l, int tile, int lane, real lost[6],
                                                        real *diagonal) {
  enum { LOST = DOF * (DOF + 1) / 2 };
  const unsigned does = l.lane[tile * PART_LANES + lane];
  for (int step = 1; step <= l.after_max; step *= 2)
#pragma unroll
    for (int k = 0; k < LOST; k++) {
      const real behind = __shfl_down_sync(0xffffffff, lost[k], step);
      if (lane_after(does) >= step) lost[k] += behind;
    }
  if (lane_first(does))
    add_to_diagonal(diagonal + (size_t)l.lane_node[tile * PART_LANES + lane] * DOF * DOF, lost, DOF);
}
