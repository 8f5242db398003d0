// Recursive coordinate bisection: see bisect.h. Points with equal coordinates are ordered by index, so the result is
// unique.
#include "mesh/bisect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// Number of halvings of all points that run with one parallel task per piece. After them, each piece is one task, which
// makes all further halvings of this piece.
enum { SHARED_LEVELS = 6 };

// A point: its position, m, and its index in the caller's array X.
typedef struct Point {
  double X[3];
  int number;
} Point;

// Arguments of the parallel loops over pieces (sets of points that halvings have made). X [count]: positions of the
// points. point [count]: the points, which the loops sort. level: number of halvings so far. order [count]: the result,
// as in bisect_points.
typedef struct Task {
  const double (*X)[3];
  Point *point;
  int count, level;
  int64_t parts;  // number of parts into which all points are divided in the end
  int *order;
} Task;

// A piece: the points Task.point[start] to Task.point[start + count - 1], to be divided into `parts` parts.
typedef struct Piece {
  int start, count;
  int64_t parts;
} Piece;

static Piece first_half(Piece piece) {
  const int64_t parts = piece.parts / 2;
  return (Piece){ piece.start, (int)(piece.count * parts / piece.parts), parts };
}

static Piece second_half(Piece piece) {
  const Piece first = first_half(piece);
  return (Piece){ piece.start + first.count, piece.count - first.count, piece.parts - first.parts };
}

// Returns piece `number` of the 2^levels pieces into which `levels` halvings divide all points. Bits of `number`, the
// highest first, choose the first (0) or second (1) half: with 2 levels, piece 2 (bits 10) is the first half of the
// second half. If a piece is one part already, its first half is the whole piece, and its second half is empty.
static Piece piece_after(const Task *t, int levels, int number) {
  Piece piece = { 0, t->count, t->parts };
  for (int bit = levels - 1; bit >= 0; bit--) {
    const bool second = number >> bit & 1;
    if (piece.parts > 1)
      piece = second ? second_half(piece) : first_half(piece);
    else if (second)
      piece.count = 0;
  }
  return piece;
}

int bisect_start(int count, int levels, int piece) {
  if (levels < BISECT_FULLY && piece == 1 << levels) return count;
  return piece_after(&(Task){ .count = count, .parts = (int64_t)1 << levels }, levels, piece).start;
}

static bool before(const Point *a, const Point *b, int axis) {
  return a->X[axis] != b->X[axis] ? a->X[axis] < b->X[axis] : a->number < b->number;
}

// Rearranges the points so that the `rank` points with the smallest coordinates along `axis` come first. Uses
// quickselect (Hoare, 1961). Pivots come from a fixed sequence of random numbers, so results are reproducible.
static void select_first(Point *point, int count, int rank, int axis) {
  uint32_t seed = 1;
  for (int low = 0, high = count - 1; low < high && !interrupt_requested();) {
    seed = seed * 1664525 + 1013904223;
    const Point pivot = point[low + (int)((uint64_t)seed * (uint32_t)(high - low + 1) >> 32)];
    int i = low, j = high;
    while (i <= j) {
      while (before(&point[i], &pivot, axis)) i++;
      while (before(&pivot, &point[j], axis)) j--;
      if (i > j) break;
      const Point swap = point[i];
      point[i++] = point[j];
      point[j--] = swap;
    }
    if (rank <= j)
      high = j;
    else if (rank >= i)
      low = i;
    else
      return;
  }
}

static void halve(Point *point, int count, int rank) {
  double low[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, high[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
  for (int p = 0; p < count; p++)
    for (int i = 0; i < 3; i++) {
      if (point[p].X[i] < low[i]) low[i] = point[p].X[i];
      if (point[p].X[i] > high[i]) high[i] = point[p].X[i];
    }
  int axis = 0;
  for (int i = 1; i < 3; i++)
    if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
  select_first(point, count, rank, axis);
}

static int by_number(const void *left, const void *right) {
  const int a = ((const Point *)left)->number, b = ((const Point *)right)->number;
  return (a > b) - (a < b);
}

static void divide(Point *point, Piece piece) {
  if (piece.count < 2 || interrupt_requested()) return;
  if (piece.parts == 1) {
    qsort(point + piece.start, (size_t)piece.count, sizeof *point, by_number);
    return;
  }
  const Piece first = first_half(piece);
  halve(point + piece.start, piece.count, first.count);
  divide(point, first);
  divide(point, second_half(piece));
}

static void take_points(const void *task, int first, int last) {
  const Task *t = task;
  for (int a = first; a < last; a++) t->point[a] = (Point){ { t->X[a][0], t->X[a][1], t->X[a][2] }, a };
}

static void halve_pieces(const void *task, int first, int last) {
  const Task *t = task;
  for (int number = first; number < last; number++) {
    const Piece piece = piece_after(t, t->level, number);
    if (piece.count > 1 && piece.parts > 1) halve(t->point + piece.start, piece.count, first_half(piece).count);
  }
}

static void divide_pieces(const void *task, int first, int last) {
  const Task *t = task;
  for (int number = first; number < last; number++) {
    const Piece piece = piece_after(t, t->level, number);
    divide(t->point, piece);
    for (int p = piece.start; p < piece.start + piece.count; p++) t->order[p] = t->point[p].number;
  }
}

static bool order_by_parts(Task *task, Error *error) {
  enum { CHUNK = 16384 };
  for (int a = 0; task->parts == 1 && a < task->count; a++) task->order[a] = a;
  if (task->parts == 1) return true;
  task->point = array_new(task->count, sizeof *task->point, "points", error);
  if (!task->point) return false;
  parallel_for(task->count, CHUNK, take_points, task);
  for (; (int64_t)1 << task->level < task->parts && task->level < SHARED_LEVELS; task->level++)
    parallel_for_parts(1 << task->level, halve_pieces, task);
  parallel_for_parts(1 << task->level, divide_pieces, task);
  free(task->point);
  return interrupt_check(error);
}

bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error) {
  return order_by_parts(&(Task){ .X = X, .count = count, .parts = (int64_t)1 << levels, .order = order }, error);
}

// Sets part[a] for each point a of `piece`, which may still consist of several parts. The points of the piece are
// order[piece.start] to order[piece.start + piece.count - 1]. The first part gets the number *next, the following ones
// the next numbers; *next becomes the next unused number.
static void number_parts(const int *order, Piece piece, int *next, int *part) {
  if (piece.parts > 1) {
    number_parts(order, first_half(piece), next, part);
    number_parts(order, second_half(piece), next, part);
    return;
  }
  for (int p = piece.start; p < piece.start + piece.count; p++) part[order[p]] = *next;
  ++*next;
}

bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error) {
  Task task = { .X = X, .count = count, .parts = part_count, .order = array_new(count, sizeof(int), "points", error) };
  int next = 0;
  const bool ok = task.order && order_by_parts(&task, error);
  if (ok) number_parts(task.order, (Piece){ 0, count, part_count }, &next, part);
  free(task.order);
  return ok;
}
