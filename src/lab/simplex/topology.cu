// Finds the edges and faces of a tet mesh on the GPU, and numbers them as topology.c does (paper 004, section 4.1). The
// edges of all tets are sorted by a key, so that copies of one edge in several tets become adjacent. Such a run of
// equal keys is one edge of the mesh. The index of the run is the number of the edge, and the entries of the run give
// the tets at the edge. Vertices and faces are found in the same way. The sort keeps the order of tets among equal
// keys.
//
// The key of an edge is the pair of its two vertices. The key of a face is the pair of its highest vertex and the edge
// between its other two vertices. So each key has two numbers and fits into 64 bits.
#include "device/cuda_try.h"
#include "device/device_sort.h"
#include "lab/simplex/simplex_nodes.h"

namespace topology {

enum { THREADS = 256 };
typedef unsigned long long Key;

static int blocks_for(int64_t count) {
  return (int)((count + THREADS - 1) / THREADS);
}

static int bits_of(int count) {
  int bits = 1;
  while (bits < 31 && count >> bits) bits++;
  return bits;
}

static __global__ void number_kernel(int count, int *number) {
  const int k = blockIdx.x * THREADS + threadIdx.x;
  if (k < count) number[k] = k;
}

// sorted [count] holds the vertices of all corners of all tets, sorted. Computes start [vertices + 1], the index in
// `sorted` of each vertex's first entry. A vertex that belongs to no tet gets the start of the next vertex.
static __global__ void vertex_start_kernel(int count, const unsigned *sorted, int vertices, int *start) {
  const int k = blockIdx.x * THREADS + threadIdx.x;
  if (k > count) return;
  const int from = k ? (int)sorted[k - 1] + 1 : 0, to = k < count ? (int)sorted[k] : vertices;
  for (int v = from; v <= to; v++) start[v] = k;
}

static __global__ void edge_key_kernel(SimplexTopology t, int bits, Key *key) {
  const int k = blockIdx.x * THREADS + threadIdx.x;
  if (k >= 6 * t.tet_count) return;
  const int *tet = t.tet + 4 * (k / 6);
  const int a = tet[edge_corner(k % 6, 0)], b = tet[edge_corner(k % 6, 1)];
  key[k] = (Key)min(a, b) << bits | (Key)max(a, b);
}

static __global__ void face_key_kernel(SimplexTopology t, int bits, Key *key) {
  const int k = blockIdx.x * THREADS + threadIdx.x;
  if (k >= 4 * t.tet_count) return;
  const int e = k / 4, *tet = t.tet + 4 * e;
  int high = face_corner(k % 4, 0);
  for (int c = 1; c < 3; c++)
    if (tet[face_corner(k % 4, c)] > tet[high]) high = face_corner(k % 4, c);

  // the two corners of the face other than `high`, ascending
  int other[2], count = 0;
  for (int c = 0; c < 3; c++) {
    const int corner = face_corner(k % 4, c);
    if (corner != high) other[count++] = corner;
  }
  key[k] = (Key)t.tet_edge[6 * e + edge_between(other[0], other[1])] << bits | (Key)tet[high];
}

// key [count] is sorted. Sets head[k] to 1 if key k is the first of a run of equal keys, and else to 0. Each run is one
// edge or face of the mesh.
static __global__ void head_kernel(int count, const Key *key, int *head) {
  const int k = blockIdx.x * THREADS + threadIdx.x;
  if (k < count) head[k] = k == 0 || key[k] != key[k - 1];
}

// Stores the edges of each tet in t.tet_edge and the vertices of each edge in t.edge. Entry k of the sorted list is an
// edge of a tet, and a run of entries with equal keys is one edge of the mesh. number[k] is the number of runs that
// begin at or before entry k, so entry k belongs to edge number[k] - 1.
static __global__ void edge_kernel(SimplexTopology t, int bits, const Key *key, const int *number) {
  const int k = blockIdx.x * THREADS + threadIdx.x, count = 6 * t.tet_count;
  if (k >= count) return;
  const int edge = number[k] - 1;
  t.tet_edge[t.cells[EDGE].item[k]] = edge;
  if (k == 0) t.cells[EDGE].start[t.count[EDGE]] = count;
  if (k > 0 && number[k - 1] == number[k]) return;
  const int low = (int)(key[k] >> bits), high = (int)(key[k] & (((Key)1 << bits) - 1));
  t.cells[EDGE].start[edge] = k;
  t.edge[2 * (size_t)edge] = low;
  t.edge[2 * (size_t)edge + 1] = high;
  atomicAdd(&t.vertex_edges[low], 1);
  atomicAdd(&t.vertex_edges[high], 1);
}

static __global__ void face_kernel(SimplexTopology t, int bits, const Key *key, const int *number) {
  const int k = blockIdx.x * THREADS + threadIdx.x, count = 4 * t.tet_count;
  if (k >= count) return;
  const int face = number[k] - 1, item = t.cells[FACE].item[k];
  t.tet_face[item] = face;
  if (k == 0) t.cells[FACE].start[t.count[FACE]] = count;
  if (k > 0 && number[k - 1] == number[k]) return;
  const int edge = (int)(key[k] >> bits), high = (int)(key[k] & (((Key)1 << bits) - 1));
  const int vertex[3] = { t.edge[2 * (size_t)edge], t.edge[2 * (size_t)edge + 1], high };
  t.cells[FACE].start[face] = k;
  for (int c = 0; c < 3; c++) {
    t.face[3 * (size_t)face + c] = vertex[c];
    atomicAdd(&t.vertex_faces[vertex[c]], 1);
    const int side = edge_between(face_corner(item % 4, c), face_corner(item % 4, (c + 1) % 3));
    atomicAdd(&t.edge_faces[t.tet_edge[6 * (item / 4) + side]], 1);
  }
}

// Temporary arrays, on the GPU, of the sorts that find edges and faces.
typedef struct Scratch {
  Key *key, *sorted;  // [6 tet_count], keys before and after the sort
  int *number;        // [6 tet_count]: before a sort, the index of each entry; afterwards, 1 + number of its run
  void *sort;         // work array for sorts by the library CUB
  size_t sort_bytes;
} Scratch;

static void *take(const SimplexTopology *t, size_t bytes, Error *error) {
  return device_alloc_raw(t->memory.stream, bytes, t->memory.pooled, error);
}

static int *take_ints(const SimplexTopology *t, int64_t count, Error *error) {
  return (int *)take(t, sizeof(int) * (size_t)count, error);
}

static bool open_scratch(Scratch *s, const SimplexTopology *t, Error *error) {
  const int count = 6 * t->tet_count;
  size_t scan = 0;
  if (!device_sort_bytes(true, count, &s->sort_bytes, error) || !device_add_up_bytes(count, &scan, error)) return false;
  if (scan > s->sort_bytes) s->sort_bytes = scan;
  s->key = (Key *)take(t, sizeof *s->key * (size_t)count, error);
  s->sorted = (Key *)take(t, sizeof *s->sorted * (size_t)count, error);
  s->number = take_ints(t, count, error);
  s->sort = take(t, s->sort_bytes, error);
  return s->key && s->sorted && s->number && s->sort;
}

static void close_scratch(Scratch *s) {
  device_free(DEVICE_CUDA, s->key);
  device_free(DEVICE_CUDA, s->sorted);
  device_free(DEVICE_CUDA, s->number);
  device_free(DEVICE_CUDA, s->sort);
}

static bool find_vertices(SimplexTopology *t, Scratch *s, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  const int count = 4 * t->tet_count, vertices = t->count[VERTEX];
  SimplexCells *cells = &t->cells[VERTEX];
  cells->item = take_ints(t, count, error);
  cells->start = take_ints(t, (int64_t)vertices + 1, error);
  if (!cells->item || !cells->start) return false;
  unsigned *sorted = (unsigned *)s->sorted;
  number_kernel<<<blocks_for(count), THREADS, 0, stream>>>(count, s->number);
  if (!device_sort(s->sort, s->sort_bytes, false, t->tet, sorted, s->number, cells->item, count, bits_of(vertices),
                   t->memory.stream, error))
    return false;
  vertex_start_kernel<<<blocks_for((int64_t)count + 1), THREADS, 0, stream>>>(count, sorted, vertices, cells->start);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Sorts `count` entries, the edges or faces of all tets, by their keys s->key; t->cells[kind].item gets the sorted list
// of entries. A run of equal keys is one edge or face of the mesh. s->number gets, for each entry, the number of its
// run plus 1. t->count[kind] gets the number of runs.
static bool find_runs(SimplexTopology *t, Scratch *s, int kind, int count, int key_bits, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  number_kernel<<<blocks_for(count), THREADS, 0, stream>>>(count, s->number);
  if (!device_sort(s->sort, s->sort_bytes, true, s->key, s->sorted, s->number, t->cells[kind].item, count, key_bits,
                   t->memory.stream, error))
    return false;
  head_kernel<<<blocks_for(count), THREADS, 0, stream>>>(count, s->sorted, s->number);
  if (!device_add_up(s->sort, s->sort_bytes, false, s->number, s->number, count, t->memory.stream, error)) return false;
  CUDA_TRY(cudaMemcpyAsync(&t->count[kind], s->number + count - 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_TRY(cudaStreamSynchronize(stream));
  t->cells[kind].start = take_ints(t, (int64_t)t->count[kind] + 1, error);
  return t->cells[kind].start;
}

static bool zero_ints(const SimplexTopology *t, int *array, int count, Error *error) {
  return array && device_zero(t->memory.stream, array, sizeof *array * (size_t)count, error);
}

static bool find_edges(SimplexTopology *t, Scratch *s, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  const int count = 6 * t->tet_count, bits = bits_of(t->count[VERTEX]);
  t->cells[EDGE].item = take_ints(t, count, error);
  t->tet_edge = take_ints(t, count, error);
  t->vertex_edges = take_ints(t, t->count[VERTEX], error);
  if (!t->cells[EDGE].item || !t->tet_edge || !zero_ints(t, t->vertex_edges, t->count[VERTEX], error)) return false;
  edge_key_kernel<<<blocks_for(count), THREADS, 0, stream>>>(*t, bits, s->key);
  if (!find_runs(t, s, EDGE, count, 2 * bits, error)) return false;
  t->edge = take_ints(t, 2 * (int64_t)t->count[EDGE], error);
  if (!t->edge) return false;
  edge_kernel<<<blocks_for(count), THREADS, 0, stream>>>(*t, bits, s->sorted, s->number);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool find_faces(SimplexTopology *t, Scratch *s, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  const int count = 4 * t->tet_count, bits = bits_of(t->count[VERTEX]);
  t->cells[FACE].item = take_ints(t, count, error);
  t->tet_face = take_ints(t, count, error);
  t->vertex_faces = take_ints(t, t->count[VERTEX], error);
  t->edge_faces = take_ints(t, t->count[EDGE], error);
  if (!t->cells[FACE].item || !t->tet_face || !zero_ints(t, t->vertex_faces, t->count[VERTEX], error) ||
      !zero_ints(t, t->edge_faces, t->count[EDGE], error))
    return false;
  face_key_kernel<<<blocks_for(count), THREADS, 0, stream>>>(*t, bits, s->key);
  if (!find_runs(t, s, FACE, count, bits + bits_of(t->count[EDGE]), error)) return false;
  t->face = take_ints(t, 3 * (int64_t)t->count[FACE], error);
  if (!t->face) return false;
  face_kernel<<<blocks_for(count), THREADS, 0, stream>>>(*t, bits, s->sorted, s->number);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool simplex_topology_find_cuda(SimplexTopology *t, Error *error) {
  Scratch s = {};
  bool ok = open_scratch(&s, t, error);
  ok = ok && find_vertices(t, &s, error);
  ok = ok && find_edges(t, &s, error);
  ok = ok && (t->degree == 1 || find_faces(t, &s, error));
  // Wait until the kernels have ended before their work arrays are freed, because freed memory can be allocated again
  // at once.
  Error ignored = {};
  stream_sync(t->memory.stream, ok ? error : &ignored);
  close_scratch(&s);
  return ok;
}

}  // namespace topology
