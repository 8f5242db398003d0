// Compiles the shader programs: see programs.h.
#include "render/programs.h"

#include <stddef.h>

#include "render/gl_program.h"

static const struct {
  size_t offset;               // bytes, offset of the member of struct Programs that stores OpenGL's program number
  const char *first, *second;  // file names of the program's one or two shaders; second is NULL if there is only one
} ROWS[] = {
  { offsetof(Programs, normals), "normals.comp", NULL },
  { offsetof(Programs, surface), "surface.vert", "surface.frag" },
  { offsetof(Programs, surface_cut), "surface.vert", "surface_cut.frag" },
  { offsetof(Programs, shadow), "shadow.vert", "shadow.frag" },
  { offsetof(Programs, shadow_cut), "shadow.vert", "shadow_cut.frag" },
  { offsetof(Programs, depth), "depth.vert", "shadow.frag" },
  { offsetof(Programs, depth_cut), "depth.vert", "shadow_cut.frag" },
  { offsetof(Programs, depth_cap), "cap.vert", "shadow.frag" },
  { offsetof(Programs, occlusion), "contact.vert", "occlusion.frag" },
  { offsetof(Programs, shadow_obstacle), "shadow_obstacle.vert", "shadow.frag" },
  { offsetof(Programs, contact), "contact.vert", "contact.frag" },
  { offsetof(Programs, background), "background.vert", "background.frag" },
  { offsetof(Programs, floor), "floor.vert", "floor.frag" },
  { offsetof(Programs, spring), "spring.vert", "spring.frag" },
  { offsetof(Programs, marker), "marker.vert", "spring.frag" },
  { offsetof(Programs, vector), "vector.vert", "spring.frag" },
  { offsetof(Programs, edges), "surface.vert", "edges.frag" },
  { offsetof(Programs, inside), "inside.vert", "inside.frag" },
  { offsetof(Programs, cap), "cap.vert", "cap.frag" },
  { offsetof(Programs, pin), "pin.vert", "pin.frag" },
  { offsetof(Programs, pick), "pick.vert", "pick.frag" },
  { offsetof(Programs, obstacle), "obstacle.vert", "obstacle.frag" },
  { offsetof(Programs, pick_cap), "cap.vert", "pick_cap.frag" },
};

static unsigned *program_of(Programs *programs, size_t row) {
  return (unsigned *)((char *)programs + ROWS[row].offset);
}

bool programs_create(Programs *programs, Error *error) {
  *programs = (Programs){ 0 };
  for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
    unsigned *program = program_of(programs, k);
    if ((*program = gl_program_create(ROWS[k].first, ROWS[k].second, error))) continue;
    programs_destroy(programs);
    return false;
  }
  return true;
}

void programs_destroy(Programs *programs) {
  for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) gl_program_destroy(program_of(programs, k));
}
