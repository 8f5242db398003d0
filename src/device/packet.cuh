// A packet: 16 bytes that one thread block of a kernel sends to another without a barrier. The packet contains a
// number, the epoch, by which the receiver detects that the packet has arrived. One store writes payload and epoch
// together, and one load reads them together (relaxed accesses of 128 bits, from compute capability 7.0 and PTX 8.3
// on).
//
// A receiver must use all words of a packet that it loads. Otherwise ptxas (13.0) replaces the load by loads of 32
// bits, and epoch and payload may be of different packets. A receiver must also bound the time of its wait, since a
// thread block that fails sends no packet.
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

// Loads a packet if `wanted` is true; otherwise *packet does not change.
static __device__ __forceinline__ void load_packet_if(bool wanted, const Packet *from, Packet *packet) {
  asm volatile(
      "{ .reg .pred p; .reg .b128 both; setp.ne.u32 p, %2, 0; mov.b128 both, {%0, %1};"
      "  @p ld.relaxed.gpu.global.b128 both, [%3]; mov.b128 {%0, %1}, both; }"
      : "+l"(packet->payload), "+l"(packet->epoch)
      : "r"((unsigned)wanted), "l"(from)
      : "memory");
}

// Waits until `cycles` clock cycles after `began`, a value of clock(). A receiver that can predict when its packets
// arrive calls this before its first load. A load before the arrival would be in vain, delay the next load, and slow
// down the senders.
static __device__ __forceinline__ void pass_cycles(unsigned began, unsigned cycles) {
  while ((unsigned)clock() - began < cycles) {
  }
}
