// Computes the lower triangle of a matrix in groups of cells, so that a given budget of device memory suffices: see
// chunked.h.
#include "lab/lower/chunked.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/timer.h"

const char *const brick_form_names[] = { "stiffness", "mass" };
const char *const chunk_grouping_names[] = { "overlap", "fewest" };

extern const ChunkedOperations chunked_cpu_f32, chunked_cpu_f64;
extern const ChunkedHost chunked_host_f32, chunked_host_f64;
#ifdef PLIANT_CUDA
extern const ChunkedOperations chunked_cuda_f32, chunked_cuda_f64;
#endif

static const ChunkedOperations *const operations[] = {
  &chunked_cpu_f32,
  &chunked_cpu_f64,
#ifdef PLIANT_CUDA
  &chunked_cuda_f32,
  &chunked_cuda_f64,
#endif
};

// Largest and smallest number of cells in a group, unless the caller gives a number. CELLS_MAX is for the grouping
// `overlap`, and a compromise: with larger groups, the CPU waits longer for the first element matrices of the device.
// With smaller groups, the CPU visits each matrix row more often. On an H200, a mesh of 8 million cells takes 1.5 times
// as long with groups of CELLS_MAX / 4 cells as with CELLS_MAX.
enum { CELLS_MAX = 1 << 17, CELLS_LEAST = 64 };
// A mesh of fewer than GROUPS_FEW * CELLS_MAX cells is divided into GROUPS_FEW equal groups. With several groups, the
// device can compute one group while the CPU sums another. But groups have at least CELLS_FEW cells, except the last
// group.
enum { GROUPS_FEW = 4, CELLS_FEW = 1 << 13 };
// LINE: arrays on a GPU begin at addresses that are multiples of this number of bytes. PAGE: the GPU driver allocates
// memory in pages of this number of bytes.
enum { LINE = 512, PAGE = 2 << 20 };

static const ChunkedHost *host_of(const Chunked *c) {
  return c->precision == PRECISION_F64 ? &chunked_host_f64 : &chunked_host_f32;
}

// Sizes, in bytes, of the three device arrays for one group of cells. `data` holds the constants of the cells,
// `records` their element matrices, and `inverted` the index of an inverted cell. Each size is rounded up to a multiple
// of LINE.
typedef struct SlotBytes {
  size_t data, records, inverted;
} SlotBytes;

static SlotBytes slot_bytes(const Chunked *c) {
  const size_t line = LINE, cells = (size_t)c->group_cells;
  return (SlotBytes){ (host_of(c)->data_bytes * cells + line - 1) / line * line,
                      (host_of(c)->record_bytes * cells + line - 1) / line * line, line };
}

static bool create_slot(const Chunked *c, int s, ChunkSlot *slot, Error *error) {
  const Device device = c->operations->device;
  const SlotBytes bytes = slot_bytes(c);
  char *own = c->memory_dev ? (char *)c->memory_dev + (bytes.data + bytes.records + bytes.inverted) * (size_t)s : NULL;
  if (!stream_create(device, &slot->stream, error)) return false;
  slot->reach = array_new(c->group_cells / CHUNK_PIECE + 1, sizeof *slot->reach, "cells", error);
  slot->data = device_alloc_pinned(device, bytes.data, error);
  slot->records = slot->data ? device_alloc_pinned(device, bytes.records, error) : NULL;
  slot->inverted = slot->records ? device_alloc_pinned(device, sizeof *slot->inverted, error) : NULL;
  slot->data_dev = own ? own : slot->data;
  slot->records_dev = own ? own + bytes.data : slot->records;
  slot->inverted_dev = own ? (int *)(own + bytes.data + bytes.records) : slot->inverted;
  if (!slot->reach) return false;
  if (!slot->inverted) return false;
  if (!event_create(device, &slot->begun, error)) return false;
  if (!event_create(device, &slot->uploaded, error)) return false;
  if (!event_create(device, &slot->integrated, error)) return false;
  return event_create(device, &slot->done, error);
}

static void destroy_slot(const Chunked *c, ChunkSlot *slot) {
  const Device device = c->operations->device;
  Error ignored = { 0 };

  // Wait for the device, which may still use the memory that is freed below.
  if (slot->stream.handle) stream_sync(slot->stream, &ignored);
  event_destroy(&slot->begun);
  event_destroy(&slot->uploaded);
  event_destroy(&slot->integrated);
  event_destroy(&slot->done);
  device_free_pinned(device, slot->data);
  device_free_pinned(device, slot->records);
  device_free_pinned(device, slot->inverted);
  free(slot->reach);
  stream_destroy(&slot->stream);
}

// Returns the largest number of cells of a group of the grouping `overlap`, without a limit of memory.
static int cells_to_overlap(int cell_count) {
  const int share = cell_count / GROUPS_FEW + 1, few = share > CELLS_FEW ? share : CELLS_FEW;
  return few < CELLS_MAX ? few : CELLS_MAX;
}

// Returns the number of cells of each group of the grouping `fewest`. `capacity` is the number of cells that fit the
// memory budget.
static int cells_of_fewest(int cell_count, double capacity) {
  const double groups = ceil(cell_count / floor(capacity));  // Eq. 10 of paper 002, for groups of whole cells
  return groups > 1 ? (int)ceil(cell_count / groups) : cell_count;
}

// Sets the numbers of groups, of cells in a group and of slots. Fails if the budget is too small.
static bool divide_cells(Chunked *c, const ChunkedSettings *settings, Error *error) {
  const int count = c->space->cell_count;
  c->slots = settings->grouping == CHUNK_FEWEST ? 1 : CHUNK_SLOTS;
  const double budget = settings->budget, slots = c->slots;
  const double cell = (double)(host_of(c)->data_bytes + host_of(c)->record_bytes);

  // Compute `capacity`, the number of cells per group that fit in `budget` bytes of device memory. The driver allocates
  // whole pages, so a budget of one page or more is rounded down to whole pages. Each array is rounded up to a multiple
  // of LINE bytes, so LINE bytes are subtracted for each of the three arrays of a slot.
  const double pages = budget >= PAGE ? budget - fmod(budget, PAGE) : budget;
  const double capacity = budget > 0 ? (pages - slots * 3 * LINE) / (slots * cell) : INT_MAX;
  if (capacity < CELLS_LEAST && capacity < count) {
    return error_set(error,
                     "a memory budget of %.0f bytes is too small for %d group%s of %d cells, which %s %.0f bytes; "
                     "increase --memory-budget",
                     budget, c->slots, c->slots > 1 ? "s" : "", CELLS_LEAST, c->slots > 1 ? "need" : "needs",
                     slots * (cell * CELLS_LEAST + 3 * LINE));
  }

  const int maximum = settings->group_cells > 0            ? settings->group_cells
                      : settings->grouping == CHUNK_FEWEST ? cells_of_fewest(count, capacity)
                                                           : cells_to_overlap(count);
  const int fit = capacity < maximum ? (int)capacity : maximum;
  c->group_cells = fit < count ? fit : count;
  if (settings->grouping == CHUNK_OVERLAP && c->group_cells > CELLS_LEAST && c->group_cells < count)
    c->group_cells -= c->group_cells % CELLS_LEAST;
  c->groups = c->group_cells > 0 ? (count - 1) / c->group_cells + 1 : 0;
  return true;
}

bool chunked_create(Chunked *c, const Space *space, const LowerPattern *pattern, const LowerCorners *corners,
                    const ChunkedSettings *settings, Error *error) {
  const Device device = settings->device;
  int k = 0;
  *c = (Chunked){
    .space = space, .pattern = pattern, .corners = corners, .precision = settings->precision, .form = settings->form
  };
  if (!device_present(device))
    return error_set(error, "device %s cannot be used: %s", device_name(device), device_absence());
  while (operations[k]->device != device || operations[k]->precision != settings->precision) k++;
  c->operations = operations[k];
  if (!divide_cells(c, settings, error)) return false;
  const int used = c->groups < c->slots ? c->groups : c->slots;
  const SlotBytes bytes = slot_bytes(c);
  bool ok = true;
  if (device != DEVICE_CPU) {
    c->device_bytes = (bytes.data + bytes.records + bytes.inverted) * (size_t)used;
    c->memory_dev = device_alloc(device, c->device_bytes, error);
    ok = c->memory_dev;
  }
  for (int s = 0; ok && s < used; s++) ok = create_slot(c, s, &c->slot[s], error);
  if (!ok) chunked_destroy(c);
  return ok;
}

void chunked_destroy(Chunked *c) {
  for (int s = 0; c->operations && s < CHUNK_SLOTS; s++) destroy_slot(c, &c->slot[s]);
  if (c->memory_dev) device_free(c->operations->device, c->memory_dev);
  *c = (Chunked){ 0 };
}

// Begins the work on group number `group`. The CPU gathers the constants of the group's cells. Then the device gets
// three operations in a queue: copy the constants to the device, compute the element matrices, copy the matrices to the
// host. The function does not wait for them.
static bool begin_group(Chunked *c, int group, double coefficient, ChunkedTimes *times, Error *error) {
  ChunkSlot *slot = &c->slot[group % c->slots];
  const int first = group * c->group_cells, left = c->space->cell_count - first;
  const double start = timer_seconds();
  slot->first = first;
  slot->count = left < c->group_cells ? left : c->group_cells;
  host_of(c)->gather(c, slot);
  times->gather += timer_seconds() - start;
  *slot->inverted = INT_MAX;
  const size_t cells = (size_t)slot->count;
  const bool apart = slot->data_dev != slot->data;
  if (!event_record(&slot->begun, slot->stream, error)) return false;
  if (apart && !(device_upload(slot->stream, slot->data_dev, slot->data, host_of(c)->data_bytes * cells, error) &&
                 device_upload(slot->stream, slot->inverted_dev, slot->inverted, sizeof(int), error)))
    return false;
  if (!event_record(&slot->uploaded, slot->stream, error)) return false;
  if (!c->operations->integrate(c, slot, coefficient, error)) return false;
  if (!event_record(&slot->integrated, slot->stream, error)) return false;
  if (apart &&
      !(device_download(slot->stream, slot->records, slot->records_dev, host_of(c)->record_bytes * cells, error) &&
        device_download(slot->stream, slot->inverted, slot->inverted_dev, sizeof(int), error)))
    return false;
  return event_record(&slot->done, slot->stream, error);
}

// Ends the work on group number `group`: waits for the element matrices of its cells, and adds them to `values`, the
// entries of the matrix. Adds the times of all stages of the group to *times.
static bool end_group(Chunked *c, int group, void *values, ChunkedTimes *times, Error *error) {
  ChunkSlot *slot = &c->slot[group % c->slots];
  double start = timer_seconds(), upload, integrate, download;
  if (!event_sync(&slot->done, error) || !interrupt_check(error)) return false;
  times->wait += timer_seconds() - start;
  if (!event_elapsed(&slot->begun, &slot->uploaded, &upload, error) ||
      !event_elapsed(&slot->uploaded, &slot->integrated, &integrate, error) ||
      !event_elapsed(&slot->integrated, &slot->done, &download, error))
    return false;
  times->upload += 1e-3 * upload;
  times->integrate += 1e-3 * integrate;
  times->download += 1e-3 * download;
  if (*slot->inverted != INT_MAX)
    return error_set(
        error,
        "cell %d, counted from 0, is inverted or flat: its map from the reference cell has no positive determinant; "
        "correct the mesh",
        slot->first + *slot->inverted);
  start = timer_seconds();
  int low = INT_MAX, high = -1;
  for (int k = 0; k * CHUNK_PIECE < slot->count; k++) {
    if (slot->reach[k][0] < low) low = slot->reach[k][0];
    if (slot->reach[k][1] > high) high = slot->reach[k][1];
  }
  if (c->pattern) host_of(c)->sum(c, slot, low, high, values);
  times->sum += timer_seconds() - start;
  return true;
}

bool chunked_run(Chunked *c, double coefficient, void *values, ChunkedTimes *times, Error *error) {
  const double start = timer_seconds();
  const int ahead = c->slots - 1;  // number of groups that are begun before the present group ends
  *times = (ChunkedTimes){ 0 };
  bool ok = true;
  for (int group = 0; ok && group < c->groups + ahead; group++)
    ok = interrupt_check(error) && (group >= c->groups || begin_group(c, group, coefficient, times, error)) &&
         (group < ahead || end_group(c, group - ahead, values, times, error));
  Error ignored = { 0 };
  for (int s = 0; !ok && s < c->slots && s < c->groups; s++) stream_sync(c->slot[s].stream, &ignored);
  times->total = timer_seconds() - start;
  return ok;
}
