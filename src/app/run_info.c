// `pliant info SCENE|MESH`: prints the size of a body, and the methods (stages) that a simulation of it would use, with
// the reasons. --all adds the quality of the mesh, the memory of each method, a list of all methods, and predefined
// materials.
#include "app/command_line.h"
#include "app/info_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "live/scene_camera.h"
#include "mesh/adjacency.h"
#include "mesh/mesh_sets.h"
#include "mesh/quality.h"
#include "mesh/surface.h"
#include "scene/material_presets.h"
#include "scene/scene_bodies.h"
#include "scene/scene_body.h"
#include "scene/session.h"
#include "sim/memory.h"
#include "sim/element/moduli.h"
#include "scene/tet_sizes.h"

typedef struct InfoOptions {
  bool all;
  int ranks;  // number of processes for which the division of the body is printed; 0: no division is printed
} InfoOptions;

static const Option info_options[] = {
  { "all", OPTION_FLAG, OPTION_AT(InfoOptions, all),
    .help = "also print the quality of the mesh, and list all devices, methods with their memory, and materials" },
  { "ranks", OPTION_INTEGER, OPTION_AT(InfoOptions, ranks), OPTION_FROM_TO(0, 4096),
    .help =
        "also print how the body would be divided among this number of processes (engine petsc), and their memory" },
  { 0 },
};

// The mesh of a scene, and data that are computed from it.
typedef struct Described {
  TetMesh mesh;
  Surface surface;
  Adjacency adjacency;
  MeshQuality quality;
  int *cells_at_node;  // [node_count], number of cells that have the node as a corner
} Described;

static int max_count(const int *count, int n) {
  int max = 0;
  for (int a = 0; a < n; a++)
    if (count[a] > max) max = count[a];
  return max;
}

static void describe_destroy(Described *d) {
  free(d->cells_at_node);
  adjacency_destroy(&d->adjacency);
  surface_destroy(&d->surface);
  mesh_destroy(&d->mesh);
}

static bool describe(const Scene *scene, Described *d, Error *error) {
  *d = (Described){ 0 };
  TetMesh *mesh = &d->mesh;
  if (!scene_body(scene, mesh, error)) return false;
  if (!surface_create(&d->surface, mesh, error)) return false;
  if (!adjacency_create(&d->adjacency, mesh, error)) return false;
  if (!mesh_quality(mesh, &d->quality, error)) return false;
  d->cells_at_node = array_new(mesh->node_count, sizeof *d->cells_at_node, "nodes", error);
  if (!d->cells_at_node) return false;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < mesh_corners(mesh); a++) d->cells_at_node[mesh_cell_node(mesh, e, a)]++;
  return true;
}

static void print_size(const TetMesh *mesh, const MeshQuality *q) {
  double low[3], high[3];
  mesh_bounds(mesh, low, high);
  printf("nodes                 %d\n", mesh->node_count);
  printf("%-21s %d%s\n", mesh_cell_word(mesh), mesh->tet_count,
         mesh->outer    ? ", cubic"
         : mesh->middle ? ", quadratic"
                        : "");
  printf("bounds                [%.6g, %.6g] x [%.6g, %.6g] x [%.6g, %.6g] m\n", low[0], high[0], low[1], high[1],
         low[2], high[2]);
  printf("volume                %.6g m^3  (%s have %.3g to %.3g m^3)\n", q->volume, mesh_cell_word(mesh), q->min_volume,
         q->max_volume);
  printf("connected components  %d\n", q->components);
}

// Prints the quality of the mesh: measures of the shapes of cells, and numbers of neighbours of nodes.
static void print_quality(const Described *d) {
  const TetMesh *mesh = &d->mesh;
  const Adjacency *adjacency = &d->adjacency;
  const MeshQuality *q = &d->quality;
  int widest = 0;
  for (int a = 0; a < mesh->node_count; a++)
    if (adjacency->start[a + 1] - adjacency->start[a] > widest)
      widest = (int)(adjacency->start[a + 1] - adjacency->start[a]);
  printf("surface triangles     %d\n", d->surface.triangle_count);
  printf("lengths of edges      %.3g to %.3g m\n", q->min_edge, q->max_edge);
  printf("dihedral angles       %.1f to %.1f degrees  (a %s)\n", q->min_dihedral, q->max_dihedral,
         mesh->hex ? "box has 90" : "regular tet has 70.5");
  printf("aspect ratio          %.2f on average, at most %.3g  (%s with nodes", q->mean_aspect, q->worst_aspect,
         mesh->hex ? "product of the three edge lengths at a corner / volume that these edges span; largest for the hex"
                   : "circumradius / (3 inradius); largest for the tet");
  for (int c = 0; c < mesh_corners(mesh); c++) printf("%s%lld", c ? ", " : " ", (long long)q->worst_tags[c]);
  printf(")\n");
  printf("%s at a node       %sat most %d\n", mesh_cell_word(mesh), mesh->hex ? "" : " ",
         max_count(d->cells_at_node, mesh->node_count));
  printf("neighbours of a node  %.2f on average, at most %d\n",
         (double)adjacency->start[mesh->node_count] / mesh->node_count - 1, widest - 1);
  printf("matrix                %d rows, %lld non-zeros\n", 3 * mesh->node_count,
         (long long)(9 * adjacency->start[mesh->node_count]));
}

// Prints a line about body k: its size, material and initial velocity.
static void print_body(const Scene *scene, const TetMesh *mesh, const double *mass, int k) {
  const BodyConstants c = scene_body_constants(scene, k);
  const SimulationSettings *s = &scene->simulation;
  const SceneBody *body = &scene->bodies[k];
  const double mu = c.stiffness * s->mu, lambda = isnan(c.ratio) ? c.stiffness * s->lambda : c.ratio * mu;
  char name[SCENE_BODY_NAME + 16], label[24];
  int nodes = 0, cells = 0;
  double whole = 0;
  scene_body_name(scene, k, name);
  snprintf(label, sizeof label, "bodies[%d]", k);
  for (int a = 0; a < mesh->node_count; a++)
    if (mesh_body(mesh, a) == k) {
      nodes++;
      whole += mass[a];
    }
  for (int e = 0; e < mesh->tet_count; e++) cells += mesh_body(mesh, mesh_cell_node(mesh, e, 0)) == k;
  printf("%-21s %s: %d nodes, %d %s, mass %.4g kg, Young's modulus %.4g Pa, Poisson's ratio %.4g, density %.4g kg/m^3",
         label, name, nodes, cells, mesh_cell_word(mesh), whole, young_modulus(mu, lambda), poisson_ratio(mu, lambda),
         isnan(c.density) ? s->density : c.density);
  if (!isnan(c.damping)) printf(", damping %.4g 1/s", c.damping);
  const double *v = body->velocity;
  if (v[0] != 0 || v[1] != 0 || v[2] != 0) printf(", initial velocity (%.4g, %.4g, %.4g) m/s", v[0], v[1], v[2]);
  if (body->has_color) printf(", colour (%.3g, %.3g, %.3g)", body->color[0], body->color[1], body->color[2]);
  if (body->roughness != ROUGHNESS_DEFAULT) printf(", roughness %.3g", body->roughness);
  if (body->transparency != 0) printf(", transparency %.3g", body->transparency);
  printf("\n");
}

static bool list_bodies(const Scene *scene, const TetMesh *mesh, Error *error) {
  if (!scene->body_count) return true;
  double *mass = array_new(mesh->node_count, sizeof *mass, "nodal masses", error);
  if (mass) mesh_lumped_mass(mesh, scene->simulation.density, mass);
  for (int k = 0; mass && k < scene->body_count; k++) print_body(scene, mesh, mass, k);
  const bool ok = mass;
  free(mass);
  return ok;
}

// Prints the material of a scene with one body. For a mesh file without options for the material, prints nothing,
// because the simulation will choose a material that suits the mesh's size.
static void print_material(const Scene *scene, const TetMesh *mesh) {
  const SimulationSettings *s = &scene->simulation;
  if (scene->body_count || (scene->mesh_only && scene->material_keys == 0)) return;
  double volume = 0;
  for (int e = 0; e < mesh->tet_count; e++) volume += mesh_tet_volume(mesh, e);
  printf("material              %s, Young's modulus %.4g Pa, Poisson's ratio %.4g", s->material,
         young_modulus(s->mu, s->lambda), poisson_ratio(s->mu, s->lambda));
  if (s->second_invariant > 0)
    printf(", fraction of mu in the term with the second invariant: %.4g", s->second_invariant);
  printf(", density %.4g kg/m^3, mass %.4g kg\n", s->density, s->density * volume);
}

static void print_need(const Stage *stage, double host, double cuda, bool first) {
  printf("%-21s %-9s %-7s %-5s host %.0f MiB", first ? "memory" : "", stage->name, precision_name(stage->precision),
         device_name(stage->device), host / 1048576);
  if (stage->device == DEVICE_CUDA) printf(", GPU %.0f MiB", cuda / 1048576);
  printf("\n");
}

// For each assembly method, prints the estimated memory of a simulation with this assembly; the other stages are the
// default methods on the assembly's device. Then prints the memory of the matrix in each format. The setting
// memory_budget limits the memory of some assemblies.
static void print_memory(const TetMesh *mesh, const Adjacency *adjacency, const SimulationSettings *s,
                         int triangle_count, double edge) {
  const StageSize size = { .nodes = mesh->node_count,
                           .cells = mesh->tet_count,
                           .node_dof = 3,
                           .cell_nodes = mesh_cell_nodes(mesh),
                           .pairs = (double)(adjacency->start[mesh->node_count] - mesh->node_count) / 2,
                           .supplemental = mesh->hex                                  ? 22
                                           : mesh->ratio                              ? 12
                                           : mesh_degree(mesh) > 1 || mesh->stiffness ? 10
                                                                                      : 9,
                           .budget = 1e6 * s->memory_budget,
                           .surface = memory_surface(s, triangle_count, edge),
                           .consistent = s->mass == MASS_CONSISTENT };
  const char *shape = cell_shape_info(mesh_shape(mesh))->name;
  const Stage *stage;
  for (int k = 0; (stage = simulation_stage(STAGE_ASSEMBLY, shape, k)); k++) {
    const MemoryStages stages = { stage_find(STAGE_BODY, NULL, stage->device, stage->precision, NULL),
                                  stage,
                                  stage_find(STAGE_OPERATOR, NULL, stage->device, stage->precision, NULL),
                                  stage_find(STAGE_SOLVER, NULL, stage->device, stage->precision, NULL),
                                  NULL,
                                  s->friction_sticks,
                                  s->tears ? size.supplemental : 0 };
    const MemoryEstimate e = memory_estimate(&size, &stages);
    print_need(stage, e.host, e.cuda, k == 0);
  }

  for (int k = 0; (stage = simulation_stage(STAGE_OPERATOR, shape, k)); k++) {
    const StageBytes bytes = stage->bytes(stage, &size);
    print_need(stage, bytes.on[DEVICE_CPU], bytes.on[DEVICE_CUDA], false);
  }
}

static void drop_notice(const char *line, void *context) {
  (void)line, (void)context;
}

// Creates a session of the scene as other commands do, which checks pins, loads, drags, camera and files. Its notices
// are dropped, because they are about runs. If the scene has a fault, returns NULL with an error. For a mesh, and for a
// scene that only `pliant solve` can use, returns NULL without an error.
static Session *create_session(const Scene *scene, Error *error) {
  ListedPin listed;
  bool for_solve = false;
  for (int k = 0; scene_pin(scene, k, &listed); k++) for_solve = for_solve || listed.pin.moves;
  if (scene->mesh_only || for_solve) return NULL;
  Session *session = array_new(1, sizeof *session, "the session", error);
  const LogRoute former = log_route_here((LogRoute){ drop_notice, NULL });
  bool ok = session && session_create(session, scene, error);
  Camera camera;
  if (ok && !scene_camera(session, 1, &camera, error)) {
    session_destroy(session);
    ok = false;
  }
  if (!ok) {
    free(session);
    session = NULL;
  }
  log_route_here(former);
  return session;
}

// Prints the methods that a simulation of this scene uses on this machine, with the reasons. To find them, creates the
// simulation. If this fails, or if the scene has a fault, the caller still prints the other information, and returns
// the error afterwards.
static bool print_choice(const Scene *scene, SimulationSettings settings, const TetMesh *mesh, Error *error) {
  Error fault = { 0 };
  Session *session = create_session(scene, &fault);
  Simulation *simulation = session ? session->simulation : NULL;
  settings.device = scene_device(scene);
  settings.gpu = scene_gpu(scene);
  const char *name = "simulation here";
  if (!session && ((settings.gpu > 0 && !device_use(settings.gpu, error)) ||
                   !simulation_create(&simulation, mesh, &settings, NULL, error))) {
    printf("%-21s none\n", name);
    return error_prefix(error, "%s: cannot create the simulation on this computer", scene->path);
  }

  const SimulationSettings *s = simulation_settings(simulation);
  printf("%-21s on %s (%s", name, device_name(s->device), device_model(s->device));
  if (!device_present(DEVICE_CUDA)) printf("; no GPU: %s", device_absence());
  printf("), in %s\n", precision_name(s->precision));
  printf("%-21s assembly %s: %s\n", "", s->assembly, simulation_reason(simulation, STAGE_ASSEMBLY));
  printf("%-21s matrix %s, solver %s: %s\n", "", s->matrix, s->solver, simulation_reason(simulation, STAGE_SOLVER));
  const MemoryEstimate need = memory_of_simulation(simulation);
  printf("%-21s host memory %.0f MiB", "", need.host / 1048576);
  if (need.cuda > 0) printf(", GPU memory %.0f MiB", need.cuda / 1048576);
  printf(s->self_contact ? ", more with large contact areas\n" : "\n");
  if (session)
    session_destroy(session);
  else
    simulation_destroy(simulation);
  free(session);
  return !fault.message[0] || error_set(error, "%s", fault.message);
}

// Prints the devices with the names that the option `device` accepts.
static void print_devices(void) {
  char figures[100];
  DEVICE_RESTORE_HERE;
  device_figures(DEVICE_CPU, figures);
  printf("\ndevices               cpu: %s, %s\n", device_model(DEVICE_CPU), figures);
  if (device_gpu_count() == 0) printf("                      cuda: none (%s)\n", device_gpu_absence(0));
  for (int gpu = 0; gpu < device_gpu_count(); gpu++) {
    Error error = { 0 };
    char name[16] = "cuda";
    if (device_gpu_count() > 1) snprintf(name, sizeof name, "cuda:%d", gpu);
    if (device_use(gpu, &error)) {
      device_figures(DEVICE_CUDA, figures);
      printf("                      %s: %s, %s\n", name, device_model(DEVICE_CUDA), figures);
    } else {
      printf("                      %s: none (%s)\n", name, device_gpu_absence(gpu));
    }
  }
}

static void print_stages(const char *shape) {
  static const StageKind kinds[] = { STAGE_ELEMENT, STAGE_ASSEMBLY, STAGE_OPERATOR, STAGE_SOLVER };
  const Stage *stage;
  print_devices();
  for (int kind = 0; kind < 4; kind++)
    for (int k = 0; (stage = simulation_stage(kinds[kind], shape, k)); k++) {
      const bool is_default = simulation_is_default(stage);
      printf("%-21s %-5s %-7s %-13s %s%s\n", k == 0 ? stage_kind_name(kinds[kind]) : "", device_name(stage->device),
             precision_name(stage->precision), stage->name, stage->summary,
             is_default         ? " (default for bodies that fit on the GPU)"
             : stage->preferred ? " (default)"
                                : "");
    }
}

static void print_presets(void) {
  for (const MaterialPreset *m = material_presets; m->name; m++)
    printf("%-21s %-8s Young's modulus %7.4g Pa, Poisson's ratio %4g, density %4g kg/m^3, damping ratio %g: %s\n",
           m == material_presets ? "preset materials" : "", m->name, m->young, m->poisson, m->density, m->damping_ratio,
           m->source);
}

// Prints the named sets of the mesh file with their numbers of nodes, cells and faces. If `all` is true, prints each
// set on a line; otherwise prints the first six sets on one line.
static void print_sets(const TetMesh *mesh, bool all) {
  enum { IN_A_LINE = 6 };
  const int count = mesh->sets ? mesh->sets->count : 0, shown = all || count <= IN_A_LINE ? count : IN_A_LINE;
  for (int k = 0; k < shown; k++) {
    const MeshSet *set = &mesh->sets->set[k];
    int nodes = 0;
    for (int a = 0; a < mesh->node_count; a++) nodes += mesh_set_has_node(set, mesh, a);
    if (k == 0 || all)
      printf("%-21s ", k == 0 ? "sets" : "");
    else
      printf("; ");
    printf("\"%s\": %d nodes", set->name, nodes);
    if (set->cell_count) printf(", %lld %s", (long long)set->cell_count, mesh_cell_word(mesh));
    if (set->facet_count) printf(", %lld faces", (long long)set->facet_count);
    if (all) printf("\n");
  }
  if (shown < count) printf("; number of further sets, which --all prints: %d", count - shown);
  if (!all && shown > 0) printf("\n");
}

static bool run_info(const CommandInput *input, Error *error) {
  const InfoOptions *options = input->options;
  const Scene *scene = input->scene;
  Described body;
  if (!describe(scene, &body, error)) {
    describe_destroy(&body);
    return false;
  }
  const TetMesh *mesh = &body.mesh;
  printf("mesh                  %s\n", scene->body_count    ? "several bodies"
                                       : scene->shape_count ? "made of shapes"
                                                            : scene->mesh);
  print_size(mesh, &body.quality);
  if (options->all) print_quality(&body);
  print_sets(mesh, options->all);
  print_material(scene, mesh);
  bool ok = list_bodies(scene, mesh, error);
  if (ok) {
    SimulationSettings settings = scene->simulation;
    scene_expect_cuts(scene, &settings);
    const double edge = surface_mean_edge(&body.surface, (const double(*)[3])mesh->X);
    if (options->all) print_memory(mesh, &body.adjacency, &settings, body.surface.triangle_count, edge);
    ok = print_choice(scene, settings, mesh, error);
    if (ok && options->ranks > 0) ok = info_print_ranks(mesh, &body.adjacency, options->ranks, error);
    if (options->all) {
      print_stages(cell_shape_info(mesh_shape(mesh))->name);
      print_presets();
    } else
      printf("`pliant info --all` also prints mesh quality, memory, all methods and materials.\n");
    char uneven[600];
    if (tet_sizes_notice(mesh, &scene->simulation, uneven, sizeof uneven)) log_notice("%s: %s", scene->path, uneven);
  }

  describe_destroy(&body);
  return ok;
}

extern const CommandRow info_command;
const CommandRow info_command = {
  .name = "info",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Prints the size and material of a body, and the assembly method, matrix format and solver that this computer "
      "would use for it, with the reasons. Checks the scene as a run would, for example if each pin selects nodes.",
  .options = info_options,
  .options_size = sizeof(InfoOptions),
  .without =
      "damping|gravity|floor|friction|contact_distance|contact_modulus|friction_speed|dt|integrator|newton|"
      "newton_absolute|newton_relative|newton_max|cg_relative|cg_max|first_guess|halvings_max|pins|twist|begin|"
      "initial_fields|untangle|forces|drags|tear_by|order",
  .reports_gpu = true,
  .default_scene = "scenes/hand.json",
  .run = run_info,
};
