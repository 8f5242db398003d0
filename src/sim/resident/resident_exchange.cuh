// Exchange of data between the parts of the resident solver. A part is a group of nodes with their rows of the matrix.
// One thread block processes a part. Parts send each other packets: 16 bytes in device memory that one instruction
// writes. A packet contains three 32-bit words of data and a tag, the number of the exchange. A receiver polls a packet
// until its tag is the expected number.
#pragma once
#include "base/real.h"
#include "device/packet.cuh"

enum {
  PACKETS = sizeof(real) == sizeof(float) ? 1 : 2,  // number of packets for three numbers of type real
  // PARTS_MAX: max number of parts. Each multiprocessor has one part, and no GPU so far has more than 192. In double
  // 160 suffice for GPUs with fast double precision, and solves on an H200 are 4 % faster than with 192. SUM_LOADS:
  // number of parts whose sums each lane of the deciding warp (the last one) receives.
  PARTS_MAX = PACKETS == 1 ? 192 : 160,
  SUM_LOADS = PARTS_MAX / 32,
  // Number of copies of each part's sums. Different parts read different copies, so not all of them read one address.
  SUM_COPIES = 4,
  // Number of reads, of at least a third of a microsecond each, after which a missing packet counts as lost.
  TRIES = 1 << 23,
  // Waiting times, in clock cycles. SUMS_CYCLES: from sending a part's sums to the first read of other parts' sums.
  // HALO_CYCLES: from sending w = A u of boundary nodes to the first read of w of halo nodes. With these values all
  // sums arrive earliest on an H200, among the values tested (docs/decisions/009-resident-solver.md). w is needed later
  // than the sums, and its packets must not delay the sums.
  SUMS_CYCLES = PACKETS == 1 ? 500 : 1000,
  HALO_CYCLES = 1000,
};
// Highest bit of a packet's tag, whose other bits are the number of the exchange. 1: the host requests the solve's end.
static constexpr unsigned STOP = 1u << 31;

// Writes one packet: three 32-bit words of data, and a tag.
static __device__ __forceinline__ void send_words(Packet *to, unsigned a, unsigned b, unsigned c, unsigned tag) {
  store_packet(to, (unsigned long long)b << 32 | a, (unsigned long long)tag << 32 | c);
}

// Sends the three numbers v: in float one packet; in double two packets, each of which has half of the bits of v[1].
static __device__ __forceinline__ void send(Packet *to, const real v[3], unsigned tag) {
  if (PACKETS == 1) {
    send_words(to, __float_as_uint((float)v[0]), __float_as_uint((float)v[1]), __float_as_uint((float)v[2]), tag);
  } else {
    send_words(to, __double2loint(v[0]), __double2hiint(v[0]), __double2loint(v[1]), tag);
    send_words(to + PACKETS - 1, __double2loint(v[2]), __double2hiint(v[2]), __double2hiint(v[1]), tag);
  }
}

// Returns the tag of the packets that hold three numbers, or 0 if their tags differ, because one has not arrived.
static __device__ __forceinline__ unsigned packet_tag(const Packet packet[PACKETS]) {
  const unsigned tag = (unsigned)(packet[0].epoch >> 32);
  return tag == (unsigned)(packet[PACKETS - 1].epoch >> 32) ? tag : 0;
}

// Extracts the three numbers that the PACKETS packets hold.
static __device__ __forceinline__ void unpack(const Packet packet[PACKETS], real v[3]) {
  const unsigned a = (unsigned)packet[0].payload, b = (unsigned)(packet[0].payload >> 32);
  const unsigned c = (unsigned)packet[0].epoch;
  if (PACKETS == 1) {
    v[0] = (real)__uint_as_float(a);
    v[1] = (real)__uint_as_float(b);
    v[2] = (real)__uint_as_float(c);
    return;
  }
  const Packet &other = packet[PACKETS - 1];
  const unsigned a2 = (unsigned)other.payload, b2 = (unsigned)(other.payload >> 32);
  const unsigned c2 = (unsigned)other.epoch;
  v[0] = (real)__hiloint2double((int)b, (int)a);
  v[2] = (real)__hiloint2double((int)b2, (int)a2);
  v[1] = (real)__hiloint2double((int)c2, (int)c);
}

// Reads three numbers once, without waiting. Returns their tag, or 0 if one packet has not arrived.
static __device__ __forceinline__ unsigned receive(const Packet *from, real v[3]) {
  Packet packet[PACKETS];
#pragma unroll
  for (int k = 0; k < PACKETS; k++) packet[k] = load_packet(from + k);
  unpack(packet, v);
  return packet_tag(packet);
}

// Sums a, b and c over a warp in a fixed order. Lanes 0 to 7 return the sum of a, lanes 8 to 15 the sum of b, lanes 16
// to 31 the sum of c. This takes fewer shuffles than three separate calculations, because after the first shuffles each
// lane adds up only one of the sums.
static __device__ __forceinline__ real warp_sums(real a, real b, real c, int lane) {
  const bool upper = lane & 16, second = lane & 8;
  const real other = __shfl_xor_sync(0xffffffff, upper ? a : c, 16), other_b = __shfl_xor_sync(0xffffffff, b, 16);
  a += other;
  b += other_b;
  c += other;  // the lower 16 lanes use a and b, the upper ones c
  real sum = upper ? c : second ? b : a;
  sum += __shfl_xor_sync(0xffffffff, upper ? c : second ? a : b, 8);
#pragma unroll
  for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return sum;
}

// Sums v [3] over LANES adjacent threads, a power of two, in a fixed order. Each thread gets all three sums.
template <int LANES>
static __device__ __forceinline__ void lane_totals(real v[3]) {
#pragma unroll
  for (int step = 1; step < LANES; step *= 2)
#pragma unroll
    for (int i = 0; i < 3; i++) v[i] += __shfl_xor_sync(0xffffffff, v[i], step);
}

static __device__ __forceinline__ real warp_max(real a) {
  for (int step = 16; step > 0; step /= 2) {
    const real other = __shfl_xor_sync(0xffffffff, a, step);
    a = other > a ? other : a;
  }
  return a;
}

// Addresses with which the deciding warp of a part exchanges the three sums that every part computes. `to`: address to
// which this lane of the warp writes a copy of its part's sums; NULL: the lane writes none. `from`: address of the copy
// of all parts' sums that this part reads.
typedef struct SumSlots {
  Packet *to;
  const Packet *from;
} SumSlots;

// Returns the addresses for exchange `number` of sums. packets [2][SUM_COPIES][parts][PACKETS] has the sums of each
// part; exchanges with even and odd numbers use different halves.
static __device__ __forceinline__ SumSlots sum_slots(Packet *packets, int parts, unsigned number) {
  const int part = blockIdx.x, lane = threadIdx.x % 32;
  Packet *slots = packets + (size_t)(number & 1) * SUM_COPIES * parts * PACKETS;
  return { lane < SUM_COPIES ? slots + ((size_t)lane * parts + part) * PACKETS : NULL,
           slots + (size_t)(part % SUM_COPIES) * parts * PACKETS };
}

// Waits for the three numbers that every part sends in an exchange. A lane receives the numbers of parts `lane`, `lane`
// + 32 and so on; elements of `received` after the last part become 0. *first gets the tag of part number `lane`; the
// tag of part 0 may contain the flag STOP. Returns false if a packet does not arrive in time.
static __device__ __forceinline__ bool receive_parts(const Packet *from, int parts, unsigned number,
                                                     real received[SUM_LOADS][3], unsigned *first) {
  const int lane = threadIdx.x % 32;
  Packet packet[SUM_LOADS][PACKETS] = {};
  unsigned missing = 0;
#pragma unroll
  for (int k = 0; k < SUM_LOADS; k++) missing |= lane + 32 * k < parts ? 1u << k : 0;
  for (int tries = 0; __any_sync(0xffffffff, missing); tries++) {
    if (tries == TRIES) return false;
#pragma unroll
    for (int k = 0; k < SUM_LOADS; k++)
#pragma unroll
      for (int j = 0; j < PACKETS; j++)
        load_packet_if(missing >> k & 1, from + (size_t)(lane + 32 * k) * PACKETS + j, &packet[k][j]);
#pragma unroll
    for (int k = 0; k < SUM_LOADS; k++) {
      const unsigned tag = packet_tag(packet[k]);
      if (((tag ^ number) & ~STOP) == 0) missing &= ~(1u << k);
    }
  }

  *first = packet_tag(packet[0]);

  // Unpack the packets here, since unpacking them in the loop would repeat it with each try.
#pragma unroll
  for (int k = 0; k < SUM_LOADS; k++) unpack(packet[k], received[k]);
  return true;
}

// Sends the three sums of this part, and replaces `sums` by their totals over all parts, with the same bits in every
// part. With MAXIMUM, sums[0] instead becomes the largest of the three numbers of all parts. *stop: part 0 passes true
// if the host requests the end of the solve; on return, all parts have the value that part 0 passed. Returns false if a
// packet does not arrive in time.
template <bool MAXIMUM>
static __device__ __forceinline__ bool exchange_sums(const SumSlots &slots, int parts, real sums[3], unsigned number,
                                                     bool *stop) {
  real received[SUM_LOADS][3];
  unsigned first = 0;
  const unsigned began = clock();
  if (slots.to) send(slots.to, sums, number | (*stop ? STOP : 0));
  pass_cycles(began, SUMS_CYCLES);
  if (!receive_parts(slots.from, parts, number, received, &first)) return false;
  *stop = __shfl_sync(0xffffffff, first >> 31, 0);  // the flag STOP that part 0 has sent, in the highest bit
  if constexpr (MAXIMUM) {
    real largest = 0;
#pragma unroll
    for (int k = 0; k < SUM_LOADS; k++)
#pragma unroll
      for (int i = 0; i < 3; i++) largest = received[k][i] > largest ? received[k][i] : largest;
    sums[0] = warp_max(largest);
  } else {
#pragma unroll
    for (int i = 0; i < 3; i++) {
      sums[i] = received[0][i];
#pragma unroll
      for (int k = 1; k < SUM_LOADS; k++) sums[i] += received[k][i];
    }
    lane_totals<32>(sums);
  }
  return true;
}

// Returns the number of the next exchange. It is never 0, because new memory, filled with 0, must not look like
// packets.
static __device__ __forceinline__ unsigned next_number(unsigned number) {
  const unsigned next = (number + 1) & ~STOP;
  return next ? next : 2;
}
