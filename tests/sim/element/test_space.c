// Tests finite element spaces of linear and quadratic cells: nodes, the graph of neighbouring nodes, masses, and cuts.
#include "../sim_testing.h"

#include "mesh/quadratic.h"
#include "mesh/separate.h"
#include "sim/element/space_split.h"

enum { BOXES = 3 };

static void space_has_the_tets_and_volumes_of_the_mesh(void **state) {
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

// Nodes 4 to 9 of a 10-node tet are at the midpoints of its edges. All tets at an edge have the same node there.
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

  // The mesh is a grid of boxes, each divided into six tets (Kuhn's subdivision). Its nodes and edge midpoints form a
  // grid of half the spacing.
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

    // all nodes of a cell are neighbours in the graph
    for (int a = 0; a < 10; a++)
      for (int b = 0; b < 10; b++) assert_true(adjacency_find(&space.graph, node[a], node[b]) >= 0);
  }

  space_destroy(&space);
  space_destroy(&linear);
  mesh_destroy(&mesh);
}

static void masses_add_up_and_cells_of_a_node_contain_it(void **state) {
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

// Converts the result of a cut from mesh to space: returns the SpaceSplit of the Separation `s`, for a space that has
// the nodes of the mesh. The caller frees its arrays.
static SpaceSplit split_of(const Separation *s, const Space *space) {
  const size_t nodes = (size_t)s->mesh.node_count, count = (size_t)s->changed_count;
  SpaceSplit split = { .old_count = space->node_count,
                       .node_count = s->mesh.node_count,
                       .from = malloc(sizeof(int) * nodes),
                       .changed_count = s->changed_count,
                       .changed = malloc(sizeof(int) * count),
                       .nodes = malloc(sizeof(int) * count * (size_t)space->cell_nodes) };
  memcpy(split.from, s->node_from, sizeof(int) * nodes);
  memcpy(split.changed, s->changed, sizeof(int) * count);
  for (int k = 0; k < s->changed_count; k++)
    for (int c = 0; c < space->cell_nodes; c++)
      split.nodes[k * space->cell_nodes + c] = mesh_cell_node(&s->mesh, s->changed[k], c);
  return split;
}

// Cuts a mesh several times, for degrees 1 and 2. Some cuts end within the body. After each cut, the finite element
// space of the mesh is changed in place. It must then equal a space that is created from the cut mesh.
static void a_space_taken_apart_is_that_of_the_mesh_taken_apart(void **state) {
  (void)state;
  enum { CUTS = 3 };
  const Blade blades[CUTS] = { { .point = { 0.1, 0, 0.4 }, .normal = { 1, 0.3, 0 }, .reach = 0.45 },
                               { .point = { 0, 0.1, 0 }, .normal = { 0, 1, 0.2 } },
                               { .point = { 0, 0, 0.5 }, .normal = { 0.2, 0, 1 }, .reach = 0.3 } };
  Error error = { 0 };
  for (int degree = 1; degree <= 2; degree++) {
    TetMesh mesh = { 0 };
    Space space, anew;
    int node_capacity, grown = 0;
    int64_t pair_capacity;
    MUST(mesh_make_box(6, 6, 6, (double[]){ 1, 1, 1 }, &mesh, &error));
    if (degree == 2) MUST(mesh_raise(&mesh, 2, &error));
    MUST(space_create(&space, &mesh, 3, &error));
    node_capacity = space.node_count;
    pair_capacity = space_pairs(&space);
    for (int k = 0; k < CUTS; k++) {
      Separation s;
      int count;
      uint8_t *opened = malloc((size_t)mesh.tet_count);
      MUST(mesh_find_opened(&mesh, (const double(*)[3])mesh.X, &blades[k], opened, &count, &error));
      MUST(mesh_separate(&s, &mesh, opened, NULL, &error));
      assert_true(s.copies > 0 && s.changed_count > 0 && s.changed_count < mesh.tet_count);

      // `changed` must list exactly the tets whose nodes have changed
      for (int e = 0, at = 0; e < mesh.tet_count; e++) {
        bool other = false;
        for (int c = 0; c < space.cell_nodes; c++)
          other = other || mesh_cell_node(&s.mesh, e, c) != mesh_cell_node(&mesh, e, c);
        if (other) assert_int_equal(s.changed[at++], e);
      }
      SpaceSplit split = split_of(&s, &space);
      MUST(space_split_find(&split, &space, &error));
      space_split_plan(&split, node_capacity, pair_capacity);
      grown += split.node_capacity > node_capacity;
      node_capacity = split.node_capacity;
      pair_capacity = split.pair_capacity;
      MUST(space_split_reserve(&space, &split, &error));
      space_split_apply(&space, &split);
      MUST(space_create(&anew, &s.mesh, 3, &error));
      assert_int_equal(space.node_count, anew.node_count);
      const size_t nodes = (size_t)space.node_count;
      assert_memory_equal(space.cell, anew.cell, sizeof(int) * (size_t)(space.cell_nodes * space.cell_count));
      assert_memory_equal(space.X, anew.X, sizeof *space.X * nodes);
      assert_memory_equal(space.node_tag, anew.node_tag, sizeof *space.node_tag * nodes);
      assert_memory_equal(space.graph.start, anew.graph.start, sizeof *space.graph.start * (nodes + 1));
      assert_memory_equal(space.graph.neighbour, anew.graph.neighbour, sizeof(int) * (size_t)space_pairs(&anew));
      double *mass = malloc(sizeof *mass * nodes), *some = malloc(sizeof *some * nodes);
      space_lumped_mass(&anew, 3, mass);
      space_split_mass(&anew, &split, 3, true, some);
      for (int r = 0; r < split.row_count; r++) assert_true(some[r] == mass[split.row[r]]);
      space_weight(&anew, 3, mass);
      space_split_weight(&anew, &split, 3, some);
      for (int r = 0; r < split.row_count; r++) assert_true(some[r] == mass[split.row[r]]);
      free(mass);
      free(some);
      free(opened);
      space_destroy(&anew);
      space_split_destroy(&split);
      mesh_destroy(&mesh);
      mesh = s.mesh;
      s.mesh = (TetMesh){ 0 };
      separation_destroy(&s);
    }
    assert_true(grown > 0);
    space_destroy(&space);
    mesh_destroy(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(space_has_the_tets_and_volumes_of_the_mesh),
    cmocka_unit_test(quadratic_cells_share_the_nodes_of_their_edges),
    cmocka_unit_test(masses_add_up_and_cells_of_a_node_contain_it),
    cmocka_unit_test(a_space_taken_apart_is_that_of_the_mesh_taken_apart),
  };
  return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
