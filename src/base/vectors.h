// Arithmetic with vectors of three numbers on the host. Code that is also compiled for GPUs uses sim/contact/nearest.h.
#pragma once
#include <math.h>

static inline void vector_minus(const double a[3], const double b[3], double difference[3]) {
  for (int i = 0; i < 3; i++) difference[i] = a[i] - b[i];
}

static inline double vector_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Returns the length of a vector, also if squares of its components would overflow.
static inline double vector_length(const double a[3]) {
  return hypot(hypot(a[0], a[1]), a[2]);
}

static inline void vector_cross(const double a[3], const double b[3], double product[3]) {
  for (int i = 0; i < 3; i++) product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}
