// The midpoint rule's twins: the list.
#include "sim/newton/midpoint.h"

extern const MidpointOperations midpoint_cpu_f32, midpoint_cpu_f64;
#ifdef PLIANT_CUDA
extern const MidpointOperations midpoint_cuda_f32, midpoint_cuda_f64;
#endif

const MidpointOperations *const midpoint_operations[] = {
  &midpoint_cpu_f32,
  &midpoint_cpu_f64,
#ifdef PLIANT_CUDA
  &midpoint_cuda_f32,
  &midpoint_cuda_f64,
#endif
  NULL,
};
