// SIMD vectors in C++: the class Lanes holds LANES real numbers, 8 floats or 4 doubles, in 32 bytes. A lane is one of
// the numbers; here each lane belongs to one cell. The headers of elements compute with a type named `real`. If `real`
// is Lanes, one call evaluates LANES cells. Each lane gets the same bits as scalar arithmetic would give.
#pragma once
#include <math.h>

#include "base/real.h"

enum { LANES = 32 / (int)sizeof(real) };

typedef real LaneVector __attribute__((vector_size(LANES * sizeof(real))));

// The namespace is unnamed because LANES is 8 in some source files and 4 in others. Otherwise the linker could replace
// a function for 8 lanes by the function of equal name for 4 lanes.
namespace {
struct Lanes {
  LaneVector v;
  Lanes() = default;
  Lanes(const Lanes &other) : v(other.v) {
  }  // copies all lanes at once; the compiler's default copy stores two halves, and the next load would wait for both
  Lanes(LaneVector vector) : v(vector) {
  }
  Lanes(double value) : v((real)value - LaneVector{}) {
  }
  Lanes &operator=(const Lanes &other) {
    v = other.v;
    return *this;
  }
};
}  // namespace

static inline Lanes operator+(Lanes a, Lanes b) {
  return a.v + b.v;
}
static inline Lanes operator-(Lanes a, Lanes b) {
  return a.v - b.v;
}
static inline Lanes operator*(Lanes a, Lanes b) {
  return a.v * b.v;
}
static inline Lanes operator/(Lanes a, Lanes b) {
  return a.v / b.v;
}
static inline Lanes operator-(Lanes a) {
  return -a.v;
}
static inline Lanes &operator+=(Lanes &a, Lanes b) {
  return a = a + b;
}
static inline Lanes &operator-=(Lanes &a, Lanes b) {
  return a = a - b;
}

// Functions on Lanes that replace the scalar functions of element/material/strain.h. That header leaves out its scalar
// functions if the macro REAL_FUNCTIONS is defined.
#define REAL_FUNCTIONS

static inline Lanes real_log1p(Lanes x) {
  for (int l = 0; l < LANES; l++)
    x.v[l] = sizeof(real) == sizeof(float) ? (real)log1pf((float)x.v[l]) : (real)log1p((double)x.v[l]);
  return x;
}

// Returns the smaller of a and b in each lane, or NaN if one of the two is NaN.
static inline Lanes real_smaller(Lanes a, Lanes b) {
  return ((a.v < b.v) | (a.v != a.v)) ? a.v : b.v;
}

// Transposes a matrix of LANES x LANES numbers. rows [LANES] are its rows; afterwards they are its columns.
template <typename Vector>
static inline void transpose(Vector rows[]) {
  Vector half[LANES];
  if constexpr (LANES == 8) {
#pragma GCC unroll 8
    for (int k = 0; k < 8; k += 2) {
      half[k] = __builtin_shufflevector(rows[k], rows[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
      half[k + 1] = __builtin_shufflevector(rows[k], rows[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
#pragma GCC unroll 8
    for (int k = 0; k < 8; k += 4)
#pragma GCC unroll 2
      for (int i = 0; i < 2; i++) {
        rows[k + 2 * i] = __builtin_shufflevector(half[k + i], half[k + 2 + i], 0, 1, 8, 9, 4, 5, 12, 13);
        rows[k + 2 * i + 1] = __builtin_shufflevector(half[k + i], half[k + 2 + i], 2, 3, 10, 11, 6, 7, 14, 15);
      }
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) half[k] = rows[k];
#pragma GCC unroll 8
    for (int k = 0; k < 4; k++) {
      rows[k] = __builtin_shufflevector(half[k], half[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
      rows[k + 4] = __builtin_shufflevector(half[k], half[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
  } else {
#pragma GCC unroll 8
    for (int k = 0; k < 4; k += 2) {
      half[k] = __builtin_shufflevector(rows[k], rows[k + 1], 0, 4, 2, 6);
      half[k + 1] = __builtin_shufflevector(rows[k], rows[k + 1], 1, 5, 3, 7);
    }
#pragma GCC unroll 8
    for (int k = 0; k < 2; k++) {
      rows[k] = __builtin_shufflevector(half[k], half[k + 2], 0, 1, 4, 5);
      rows[k + 2] = __builtin_shufflevector(half[k], half[k + 2], 2, 3, 6, 7);
    }
  }
}
