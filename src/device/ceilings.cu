// Measures the limits of the GPU (ceilings.h). A run consists of rounds, repetitions of the measured work. To time one
// round, two runs are timed, one with many rounds and one with few. The difference of their times is divided by the
// difference of their numbers of rounds, so the cost of starting and ending a run cancels. Each run is repeated, and
// the fastest counts.
//   memory     one thread block per multiprocessor processes its part of the arrays, by loads that bypass L1. Arrays
//              that fit into L2 are read from there, others from memory
//   launch     empty kernels in sequence, in a stream and in a graph
//   reply      a kernel, a copy of 4 bytes to the host, and the host's wait, by the host's clock
//   exchange   every thread block writes a packet and waits for the packets of all other blocks, as in a sum over all
//              blocks. For comparison, the time of a cooperative kernel's barrier is measured too
#include <cooperative_groups.h>

#include <math.h>

#include "base/interrupt.h"
#include "base/timer.h"
#include "device/ceilings_parts.h"
#include "device/cuda_try.h"
#include "device/packet.cuh"

enum {
  REPEATS = 5,
  THREADS = 1024,
  BATCH = 4,
  LANES = 32,
  HEARD = 8,            // number of packets that a lane (thread of a warp) loads at once
  POLLS_MAX = 1 << 20,  // number of polls for one packet, which take about a second
};

// Loads a value, bypassing the L1 cache.
static __device__ __forceinline__ float4 load(const float4 *from) {
  float4 value;
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(from));
  return value;
}

// Reads the n elements of `from`, `rounds` times. If COPIES is true, also stores them in `to`. Each thread starts BATCH
// loads before it uses the first result.
template <bool COPIES>
static __global__ void __launch_bounds__(THREADS, 1)
    pass_kernel(size_t n, const float4 *from, float4 *to, int rounds, float *sum) {
  const size_t begin = n / gridDim.x * blockIdx.x, end = blockIdx.x + 1 < gridDim.x ? begin + n / gridDim.x : n;
  float all = 0;
  for (int round = 0; round < rounds; round++)
    for (size_t i = begin + threadIdx.x; i < end; i += BATCH * THREADS) {
      float4 value[BATCH];
#pragma unroll
      for (int k = 0; k < BATCH; k++)
        value[k] = i + k * THREADS < end ? load(from + i + k * THREADS) : make_float4(0, 0, 0, 0);
#pragma unroll
      for (int k = 0; k < BATCH; k++)
        if (!COPIES)
          all += (value[k].x + value[k].y) + (value[k].z + value[k].w);
        else if (i + k * THREADS < end)
          __stcg(to + i + k * THREADS, value[k]);
    }
  if (all == 1) *sum = all;  // never true for arrays of zeros; keeps the compiler from removing the reads
}

static __global__ void empty_kernel(void) {
}

static __global__ void answer_kernel(int *answer) {
  *answer = 1;
}

static __global__ void __launch_bounds__(LANES) barrier_kernel(int rounds) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int round = 0; round < rounds; round++) grid.sync();
}

static __device__ __forceinline__ unsigned long long payload_of(int part, unsigned epoch) {
  return (unsigned long long)epoch << 32 | (unsigned)~part;
}

// Waits for the packets in box [count] from number `first` on; all lanes of a warp call it together. Lane l waits for
// HEARD packets: first + l, first + l + LANES, and so on, below `count`. Returns false in all lanes if a packet does
// not arrive, or has a payload that does not belong to its number and epoch.
static __device__ bool hear(const Packet *box, int first, int count, unsigned epoch) {
  const int lane = threadIdx.x;
  for (int polls = 0; polls < POLLS_MAX; polls++) {
    Packet packet[HEARD];
#pragma unroll
    for (int k = 0; k < HEARD; k++) {
      const int part = first + lane + LANES * k;
      packet[k].payload = payload_of(part, epoch);
      packet[k].epoch = epoch;
      if (part < count) packet[k] = load_packet(box + part);
    }
    bool missing = false, torn = false;
#pragma unroll
    for (int k = 0; k < HEARD; k++) {
      missing |= packet[k].epoch != epoch;
      torn |= packet[k].epoch == epoch && packet[k].payload != payload_of(first + lane + LANES * k, epoch);
    }
    if (__any_sync(0xffffffff, torn)) return false;
    if (!__any_sync(0xffffffff, missing)) return true;
  }
  return false;
}

// Measures exchanges. In each round, every thread block stores one packet in `box` and waits for the packets of all
// blocks. The epoch of a packet is the number of its round, which continues from launch to launch. Row 0 of box
// [2][blocks] has the packets of even rounds, row 1 those of odd rounds.
//
// Two rows are enough. A block overwrites its packet of epoch e only in round e + 2, after it has received all packets
// e + 1. Every block has sent its packet e + 1 after it has received all packets e, so no block still waits for packets
// of epoch e. If a packet does not arrive, the blocks that wait for this packet return after a bounded time.
static __global__ void __launch_bounds__(LANES)
    exchange_kernel(Packet *box, unsigned first_epoch, int rounds, int silent, int *failed) {
  const int parts = gridDim.x, part = blockIdx.x;
  for (int round = 0; round < rounds; round++) {
    const unsigned epoch = first_epoch + round;
    Packet *row = box + (size_t)(epoch & 1) * parts;
    if (threadIdx.x == 0 && part != silent) store_packet(row + part, payload_of(part, epoch), epoch);
    for (int first = 0; first < parts; first += LANES * HEARD)
      if (!hear(row, first, parts, epoch)) {
        if (threadIdx.x == 0) *failed = 1;
        return;
      }
  }
}

// Objects that the measurements use; a zeroed Bench is empty.
typedef struct Bench {
  Stream stream;
  Event first, last;
  int multiprocessors;
  int *answer, *answer_host;  // 4 bytes on the GPU that kernels write, and 4 bytes of pinned host memory
} Bench;

static bool bench_create(Bench *b, Error *error) {
  *b = {};
  if (!stream_create(DEVICE_CUDA, &b->stream, error) || !event_create(DEVICE_CUDA, &b->first, error) ||
      !event_create(DEVICE_CUDA, &b->last, error))
    return false;
  b->answer = (int *)device_alloc(DEVICE_CUDA, sizeof *b->answer, error);
  b->answer_host = (int *)device_alloc_pinned(DEVICE_CUDA, sizeof *b->answer_host, error);
  if (!b->answer || !b->answer_host) return false;
  CUDA_TRY(cudaDeviceGetAttribute(&b->multiprocessors, cudaDevAttrMultiProcessorCount, device_gpu()));
  return true;
}

static void bench_destroy(Bench *b) {
  device_free_pinned(DEVICE_CUDA, b->answer_host);
  device_free(DEVICE_CUDA, b->answer);
  if (b->first.handle) event_destroy(&b->first);
  if (b->last.handle) event_destroy(&b->last);
  if (b->stream.handle) stream_destroy(&b->stream);
}

// Measures the time, s, of one round, which is one repetition of the measured work. run(n, error) queues n rounds. The
// result is the time of a run of `many` rounds minus the time of a run of `few` rounds, divided by many - few.
template <typename Run>
static bool time_round(Bench *b, int few, int many, const Run &run, double *seconds, Error *error) {
  const int rounds[2] = { few, many };
  double quickest[2] = { HUGE_VAL, HUGE_VAL };
  for (int k = 0; k < 2 * REPEATS; k++) {
    double elapsed_ms;
    if (!interrupt_check(error)) return false;
    if (!event_record(&b->first, b->stream, error)) return false;
    if (!run(rounds[k % 2], error)) return false;
    if (!event_record(&b->last, b->stream, error)) return false;
    if (!stream_sync(b->stream, error)) return false;
    if (!event_elapsed(&b->first, &b->last, &elapsed_ms, error)) return false;
    quickest[k % 2] = fmin(quickest[k % 2], elapsed_ms);
  }
  *seconds = 1e-3 * (quickest[1] - quickest[0]) / (many - few);
  return *seconds > 0 || error_set(error,
                                   "the speed of the GPU cannot be measured: a test with %d repetitions took no "
                                   "longer than one with %d; end other programs that use the GPU",
                                   many, few);
}

static bool measure_rate(Bench *b, float4 *arrays, double bytes, bool copies, double *rate, Error *error) {
  enum { PASSED_BYTES = 1 << 30 };  // takes some tenths of a millisecond
  const size_t n = (size_t)bytes / sizeof(float4) / (copies ? 2 : 1);
  const int more = bytes < PASSED_BYTES ? (int)(PASSED_BYTES / bytes) + 1 : 1;
  double seconds;
  const auto run = [=](int rounds, Error *error) {
    const auto kernel = copies ? pass_kernel<true> : pass_kernel<false>;
    kernel<<<b->multiprocessors, THREADS, 0, (cudaStream_t)b->stream.handle>>>(n, arrays, arrays + n, rounds,
                                                                               (float *)b->answer);
    CUDA_TRY(cudaGetLastError());
    return true;
  };
  if (!time_round(b, 2, 2 + more, run, &seconds, error)) return false;
  *rate = (double)n * sizeof(float4) * (copies ? 2 : 1) / seconds;
  return true;
}

static bool measure_memory(Bench *b, Ceilings *c, Error *error) {
  int cache = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device_gpu()));
  c->cache_bytes = cache;
  const double largest = ceilings_largest(DEVICE_CUDA);
  float4 *arrays = (float4 *)device_alloc(DEVICE_CUDA, (size_t)largest, error);
  if (!arrays) return false;
  c->size_count = ceilings_sizes(largest, c->rate);
  bool ok = true;
  for (int k = 0; ok && k < c->size_count; k++)
    ok = measure_rate(b, arrays, c->rate[k].bytes, false, &c->rate[k].read, error) &&
         measure_rate(b, arrays, c->rate[k].bytes, true, &c->rate[k].copy, error);
  device_free(DEVICE_CUDA, arrays);
  return ok;
}

static bool launch_empty(Bench *b, int count, Error *error) {
  for (int k = 0; k < count; k++) {
    empty_kernel<<<1, LANES, 0, (cudaStream_t)b->stream.handle>>>();
    CUDA_TRY(cudaGetLastError());
  }
  return true;
}

// Creates a CUDA graph of `count` empty kernels in sequence.
static bool make_chain(Bench *b, int count, cudaGraphExec_t *chain, Error *error) {
  cudaStream_t s = (cudaStream_t)b->stream.handle;
  cudaGraph_t graph = NULL;
  CUDA_TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  const bool launched = launch_empty(b, count, error);
  CUDA_TRY(cudaStreamEndCapture(s, &graph));
  const cudaError_t status = launched ? cudaGraphInstantiate(chain, graph, 0) : cudaSuccess;
  cudaGraphDestroy(graph);
  CUDA_TRY(status);
  return launched;
}

static bool measure_launches(Bench *b, Ceilings *c, Error *error) {
  enum { FEW = 50, MANY = 550 };
  if (!time_round(
          b, FEW, MANY, [=](int count, Error *error) { return launch_empty(b, count, error); }, &c->launch, error))
    return false;
  cudaGraphExec_t few = NULL, many = NULL;
  const auto run = [&](int count, Error *error) {
    CUDA_TRY(cudaGraphLaunch(count == FEW ? few : many, (cudaStream_t)b->stream.handle));
    return true;
  };
  const bool ok = make_chain(b, FEW, &few, error) && make_chain(b, MANY, &many, error) &&
                  time_round(b, FEW, MANY, run, &c->node, error);
  if (few) cudaGraphExecDestroy(few);
  if (many) cudaGraphExecDestroy(many);
  return ok;
}

static bool measure_reply(Bench *b, double *seconds, Error *error) {
  enum { BATCHES = 10, REPLIES = 30 };
  *seconds = HUGE_VAL;
  for (int batch = 0; batch < BATCHES; batch++) {
    const double start = timer_seconds();
    for (int k = 0; k < REPLIES; k++) {
      answer_kernel<<<1, 1, 0, (cudaStream_t)b->stream.handle>>>(b->answer);
      CUDA_TRY(cudaGetLastError());
      if (!device_download(b->stream, b->answer_host, b->answer, sizeof *b->answer, error) ||
          !stream_sync(b->stream, error))
        return false;
    }
    *seconds = fmin(*seconds, (timer_seconds() - start) / REPLIES);
  }
  return true;
}

static bool cooperative(bool *can, Error *error) {
  int answer = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&answer, cudaDevAttrCooperativeLaunch, device_gpu()));
  *can = answer;
  return true;
}

static bool measure_barrier(Bench *b, double *seconds, Error *error) {
  const auto run = [=](int rounds, Error *error) {
    void *arguments[] = { &rounds };
    CUDA_TRY(cudaLaunchCooperativeKernel((const void *)barrier_kernel, dim3(b->multiprocessors), dim3(LANES), arguments,
                                         0, (cudaStream_t)b->stream.handle));
    return true;
  };
  return time_round(b, 100, 1100, run, seconds, error);
}

static bool measure_exchange(Bench *b, int silent, double *seconds, Error *error) {
  enum { FEW = 100, MANY = 1100 };
  const size_t bytes = 2 * sizeof(Packet) * (size_t)b->multiprocessors;
  Packet *box = (Packet *)device_alloc(DEVICE_CUDA, bytes, error);
  int *failed = b->answer;
  unsigned epoch = 1;  // packets in `box` are 0 at first, so epoch 0 means that no packet has arrived
  const auto run = [&](int rounds, Error *error) {
    void *arguments[] = { &box, &epoch, &rounds, &silent, &failed };
    CUDA_TRY(cudaLaunchCooperativeKernel((const void *)exchange_kernel, dim3(b->multiprocessors), dim3(LANES),
                                         arguments, 0, (cudaStream_t)b->stream.handle));
    epoch += (unsigned)rounds;
    return true;
  };
  bool ok = box && device_zero(b->stream, failed, sizeof *failed, error);

  // the first run tests that all packets arrive, the second measures the time
  for (int k = 0; ok && k < 2; k++) {
    ok = k == 0 ? run(FEW, error) : time_round(b, FEW, MANY, run, seconds, error);
    ok = ok && device_download(b->stream, b->answer_host, failed, sizeof *failed, error) &&
         stream_sync(b->stream, error);
    if (ok && *b->answer_host)
      ok = error_set(
          error, "the GPU lost or changed data that its multiprocessors exchanged, so its speed cannot be measured");
  }

  device_free(DEVICE_CUDA, box);
  return ok;
}

extern "C" {

bool ceilings_exchange(int silent, double *seconds, Error *error) {
  Bench b;
  bool can = false;
  *seconds = 0;
  const bool ok =
      bench_create(&b, error) && cooperative(&can, error) && (!can || measure_exchange(&b, silent, seconds, error));
  bench_destroy(&b);
  return ok;
}

bool ceilings_measure_cuda(Ceilings *c, Error *error) {
  Bench b;
  bool can = false;
  bool ok = bench_create(&b, error);
  ok = ok && measure_memory(&b, c, error);
  ok = ok && measure_launches(&b, c, error);
  ok = ok && measure_reply(&b, &c->reply, error);
  ok = ok && cooperative(&can, error);
  ok = ok && (!can || (measure_barrier(&b, &c->grid_sync, error) && measure_exchange(&b, -1, &c->exchange, error)));
  c->cores = b.multiprocessors;
  bench_destroy(&b);
  return ok;
}

}  // extern "C"
