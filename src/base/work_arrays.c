// Keeps the memory of work arrays (work_arrays.h).
#include "base/work_arrays.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void work_arrays_end(const WorkBlock *block) {
  block->work->used = block->used;
}

void *work_array(WorkArrays *work, int64_t count, size_t size, const char *what, Error *error) {
  assert(work->used < WORK_ARRAYS_MAX);
  const int k = work->used++;
  if (count >= 0 && work->memory[k] && (uint64_t)count <= work->capacity[k] / size)
    return memset(work->memory[k], 0, (size_t)count * size);
  free(work->memory[k]);
  work->memory[k] = array_new(count, size, what, error);
  work->capacity[k] = work->memory[k] ? (size_t)count * size : 0;
  return work->memory[k];
}

void work_arrays_destroy(WorkArrays *work) {
  for (int k = 0; k < WORK_ARRAYS_MAX; k++) free(work->memory[k]);
  *work = (WorkArrays){ 0 };
}
