// Packets: 16 bytes that one block of a kernel sends to another without a barrier. One store writes the payload and the
// number by which the receiver detects its arrival, and one load reads either all of it or nothing (relaxed accesses of
// 128 bits: compute capability 7.0, PTX 8.3). A receiver must use all words of a packet that it loads. If some are
// unused, ptxas (13.0) replaces the load by loads of 32 bits, and the number may then belong to another packet than the
// payload. A receiver must bound its wait: a block that died sends no packet.
#pragma once

struct __align__(16) Packet {
  unsigned long long payload, epoch;
};

static __device__ __forceinline__ void store_packet(Packet *to, unsigned long long payload, unsigned long long epoch) {
  asm volatile("{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }" ::"l"(to),
               "l"(payload), "l"(epoch)
               : "memory");
}

static __device__ __forceinline__ Packet load_packet(const Packet *from) {
  Packet packet;
  asm volatile("{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
               : "=l"(packet.payload), "=l"(packet.epoch)
               : "l"(from)
               : "memory");
  return packet;
}

// As load_packet if `wanted`; otherwise the packet is unchanged.
static __device__ __forceinline__ void load_packet_if(bool wanted, const Packet *from, Packet *packet) {
  asm volatile(
      "{ .reg .pred p; .reg .b128 both; setp.ne.u32 p, %2, 0; mov.b128 both, {%0, %1};"
      "  @p ld.relaxed.gpu.global.b128 both, [%3]; mov.b128 {%0, %1}, both; }"
      : "+l"(packet->payload), "+l"(packet->epoch)
      : "r"((unsigned)wanted), "l"(from)
      : "memory");
}

// Returns once `cycles` cycles of the multiprocessor have passed since `began`, a clock(). If all blocks send at about
// the same time, it pays to wait before the first load. A load that is too early takes as long as the next one, which
// can start only after it, and it slows down the senders.
static __device__ __forceinline__ void pass_cycles(unsigned began, unsigned cycles) {
  while ((unsigned)clock() - began < cycles) {
  }
}
