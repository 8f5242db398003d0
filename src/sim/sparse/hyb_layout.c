// HYB's index arrays: see hyb_layout.h.
#include "sim/sparse/hyb_layout.h"

#include <stdlib.h>

#include "base/array.h"

enum { WINDOW = 192 };  // rows: 64 nodes of three unknowns

// The arrays while they are made, on the host.
typedef struct Host {
  int *length;      // [n], by row
  int *row;         // [n], by place
  int *sorted;      // [n], lengths by place
  int *ell_col;     // [width][pitch]
  int *tail_start;  // [n]
  int *tail_col;
} Host;

static void host_destroy(Host *h) {
  free(h->length), free(h->row), free(h->sorted), free(h->ell_col), free(h->tail_start), free(h->tail_col);
}

static void measure_rows(const Matrix *A, int *length) {
  const Pattern *p = A->pattern;
  for (int i = 0; i < p->n; i++)
    length[i] =
        p->row_start[i + 1] - p->row_start[i] - (A->format->diagonal_first && pattern_find(p, i, i) >= 0 ? 1 : 0);
}

// the largest width whose last column is filled by a third of the rows, or by as many as the device runs at once
static bool choose_width(const int *length, int n, Device device, int *width, Error *error) {
  int longest = 0;
  for (int i = 0; i < n; i++)
    if (length[i] > longest) longest = length[i];
  int *rows = array_new((int64_t)longest + 2, sizeof *rows, "row lengths", error);  // rows[k]: how many have length k
  if (!rows) return false;
  for (int i = 0; i < n; i++) rows[length[i]]++;
  const int full = device_resident_threads(device);
  int reaching = 0;  // rows with at least `width` entries
  for (*width = longest; *width > 0; --*width) {
    reaching += rows[*width];
    if (3 * (int64_t)reaching >= n || (full > 0 && reaching >= full)) break;
  }
  free(rows);
  return true;
}

// longest first within each window; rows of equal length keep their order
static void sort_rows(const int *length, int n, int *row) {
  for (int first = 0; first < n; first += WINDOW) {
    const int last = first + WINDOW < n ? first + WINDOW : n;
    for (int i = first; i < last; i++) {
      int place = i;
      while (place > first && length[row[place - 1]] < length[i]) row[place] = row[place - 1], place--;
      row[place] = i;
    }
  }
}

static bool upload(HybLayout *l, const Host *h, Device device, int n, int64_t ell_count, int tail_count, Error *error) {
  l->row = device_clone(device, h->row, sizeof(int) * (size_t)n, error);
  l->length = device_clone(device, h->sorted, sizeof(int) * (size_t)n, error);
  l->ell_col = device_clone(device, h->ell_col, sizeof(int) * (size_t)ell_count, error);
  l->tail_start = device_clone(device, h->tail_start, sizeof(int) * (size_t)n, error);
  l->tail_col = device_clone(device, h->tail_col, sizeof(int) * (size_t)tail_count, error);
  return l->row && l->length && l->ell_col && l->tail_start && l->tail_col;
}

static bool create(Matrix *A, Host *h, Error *error) {
  const Pattern *p = A->pattern;
  const int n = p->n, pitch = (n + 31) / 32 * 32, diagonal = A->format->diagonal_first ? pitch : 0;
  int width;
  h->length = array_new(n, sizeof(int), "row lengths", error);
  h->row = array_new(n, sizeof(int), "matrix rows", error);
  h->sorted = array_new(n, sizeof(int), "row lengths", error);
  h->tail_start = array_new(n, sizeof(int), "matrix rows", error);
  if (!h->length || !h->row || !h->sorted || !h->tail_start) return false;
  measure_rows(A, h->length);
  if (!choose_width(h->length, n, A->format->device, &width, error)) return false;
  sort_rows(h->length, n, h->row);
  const int64_t ell_count = (int64_t)width * pitch, tail_at = diagonal + ell_count;
  int64_t tail_count = 0;
  for (int i = 0; i < n; i++)
    if (h->length[i] > width) tail_count += h->length[i] - width;
  if (tail_at + tail_count > INT32_MAX)
    return error_set(error, "%lld slots, at most %d fit", (long long)(tail_at + tail_count), INT32_MAX);
  h->ell_col = array_new(ell_count, sizeof(int), "matrix columns", error);
  h->tail_col = array_new(tail_count, sizeof(int), "matrix columns", error);
  HybLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  if (!h->ell_col || !h->tail_col || !layout) return false;

  int tail = 0;
  for (int place = 0; place < n; place++) {
    const int i = h->row[place];
    int k = 0;
    h->sorted[place] = h->length[i];
    h->tail_start[place] = tail;
    for (int s = p->row_start[i]; s < p->row_start[i + 1]; s++) {
      if (diagonal && p->col[s] == i) {
        A->slot[s] = i;
      } else if (k < width) {
        A->slot[s] = diagonal + k * pitch + place;
        h->ell_col[(int64_t)k++ * pitch + place] = p->col[s];
      } else {
        A->slot[s] = (int)tail_at + tail;
        h->tail_col[tail++] = p->col[s];
      }
    }
  }
  A->slot_count = tail_at + tail_count;
  layout->pitch = pitch;
  layout->width = width;
  layout->diagonal = diagonal;
  return upload(layout, h, A->format->device, n, ell_count, tail, error);
}

bool hyb_layout_create(Matrix *A, Error *error) {
  Host host = { 0 };
  const bool ok = create(A, &host, error);
  host_destroy(&host);
  return ok;
}

void hyb_layout_destroy(Matrix *A) {
  HybLayout *l = A->layout;
  const Device device = A->format->device;
  device_free(device, l->row), device_free(device, l->length), device_free(device, l->ell_col);
  device_free(device, l->tail_start), device_free(device, l->tail_col);
  free(l);
}
