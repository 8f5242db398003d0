// DHYB's index arrays: see dhyb_layout.h.
#include "sim/sparse/dhyb_layout.h"

#include <stdlib.h>

#include "base/array.h"

// entries of a row besides its diagonal
static int others(const Pattern *p, int row) {
  return p->row_start[row + 1] - p->row_start[row] - (pattern_find(p, row, row) >= 0);
}

// the largest width whose last column is filled by at least a third of the rows
static bool choose_width(const Pattern *p, int *width, Error *error) {
  int longest = 0;
  for (int i = 0; i < p->n; i++)
    if (others(p, i) > longest) longest = others(p, i);
  int *rows = array_new((int64_t)longest + 2, sizeof *rows, "row lengths", error);  // rows[k]: how many have length k
  if (!rows) return false;
  for (int i = 0; i < p->n; i++) rows[others(p, i)]++;
  int reaching = 0;  // rows with at least `length` entries
  for (*width = longest; *width > 0; --*width) {
    reaching += rows[*width];
    if (3 * (int64_t)reaching >= p->n) break;
  }
  free(rows);
  return true;
}

bool dhyb_layout_create(Matrix *A, Error *error) {
  const Pattern *p = A->pattern;
  const int n = p->n, pitch = (n + 31) / 32 * 32;
  const Device device = A->format->device;
  int width, *ell_col = NULL, *tail_start = NULL, *tail_col = NULL;
  DhybLayout *layout = NULL;
  if (!choose_width(p, &width, error)) return false;
  const int64_t ell_count = (int64_t)width * pitch, tail_at = ell_count + pitch;
  int64_t tail_count = 0;
  for (int i = 0; i < n; i++)
    if (others(p, i) > width) tail_count += others(p, i) - width;
  if (tail_at + tail_count > INT32_MAX) {
    error_set(error, "%lld slots, at most %d fit", (long long)(tail_at + tail_count), INT32_MAX);
    return false;
  }
  layout = array_new(1, sizeof *layout, "matrix layout", error);
  ell_col = array_new(ell_count, sizeof *ell_col, "matrix columns", error);
  tail_start = array_new((int64_t)n + 1, sizeof *tail_start, "matrix rows", error);
  tail_col = array_new(tail_count, sizeof *tail_col, "matrix columns", error);
  if (!layout || !ell_col || !tail_start || !tail_col) goto failed;

  int tail = 0;
  for (int i = 0; i < n; i++) {
    int k = 0;
    for (int s = p->row_start[i]; s < p->row_start[i + 1]; s++) {
      if (p->col[s] == i) {
        A->slot[s] = i;
      } else if (k < width) {
        A->slot[s] = (1 + k) * pitch + i;
        ell_col[(int64_t)k++ * pitch + i] = p->col[s];
      } else {
        A->slot[s] = (int)tail_at + tail;
        tail_col[tail++] = p->col[s];
      }
    }
    for (; k < width; k++) ell_col[(int64_t)k * pitch + i] = i;
    tail_start[i + 1] = tail;
  }
  A->slot_count = tail_at + tail_count;
  A->layout = layout;
  layout->pitch = pitch;
  layout->width = width;
  layout->ell_col = device_clone(device, ell_col, sizeof *ell_col * (size_t)ell_count, error);
  layout->tail_start = device_clone(device, tail_start, sizeof *tail_start * ((size_t)n + 1), error);
  layout->tail_col = device_clone(device, tail_col, sizeof *tail_col * (size_t)tail_count, error);
  free(ell_col);
  free(tail_start);
  free(tail_col);
  return layout->ell_col && layout->tail_start && layout->tail_col;
failed:
  free(layout);
  free(ell_col);
  free(tail_start);
  free(tail_col);
  return false;
}

void dhyb_layout_destroy(Matrix *A) {
  DhybLayout *layout = A->layout;
  device_free(A->format->device, layout->ell_col);
  device_free(A->format->device, layout->tail_start);
  device_free(A->format->device, layout->tail_col);
  free(layout);
}
