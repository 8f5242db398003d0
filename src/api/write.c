// Writes a scene file for a sim. A simulation of this scene starts from the sim's present state.
#include <math.h>
#include <string.h>

#include "api/sim.h"
#include "scene/scene_save.h"

// Computes the rotation that turns the axes from[k] into the axes to[k]. Returns its angle, 0 to 360 degrees, and
// writes its axis, a unit vector, to `axis`. The rotation is first computed as a quaternion q, whose largest component
// is computed first, because the others are divided by it.
static double rotation_between(const double from[3][3], const double to[3][3], double axis[3]) {
  double r[3][3] = { 0 }, q[4], size2[4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) r[i][j] += to[k][i] * from[k][j];
  const double trace = r[0][0] + r[1][1] + r[2][2];
  size2[0] = (1 + trace) / 4;
  for (int i = 0; i < 3; i++) size2[1 + i] = (1 + 2 * r[i][i] - trace) / 4;
  int largest = 0;
  for (int k = 1; k < 4; k++)
    if (size2[k] > size2[largest]) largest = k;
  q[largest] = sqrt(size2[largest]);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double skew = (r[k][j] - r[j][k]) / (4 * q[largest]);
    if (largest == 0) q[1 + i] = skew;
    if (largest == 1 + i) q[0] = skew;
    if (largest == 1 + j || largest == 1 + k) {
      const int other = largest - 1;
      q[1 + i] = (r[i][other] + r[other][i]) / (4 * q[largest]);
    }
  }
  const double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 3; i++) axis[i] = length > 0 ? q[1 + i] / length : 0;
  return 2 * atan2(length, q[0]) * (180 / acos(-1.0));
}

// Sets the motion of a scene's obstacle so that at `time`, s, the obstacle reaches its present position and orientation
// in the sim. now: the sim's copy of this obstacle, which pliant_obstacle_to has moved.
static void end_at(Obstacle *obstacle, Obstacle now, double time) {
  Spin *spin = &obstacle->motion.spin;
  obstacle->motion = (RigidMotion){ .point_count = 2, .path = { { 0 }, { time } } };
  obstacle_place(&now, time);
  for (int i = 0; i < 3; i++) obstacle->motion.path[1][1 + i] = now.centre[i] - obstacle->centre[i];
  const double degrees = rotation_between((const double(*)[3])obstacle->axis, (const double(*)[3])now.axis, spin->axis);
  if (!(degrees > 0)) return;
  memcpy(spin->given, spin->axis, sizeof spin->given);
  memcpy(spin->about, obstacle->centre, sizeof spin->about);
  spin->angle_count = 2;
  spin->angles[1][0] = time;
  spin->angles[1][1] = degrees;
}

int pliant_write(pliant_sim *sim, const char *path) {
  API_SIM_CALL(sim);
  if (api_need(sim, "sim") || api_need(path, "path")) return PLIANT_BAD_ARGUMENT;
  Scene *scene = &sim->session.scene;
  const Simulation *simulation = sim->session.simulation;
  const SimulationSettings *now = simulation_settings(simulation);
  const double time = simulation_time(simulation);
  GivenMeshes meshes = { sim->scene->mesh, sim->scene->mesh_count };

  // During this call, the session's scene contains the caller's meshes and the present obstacles.
  Obstacle before[OBSTACLES_MAX];
  memcpy(before, scene->simulation.obstacles, sizeof before);
  for (int k = 0; k < now->obstacle_count && time > 0; k++)
    if (memcmp(&before[k].motion, &now->obstacles[k].motion, sizeof before[k].motion) != 0)
      end_at(&scene->simulation.obstacles[k], now->obstacles[k], time);
  scene->given_meshes = &meshes;
  if (scene_save_check(path, &error)) scene_save(&sim->session, scene, path, &error);
  scene->given_meshes = NULL;
  memcpy(scene->simulation.obstacles, before, sizeof before);
  return api_sim_result(sim, &error, PLIANT_BAD_FILE);
}
