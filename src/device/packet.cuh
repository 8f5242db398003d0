// Packets: 16 bytes that one block of a kernel hands to another without a barrier. What they carry and the number by
// which the receiver knows that it has come travel in one store, and one load sees either all of it or nothing (relaxed
// accesses of 128 bits: compute capability 7.0, PTX 8.3). It must use all words of a packet that it loads: where nobody
// uses some, ptxas (13.0) makes loads of 32 bits of the one, and then the number may belong to another packet than the
// payload. Who waits for a packet must bound the wait: a block that died sends none.
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

// The same where it is wanted; else the packet stays as it is.
static __device__ __forceinline__ void load_packet_if(bool wanted, const Packet *from, Packet *packet) {
  asm volatile(
      "{ .reg .pred p; .reg .b128 both; setp.ne.u32 p, %2, 0; mov.b128 both, {%0, %1};"
      "  @p ld.relaxed.gpu.global.b128 both, [%3]; mov.b128 {%0, %1}, both; }"
      : "+l"(packet->payload), "+l"(packet->epoch)
      : "r"((unsigned)wanted), "l"(from)
      : "memory");
}

// Returns once so many cycles of the multiprocessor have passed since `began`, a clock(). Where all blocks send at
// about the same time it pays to wait so before the first look: one that is too early is under way for as long as the
// next, which only then can leave, and holds up who writes.
static __device__ __forceinline__ void pass_cycles(unsigned began, unsigned cycles) {
  while ((unsigned)clock() - began < cycles) {
  }
}
