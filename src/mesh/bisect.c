// Recursive coordinate bisection: see bisect.h. Points at one coordinate are told apart by their numbers, so there is
// one result.
#include "mesh/bisect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { SHARED_LEVELS = 6 };  // after these a piece is one thread's

typedef struct Point {
  double X[3];
  int number;
} Point;

typedef struct Task {
  const double (*X)[3];
  Point *point;
  int count, level, levels;
  int *order;
} Task;

int bisect_start(int count, int levels, int piece) {
  int start = 0;
  if (levels < BISECT_FULLY && piece == 1 << levels) return count;
  for (int bit = levels - 1; bit >= 0; bit--) {
    const int half = count / 2;
    if (piece >> bit & 1)
      start += half, count -= half;
    else
      count = half;
  }
  return start;
}

static bool before(const Point *a, const Point *b, int axis) {
  return a->X[axis] != b->X[axis] ? a->X[axis] < b->X[axis] : a->number < b->number;
}

// The `rank` first along an axis go to the front: quickselect (Hoare, 1961), its pivots drawn by a fixed rule.
static void select_first(Point *point, int count, int rank, int axis) {
  uint32_t seed = 1;
  for (int low = 0, high = count - 1; low < high && !interrupt_signal();) {
    seed = seed * 1664525 + 1013904223;
    const Point pivot = point[low + (int)((uint64_t)seed * (uint32_t)(high - low + 1) >> 32)];
    int i = low, j = high;
    while (i <= j) {
      while (before(&point[i], &pivot, axis)) i++;
      while (before(&pivot, &point[j], axis)) j--;
      if (i > j) break;
      const Point swap = point[i];
      point[i++] = point[j], point[j--] = swap;
    }
    if (rank <= j)
      high = j;
    else if (rank >= i)
      low = i;
    else
      return;
  }
}

static void halve(Point *point, int count) {
  double low[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, high[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
  for (int p = 0; p < count; p++)
    for (int i = 0; i < 3; i++) {
      if (point[p].X[i] < low[i]) low[i] = point[p].X[i];
      if (point[p].X[i] > high[i]) high[i] = point[p].X[i];
    }
  int axis = 0;
  for (int i = 1; i < 3; i++)
    if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
  select_first(point, count, count / 2, axis);
}

static int by_number(const void *left, const void *right) {
  const int a = ((const Point *)left)->number, b = ((const Point *)right)->number;
  return (a > b) - (a < b);
}

static void divide(Point *point, int count, int levels) {
  if (count < 2 || interrupt_signal()) return;
  if (levels == 0) {
    qsort(point, (size_t)count, sizeof *point, by_number);
    return;
  }
  halve(point, count);
  divide(point, count / 2, levels - 1);
  divide(point + count / 2, count - count / 2, levels - 1);
}

static void take_points(const void *task, int first, int last) {
  const Task *t = task;
  for (int a = first; a < last; a++) t->point[a] = (Point){ { t->X[a][0], t->X[a][1], t->X[a][2] }, a };
}

static void halve_pieces(const void *task, int first, int last) {
  const Task *t = task;
  for (int piece = first; piece < last; piece++) {
    const int start = bisect_start(t->count, t->level, piece), end = bisect_start(t->count, t->level, piece + 1);
    if (end - start > 1) halve(t->point + start, end - start);
  }
}

static void divide_pieces(const void *task, int first, int last) {
  const Task *t = task;
  for (int piece = first; piece < last; piece++) {
    const int start = bisect_start(t->count, t->level, piece), end = bisect_start(t->count, t->level, piece + 1);
    divide(t->point + start, end - start, t->levels - t->level);
    for (int p = start; p < end; p++) t->order[p] = t->point[p].number;
  }
}

bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error) {
  enum { CHUNK = 16384 };
  Task task = { .X = X, .count = count, .levels = levels, .order = order };
  for (int a = 0; levels == 0 && a < count; a++) order[a] = a;
  if (levels == 0) return true;
  task.point = array_new(count, sizeof *task.point, "points", error);
  if (!task.point) return false;
  parallel_for(count, CHUNK, take_points, &task);
  for (; task.level < levels && task.level < SHARED_LEVELS; task.level++)
    parallel_for_parts(1 << task.level, halve_pieces, &task);
  parallel_for_parts(1 << task.level, divide_pieces, &task);
  free(task.point);
  return interrupt_check(error);
}
