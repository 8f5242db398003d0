// Reads numbers from bytes in memory. The argument `swap` must be true if the byte order of the data differs from that
// of this machine.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool machine_is_big_endian(void) {
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static inline uint16_t binary_u16(const void *from, bool swap) {
  uint16_t value;
  memcpy(&value, from, sizeof value);
  return swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t binary_u32(const void *from, bool swap) {
  uint32_t value;
  memcpy(&value, from, sizeof value);
  return swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t binary_u64(const void *from, bool swap) {
  uint64_t value;
  memcpy(&value, from, sizeof value);
  return swap ? __builtin_bswap64(value) : value;
}

static inline int32_t binary_i32(const void *from, bool swap) {
  return (int32_t)binary_u32(from, swap);
}

static inline int64_t binary_i64(const void *from, bool swap) {
  return (int64_t)binary_u64(from, swap);
}

static inline float binary_f32(const void *from, bool swap) {
  const uint32_t bits = binary_u32(from, swap);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline double binary_f64(const void *from, bool swap) {
  const uint64_t bits = binary_u64(from, swap);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
