// Arrays that a function needs only until it returns. Their memory is kept, so that later calls allocate nothing.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WORK_ARRAYS_MAX = 16 };  // largest number of arrays that are in use at the same time

// Memory of the work arrays of an object, which only one thread at a time may use. A zeroed WorkArrays has no memory.
typedef struct WorkArrays {
  void *memory[WORK_ARRAYS_MAX];     // memory[k] is used by the array that was taken when k arrays were in use
  size_t capacity[WORK_ARRAYS_MAX];  // bytes of memory[k]
  int used;                          // number of arrays in use
} WorkArrays;

// The number of arrays in use at the start of a block, which is restored at its end.
typedef struct WorkBlock {
  WorkArrays *work;
  int used;
} WorkBlock;

/// Gives back the arrays that are taken from `work` from here to the end of the enclosing block.
#define WORK_ARRAYS_HERE(work_arrays) \
  __attribute__((cleanup(work_arrays_end))) const WorkBlock work_block = { (work_arrays), (work_arrays)->used }
void work_arrays_end(const WorkBlock *block);

/// Takes an array of `count` zeroed elements of `size` bytes. WORK_ARRAYS_HERE must precede it in the function.
/// Allocates memory only if the kept memory is too small. The message of a failure calls the elements `what`. Returns
/// NULL on failure; a count of 0 gives a valid pointer.
void *work_array(WorkArrays *work, int64_t count, size_t size, const char *what, Error *error);

/// Frees the memory. No array may be in use.
void work_arrays_destroy(WorkArrays *work);

#ifdef __cplusplus
}
#endif
