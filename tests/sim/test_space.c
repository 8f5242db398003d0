// Spaces: cells of both shapes, their nodes, their graph and their masses.
#include "sim_testing.h"

#include "mesh/quadratic.h"
#include "sim/space.h"

enum { BOXES = 3 };

static void space_of_a_mesh_is_the_mesh(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Space space;
  MUST(mesh_make_box(BOXES, 2, 2, (double[]){ 1, 2, 3 }, &mesh, &error));
  MUST(space_create(&space, &mesh, 3, &error));
  assert_int_equal(space_dof(&space), 3 * mesh.node_count);
  assert_int_equal(space.owned_count, mesh.node_count);
  assert_memory_equal(space.cell, mesh.tet, sizeof *mesh.tet * (size_t)mesh.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) assert_true(space_cell_volume(&space, e) == mesh_tet_volume(&mesh, e));
  space_destroy(&space);
  mesh_destroy(&mesh);
}

// every node of a 10-node cell stands in the middle of its edge, once for all cells of the edge
static void quadratic_cells_share_the_nodes_of_their_edges(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Space linear, space;
  MUST(mesh_make_box(BOXES, BOXES, BOXES, (double[]){ 1, 1, 1 }, &mesh, &error));
  MUST(space_create(&linear, &mesh, 3, &error));
  const int corners = mesh.node_count;
  MUST(mesh_raise(&mesh, 2, &error));
  MUST(space_create(&space, &mesh, 3, &error));
  // on Kuhn's cut the middles of edges are the grid of half the width, but for its corners
  const int fine = 2 * BOXES + 1;
  assert_int_equal(space.node_count, fine * fine * fine);
  assert_int_equal(space.node_count, corners + (space_pairs(&linear) - corners) / 2);
  for (int e = 0; e < space.cell_count; e++) {
    const int *node = space_cell(&space, e);
    assert_memory_equal(node, mesh.tet[e], sizeof *mesh.tet);
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < 3; i++)
        assert_true(space.X[node[4 + k]][i] ==
                    (space.X[node[tet_edge_corners[k][0]]][i] + space.X[node[tet_edge_corners[k][1]]][i]) / 2);
    // all of a cell's nodes are neighbours
    for (int a = 0; a < 10; a++)
      for (int b = 0; b < 10; b++) assert_true(adjacency_find(&space.graph, node[a], node[b]) >= 0);
  }
  space_destroy(&space);
  space_destroy(&linear);
  mesh_destroy(&mesh);
}

static void masses_add_up_and_the_cells_of_a_node_hold_it(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_box(BOXES, 2, 1, (double[]){ 1, 2, 3 }, &mesh, &error));
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    Space space;
    NodeCells cells;
    if (quadratic) MUST(mesh_raise(&mesh, 2, &error));
    MUST(space_create(&space, &mesh, 3, &error));
    double *mass = malloc(sizeof *mass * (size_t)space.node_count), sum = 0;
    space_lumped_mass(&space, 7, mass);
    for (int a = 0; a < space.node_count; a++) {
      assert_true(mass[a] > 0);
      sum += mass[a];
    }
    assert_true(fabs(sum - 7 * 6) < 1e-12 * 42);
    MUST(node_cells_create(&cells, &space, &error));
    assert_int_equal(cells.start[space.node_count], space.cell_nodes * space.cell_count);
    for (int a = 0; a < space.node_count; a++)
      for (int64_t s = cells.start[a]; s < cells.start[a + 1]; s++) {
        bool found = false;
        for (int c = 0; c < space.cell_nodes; c++) found = found || space_cell(&space, cells.cell[s])[c] == a;
        assert_true(found);
        assert_true(s == cells.start[a] || cells.cell[s] > cells.cell[s - 1]);
      }
    node_cells_destroy(&cells);
    free(mass);
    space_destroy(&space);
  }
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(space_of_a_mesh_is_the_mesh),
    cmocka_unit_test(quadratic_cells_share_the_nodes_of_their_edges),
    cmocka_unit_test(masses_add_up_and_the_cells_of_a_node_hold_it),
  };
  return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
