// Tests that METIS runs in at most one thread after several divisions of a graph were interrupted. A later division
// must wait for the end of this thread, and give the usual result.
#include "../testing.h"

#include <dirent.h>

#include "base/interrupt.h"
#include "mesh/divide.h"
#include "mesh/tet_mesh.h"

enum { SIDE = 20, NODES = SIDE * SIDE * SIDE, PARTS = 500 };

// Returns a grid of nodes in which each node is a neighbour of the next nodes along the three axes.
static Adjacency grid(void) {
  Adjacency g = { .node_count = NODES };
  Error error = { 0 };
  static int cell[3 * NODES][2];
  int count = 0;
  for (int a = 0; a < NODES; a++) {
    if (a % SIDE < SIDE - 1) {
      cell[count][0] = a;
      cell[count++][1] = a + 1;
    }
    if (a / SIDE % SIDE < SIDE - 1) {
      cell[count][0] = a;
      cell[count++][1] = a + SIDE;
    }
    if (a / SIDE / SIDE < SIDE - 1) {
      cell[count][0] = a;
      cell[count++][1] = a + SIDE * SIDE;
    }
  }
  MUST(adjacency_create_cells(&g, NODES, count, 2, cell[0], &error));
  return g;
}

static int thread_count(void) {
  DIR *folder = opendir("/proc/self/task");
  assert_non_null(folder);
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

// Requests an end from the second poll on. The first poll of a division comes before METIS starts.
static bool requested(void *polls) {
  return ++*(int *)polls > 1;
}

static void metis_runs_in_one_thread_after_interrupts(void **state) {
  (void)state;
  static int expected[NODES], part[NODES];
  Adjacency g = grid();
  Error error = { 0 };
  MUST(adjacency_divide(&g, PARTS, NULL, expected, &error));
  const int before = thread_count();
  for (int k = 0; k < 3; k++) {
    int polls = 0;
    interrupt_listen(requested, &polls);
    const bool divided = adjacency_divide(&g, PARTS, NULL, part, &error);
    interrupt_listen(NULL, NULL);
    assert_false(divided);
    error.message[0] = '\0';
  }
  assert_true(thread_count() <= before + 1);
  MUST(adjacency_divide(&g, PARTS, NULL, part, &error));
  assert_memory_equal(part, expected, sizeof part);
  adjacency_destroy(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(metis_runs_in_one_thread_after_interrupts) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
