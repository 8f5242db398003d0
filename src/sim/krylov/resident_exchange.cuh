// What the parts of the resident solver tell each other: three numbers at a time in packets, and the sums of all parts.
#pragma once
#include "base/real.h"
#include "device/packet.cuh"

enum {
  PACKETS = sizeof(real) == sizeof(float) ? 1 : 2,  // for three numbers
  SUM_COPIES = 16,                                  // of everybody's sums, so that not all poll the same places
  TRIES = 1 << 23,                                  // polls, of at least half a microsecond
};
static constexpr unsigned STOP = 1u << 31;  // in a tag, beside the number: the host wants an end

// A packet is three words of payload and a tag.
static __device__ __forceinline__ void send_words(Packet *to, unsigned a, unsigned b, unsigned c, unsigned tag) {
  store_packet(to, (unsigned long long)b << 32 | a, (unsigned long long)tag << 32 | c);
}
static __device__ __forceinline__ unsigned receive_words(const Packet *from, unsigned *a, unsigned *b, unsigned *c) {
  const Packet packet = load_packet(from);
  *a = (unsigned)packet.payload, *b = (unsigned)(packet.payload >> 32), *c = (unsigned)packet.epoch;
  return (unsigned)(packet.epoch >> 32);
}

// Three numbers: one packet in float, two in double, between which the middle one is halved.
static __device__ __forceinline__ void send(Packet *to, const real v[3], unsigned tag) {
  if (PACKETS == 1) {
    send_words(to, __float_as_uint((float)v[0]), __float_as_uint((float)v[1]), __float_as_uint((float)v[2]), tag);
  } else {
    send_words(to, __double2loint(v[0]), __double2hiint(v[0]), __double2loint(v[1]), tag);
    send_words(to + PACKETS - 1, __double2loint(v[2]), __double2hiint(v[2]), __double2hiint(v[1]), tag);
  }
}

// Looks at a place once; returns the tag that it carries, 0 where two packets do not belong together.
static __device__ __forceinline__ unsigned receive(const Packet *from, real v[3]) {
  unsigned a, b, c;
  const unsigned tag = receive_words(from, &a, &b, &c);
  if (PACKETS == 1) {
    v[0] = (real)__uint_as_float(a), v[1] = (real)__uint_as_float(b), v[2] = (real)__uint_as_float(c);
    return tag;
  }
  unsigned a2, b2, c2;
  const unsigned tag2 = receive_words(from + PACKETS - 1, &a2, &b2, &c2);
  v[0] = (real)__hiloint2double((int)b, (int)a), v[2] = (real)__hiloint2double((int)b2, (int)a2);
  v[1] = (real)__hiloint2double((int)c2, (int)c);
  return tag == tag2 ? tag : 0;
}

// The sums of three values over a warp in a fixed tree: lanes 0 to 7 get a's, 8 to 15 b's, the others c's. Half of the
// lanes go on with c, a quarter each with a and b.
static __device__ __forceinline__ real warp_sums(real a, real b, real c, int lane) {
  const bool upper = lane & 16, second = lane & 8;
  const real other = __shfl_xor_sync(0xffffffff, upper ? a : c, 16), other_b = __shfl_xor_sync(0xffffffff, b, 16);
  a += other, b += other_b, c += other;  // each is right where it is kept
  real sum = upper ? c : second ? b : a;
  sum += __shfl_xor_sync(0xffffffff, upper ? c : second ? a : b, 8);
#pragma unroll
  for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return sum;
}

// Three sums over `lanes` neighbouring lanes, a power of two, in a fixed tree: all of them get all three.
template <int LANES>
static __device__ __forceinline__ void lane_totals(real v[3]) {
#pragma unroll
  for (int step = 1; step < LANES; step *= 2)
#pragma unroll
    for (int i = 0; i < 3; i++) v[i] += __shfl_xor_sync(0xffffffff, v[i], step);
}

static __device__ __forceinline__ real warp_most(real a) {
  for (int step = 16; step > 0; step /= 2) {
    const real other = __shfl_xor_sync(0xffffffff, a, step);
    a = other > a ? other : a;
  }
  return a;
}

// All parts' sums (with MOST: the largest of their three), the same in every part. *stop: the host wants an end.
// `packets` [2][SUM_COPIES][parts][PACKETS]. Returns
// whether all have come.
template <bool MOST, int LOADS>
static __device__ __forceinline__ bool exchange_sums(Packet *packets, int parts, real sums[3], unsigned number,
                                                     bool *stop) {
  const int part = blockIdx.x, lane = threadIdx.x % 32;
  Packet *places = packets + (size_t)(number & 1) * SUM_COPIES * parts * PACKETS;
  if (lane < SUM_COPIES) send(places + ((size_t)lane * parts + part) * PACKETS, sums, number | (*stop ? STOP : 0));
  const Packet *from = places + (size_t)(part % SUM_COPIES) * parts * PACKETS;
  real got[LOADS][3];
  unsigned missing = 1, first = 0;
  for (int tries = 0; missing && tries < TRIES; tries++) {
    missing = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
      unsigned tag = number;
      got[k][0] = got[k][1] = got[k][2] = 0;
      if (lane + 32 * k < parts) tag = receive(from + (size_t)(lane + 32 * k) * PACKETS, got[k]);
      if (k == 0) first = tag;
      missing |= (tag ^ number) & ~STOP;
    }
  }
  __syncwarp();
  if (__any_sync(0xffffffff, missing)) return false;
  *stop = __shfl_sync(0xffffffff, first >> 31, 0);  // part 0's word
  if constexpr (MOST) {
    real most = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
#pragma unroll
      for (int i = 0; i < 3; i++) most = got[k][i] > most ? got[k][i] : most;
    sums[0] = warp_most(most);
  } else {
#pragma unroll
    for (int i = 0; i < 3; i++) {
      sums[i] = got[0][i];
#pragma unroll
      for (int k = 1; k < LOADS; k++) sums[i] += got[k][i];
    }
    lane_totals<32>(sums);
  }
  return true;
}

// the number after this one; 0 is what fresh memory holds
static __device__ __forceinline__ unsigned next_number(unsigned number) {
  const unsigned next = (number + 1) & ~STOP;
  return next ? next : 2;
}
