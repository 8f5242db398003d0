// Verification of friction together with rotation: a ring rolls down a slope, or slides and rotates.
#include <math.h>
#include <stdio.h>

#include "base/interrupt.h"
#include "verify/specimen.h"
#include "verify/verify.h"

static const double OUTER = 0.25, INNER = 0.15, WIDTH = 0.1;  // m, radii and width of the ring
static const double YOUNG = 3e6, DENSITY = 1000;              // Pa, kg/m^3
static const double GRAVITY = 9.81;                           // m/s^2
static const double GAP = 1e-3;                               // m, between the ring and the slope at the start
enum { SEGMENTS = 72, STEPS = 240, PER_SECOND = 240 };

static double slope(void) {
  return 15 * acos(-1) / 180;
}

// Makes the ring: a row of SEGMENTS boxes with six tets each, bent around the y axis. The last nodes of the row are the
// first ones. The lowest points are GAP above the plane z = 0.
static bool make_ring(TetMesh *ring, Error *error) {
  TetMesh row = { 0 };
  bool ok = mesh_make_box(SEGMENTS, 1, 1, (double[3]){ 2 * acos(-1), OUTER - INNER, WIDTH }, &row, error) &&
            mesh_allocate(ring, 4 * SEGMENTS, 6 * SEGMENTS, error);
  for (int a = 0; ok && a < row.node_count; a++) {
    const int column = a % (SEGMENTS + 1), line = a / (SEGMENTS + 1), node = line * SEGMENTS + column;
    if (column == SEGMENTS) continue;
    const double angle = row.X[a][0], radius = INNER + row.X[a][1];
    ring->X[node][0] = radius * sin(angle);
    ring->X[node][1] = row.X[a][2];
    ring->X[node][2] = OUTER + GAP - radius * cos(angle);
    ring->node_tag[node] = node + 1;
  }
  for (int e = 0; ok && e < row.tet_count; e++)
    for (int c = 0; c < 4; c++) {
      const int a = row.tet[e][c];
      ring->tet[e][c] = a / (SEGMENTS + 1) * SEGMENTS + a % (SEGMENTS + 1) % SEGMENTS;
    }
  mesh_destroy(&row);
  return ok;
}

// Motion of the ring: velocity of its centre down the slope, m/s, displacement of the centre, m, and angular momentum
// about the centre, kg m^2/s.
typedef struct RingMotion {
  double speed, moved, spin;
} RingMotion;

static RingMotion motion_of(const Specimen *s) {
  RingMotion m = { 0 };
  double mass = 0, centre[3] = { 0 };
  for (int a = 0; a < s->mesh.node_count; a++) {
    mass += s->mass[a];
    m.speed += s->p[a][0];
    m.moved += s->mass[a] * (s->x[a][0] - s->mesh.X[a][0]);
    for (int i = 0; i < 3; i++) centre[i] += s->mass[a] * s->x[a][i];
  }
  m.speed /= mass;
  m.moved /= mass;
  for (int a = 0; a < s->mesh.node_count; a++)
    m.spin += (s->x[a][2] - centre[2] / mass) * s->p[a][0] - (s->x[a][0] - centre[0] / mass) * s->p[a][2];
  return m;
}

// Computes the mass of the ring, kg, and its moment of inertia about the axis, kg m^2.
static void inertia_of(const Specimen *s, double *mass, double *inertia) {
  *mass = *inertia = 0;
  for (int a = 0; a < s->mesh.node_count; a++) {
    const double x = s->mesh.X[a][0], z = s->mesh.X[a][2] - OUTER - GAP;
    *mass += s->mass[a];
    *inertia += s->mass[a] * (x * x + z * z);
  }
}

// One run of the case. friction: coefficient. touches: by self_contact, else the floor pushes single nodes.
typedef struct Roll {
  const char *name;
  double friction;
  bool touches;
} Roll;

// Compares the motion after the last step with that of a rigid ring. With enough friction, it rolls with the
// acceleration g sin a/(1 + I/(m R^2)). With less friction, it slides: friction has the limit mu m g cos a.
static void compare(const Roll *roll, const Specimen *s, CaseReport *report) {
  const double time = (double)STEPS / PER_SECOND, along = GRAVITY * sin(slope()), normal = GRAVITY * cos(slope());
  double mass, inertia;
  char what[80];
  inertia_of(s, &mass, &inertia);
  const double rolls = along / (1 + inertia / (mass * OUTER * OUTER)), slides = along - roll->friction * normal;
  const double acceleration = fmax(rolls, slides), force = mass * (along - acceleration);
  const RingMotion end = motion_of(s);
  snprintf(what, sizeof what, "%s: speed", roll->name);
  report_relative(report, what, "m/s", acceleration * time, end.speed, 0.005);
  snprintf(what, sizeof what, "%s: distance", roll->name);
  report_relative(report, what, "m", acceleration * time * time / 2, end.moved, 0.01);
  snprintf(what, sizeof what, "%s: angular momentum", roll->name);
  report_relative(report, what, "kg m^2/s", force * OUTER * time, end.spin, 0.01);
}

static bool run(const Roll *roll, const SimulationSettings *stages, CaseReport *report, Error *error) {
  Specimen s = { 0 };
  TetMesh ring = { 0 };
  StepReport step;
  bool ok = make_ring(&ring, error) && specimen_mesh(&s, stages, &ring, YOUNG, 0.3, DENSITY, error);
  if (ok && roll->touches) specimen_touches(&s, GAP);
  s.settings.dt = 1.0 / PER_SECOND;
  s.settings.integrator = INTEGRATOR_AUTO;
  s.settings.newton_relative = 1e-4;
  s.settings.cg_relative = 1e-4;
  s.settings.has_floor = true;
  s.settings.floor_height = 0;
  s.settings.friction = roll->friction;
  s.settings.gravity[0] = GRAVITY * sin(slope());
  s.settings.gravity[2] = -GRAVITY * cos(slope());
  ok = ok && specimen_start(&s, error);
  for (int n = 1; ok && n <= STEPS; n++) {
    ok = interrupt_check(error) && simulation_step(s.simulation, &step, error) &&
         simulation_state(s.simulation, s.x, s.p, error);
    if (ok) report_point(report, roll->name, n * s.settings.dt, motion_of(&s).speed);
  }

  if (ok) compare(roll, &s, report);
  specimen_destroy(&s);
  mesh_destroy(&ring);
  return ok;
}

bool verify_rolling_ring(const SimulationSettings *given, CaseReport *report, Error *error) {
  const Roll rolls[] = { { "friction 0.5", 0.5, false },
                         { "friction 0.05", 0.05, false },
                         { "friction 0.5, self_contact", 0.5, true },
                         { "friction 0.05, self_contact", 0.05, true } };
  // the case tests contact and not elements, so it uses linear tets at any degree
  SimulationSettings stages = *given;
  stages.degree = 1;
  for (int k = 0; k < 4; k++)
    if (!run(&rolls[k], &stages, report, error)) return false;
  return true;
}
