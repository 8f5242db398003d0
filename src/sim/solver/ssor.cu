// The SSOR preconditioner on the GPU, with the lists of ssor.c. A sweep runs one kernel per colour. A row is a node,
// and its pairs are the matrix blocks that couple it with other nodes. LANES threads process a row: thread k multiplies
// the pairs k, k + LANES, ... by z.
#include "device/cuda_try.h"
#include "sim/solver/ssor.h"

namespace ssor {

enum { BLOCK = 256, LANES = 4, ROWS = BLOCK / LANES };

template <int DOF>
static __global__ void __launch_bounds__(BLOCK)
    sweep_kernel(SsorView v, int first, int last, int backward, const real *r, real *z) {
  const int row = first + blockIdx.x * ROWS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const bool inside = row < last;  // no early return: the shuffles below need all lanes
  real sum[DOF];
#pragma unroll
  for (int i = 0; i < DOF; i++) sum[i] = 0;
  if (inside) {
    const int middle = v.middle[row], from = backward ? middle : v.start[row],
              to = backward ? v.start[row + 1] : middle;
    ssor_pairs(&v, DOF, from + lane, to, LANES, z, sum);
  }
#pragma unroll
  for (int i = 0; i < DOF; i++)
    for (int step = LANES / 2; step > 0; step /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], step);
  if (inside && lane == 0) ssor_node(&v, DOF, v.node[row], backward, sum, r, z);
}

extern "C" bool REAL_NAME(ssor_apply_cuda)(const void *data, const void *r, void *z, Stream stream, Error *error) {
  const Ssor *ssor = (const Ssor *)data;
  const auto kernel = ssor->view.dof == 1 ? sweep_kernel<1> : ssor->view.dof == 2 ? sweep_kernel<2> : sweep_kernel<3>;

  // With one unknown per node, the backward sweep skips the last colour: its nodes have no later nodes, so they would
  // not change. With several unknowns per node they change, since the unknowns of a node depend on each other.
  const NodeColours *colours = &ssor->colours;
  const int turn = ssor->view.dof == 1 ? 2 : 1;
  for (int k = 0; k <= 2 * colours->count - turn; k++) {
    const bool backward = k >= colours->count;
    const int c = backward ? 2 * colours->count - turn - k : k, first = colours->start[c], last = colours->start[c + 1];
    kernel<<<(last - first - 1) / ROWS + 1, BLOCK, 0, (cudaStream_t)stream.handle>>>(ssor->view, first, last, backward,
                                                                                     (const real *)r, (real *)z);
    CUDA_TRY(cudaGetLastError());
  }
  return true;
}

}  // namespace ssor
