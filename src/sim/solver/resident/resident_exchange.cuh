// What the parts of the resident solver tell each other: three numbers at a time in packets, and the sums of all parts.
#pragma once
#include "base/real.h"
#include "device/packet.cuh"

enum {
  PACKETS = sizeof(real) == sizeof(float) ? 1 : 2,  // for three numbers
  SUM_COPIES = 4,                                   // of everybody's sums, so that not all poll the same places
  TRIES = 1 << 23,                                  // looks, of at least a third of a microsecond
  // Cycles from when a part sends sums, or its boundary, to its first look for those of others. Measured on an H200
  // (docs/decisions/009-resident-solver.md): so all sums are there soonest, on bodies of any size; in double parts have
  // to wait longer for the last one. Halos, which nobody needs before the sums, are looked for later, so that these
  // looks are in nobody's way.
  SUMS_CYCLES = PACKETS == 1 ? 500 : 1000,
  HALO_CYCLES = 1000,
};
static constexpr unsigned STOP = 1u << 31;  // in a tag, beside the number: the host wants an end

// A packet is three words of payload and a tag.
static __device__ __forceinline__ void send_words(Packet *to, unsigned a, unsigned b, unsigned c, unsigned tag) {
  store_packet(to, (unsigned long long)b << 32 | a, (unsigned long long)tag << 32 | c);
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

// The three numbers of packets, and the tag that they carry; 0 where two packets do not belong together.
static __device__ __forceinline__ unsigned unpack(const Packet packet[PACKETS], real v[3]) {
  const unsigned a = (unsigned)packet[0].payload, b = (unsigned)(packet[0].payload >> 32);
  const unsigned c = (unsigned)packet[0].epoch, tag = (unsigned)(packet[0].epoch >> 32);
  if (PACKETS == 1) {
    v[0] = (real)__uint_as_float(a), v[1] = (real)__uint_as_float(b), v[2] = (real)__uint_as_float(c);
    return tag;
  }
  const Packet &other = packet[PACKETS - 1];
  const unsigned a2 = (unsigned)other.payload, b2 = (unsigned)(other.payload >> 32);
  const unsigned c2 = (unsigned)other.epoch, tag2 = (unsigned)(other.epoch >> 32);
  v[0] = (real)__hiloint2double((int)b, (int)a), v[2] = (real)__hiloint2double((int)b2, (int)a2);
  v[1] = (real)__hiloint2double((int)c2, (int)c);
  return tag == tag2 ? tag : 0;
}

// Looks at a place once; returns the tag that it carries, 0 where two packets do not belong together.
static __device__ __forceinline__ unsigned receive(const Packet *from, real v[3]) {
  Packet packet[PACKETS];
#pragma unroll
  for (int k = 0; k < PACKETS; k++) packet[k] = load_packet(from + k);
  return unpack(packet, v);
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

// Where the deciding warp's lanes put their part's sums, NULL for most, and where they find those of all parts.
typedef struct SumPlaces {
  Packet *to;
  const Packet *from;
} SumPlaces;

// `packets` [2][SUM_COPIES][parts][PACKETS].
static __device__ __forceinline__ SumPlaces sum_places(Packet *packets, int parts, unsigned number) {
  const int part = blockIdx.x, lane = threadIdx.x % 32;
  Packet *places = packets + (size_t)(number & 1) * SUM_COPIES * parts * PACKETS;
  return { lane < SUM_COPIES ? places + ((size_t)lane * parts + part) * PACKETS : NULL,
           places + (size_t)(part % SUM_COPIES) * parts * PACKETS };
}

// Waits for three numbers of each part: a lane gets those of parts lane, lane + 32 and so on, and zeros where there is
// none. Only what is missing is looked for again. *first: the tag of lane 0's first. Returns whether all have come.
template <int LOADS>
static __device__ __forceinline__ bool hear_parts(const Packet *from, int parts, unsigned number, real got[LOADS][3],
                                                  unsigned *first) {
  const int lane = threadIdx.x % 32;
  Packet packet[LOADS][PACKETS] = {};
  unsigned missing = 0;
#pragma unroll
  for (int k = 0; k < LOADS; k++) missing |= lane + 32 * k < parts ? 1u << k : 0;
  for (int tries = 0; __any_sync(0xffffffff, missing); tries++) {
    if (tries == TRIES) return false;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
#pragma unroll
      for (int j = 0; j < PACKETS; j++)
        load_packet_if(missing >> k & 1, from + (size_t)(lane + 32 * k) * PACKETS + j, &packet[k][j]);
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
      const unsigned tag = unpack(packet[k], got[k]);
      if (((tag ^ number) & ~STOP) == 0) missing &= ~(1u << k);
      if (k == 0) *first = tag;
    }
  }
  return true;
}

// All parts' sums (with MOST: the largest of their three), the same in every part. *stop: the host wants an end.
// Returns whether all have come.
template <bool MOST, int LOADS>
static __device__ __forceinline__ bool exchange_sums(const SumPlaces &places, int parts, real sums[3], unsigned number,
                                                     bool *stop) {
  real got[LOADS][3];
  unsigned first = 0;
  const unsigned began = clock();
  if (places.to) send(places.to, sums, number | (*stop ? STOP : 0));
  pass_cycles(began, SUMS_CYCLES);
  if (!hear_parts<LOADS>(places.from, parts, number, got, &first)) return false;
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
