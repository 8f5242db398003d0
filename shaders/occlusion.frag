// occlusion.frag: computes which fraction of the sky's light reaches each visible point of the body, from the depth map
// alone (McGuire, Mara and Luebke, Scalable Ambient Obscurance, 2012). Nearby points above the tangent plane occlude
// the point. Their angle above this plane counts, and not their height, since the triangles are flat approximations of
// a round surface. More distant points count less, and not at all from the distance `reach` on.
#version 450 core
#include "frame.glsl"
layout(binding = 2) uniform sampler2D depth_map;  // depth seen by the camera, 0 to 1; 1: no surface
layout(location = 0) uniform mat4 clip_to_world;
layout(location = 4) uniform float reach;         // m, largest distance of points that occlude
layout(location = 0) out float left;  // fraction of the sky's light that arrives, 0 to 1

const int TAPS = 12;  // number of samples
const float TURNS = 7.0, PI = 3.14159265;  // TURNS: turns of the spiral on which the samples lie
// sine of an angle: points at smaller angles above the tangent plane do not occlude, since normals of neighbouring
// triangles differ by about this angle
const float RISE = 0.14;

vec3 view_position(ivec2 texel, float depth) {
  vec2 at = (vec2(texel) + 0.5) / vec2(textureSize(depth_map, 0));
  vec4 world = clip_to_world * vec4(2.0 * vec3(at, depth) - 1.0, 1.0);
  return world.xyz / world.w;
}

vec3 view_position_at(ivec2 texel) {
  return view_position(texel, texelFetch(depth_map, texel, 0).r);
}

// Returns a tangent of the visible surface at the point p of the texel `here`, along `step`. The tangent joins p and
// the visible point of a neighbouring texel, here + step or here - step. Of these two points the one nearer to p is
// used, since it is probably on the same face. last: largest texel coordinates.
vec3 beside(ivec2 here, vec3 p, ivec2 step, ivec2 last) {
  vec3 on = view_position_at(min(here + step, last)) - p, back = p - view_position_at(max(here - step, ivec2(0)));
  bool forth = here + step == min(here + step, last), none = here - step != max(here - step, ivec2(0));
  return forth && (none || dot(on, on) < dot(back, back)) ? on : back;
}

void main() {
  ivec2 size = textureSize(depth_map, 0), here = ivec2(gl_FragCoord.xy), last = size - 1;
  float depth = texelFetch(depth_map, here, 0).r;
  left = 1.0;
  if (depth == 1.0) return;
  vec3 p = view_position(here, depth);
  vec3 n = normalize(cross(beside(here, p, ivec2(1, 0), last), beside(here, p, ivec2(0, 1), last)));
  if (dot(n, eye.xyz - p) < 0.0) n = -n;

  // Samples lie on a spiral around the point. The spirals of the four texels of a 2 x 2 square are turned against each
  // other, so that they have different samples; linear filtering of the map averages the four results.
  vec4 clip = world_to_clip * vec4(p, 1.0);
  float scale = length(vec3(world_to_clip[0].y, world_to_clip[1].y, world_to_clip[2].y)) / clip.w;  // 1/m
  float radius = min(0.5 * float(size.y) * reach * scale, 0.25 * float(size.y));                   // texels
  float turn = 0.5 * PI * float((here.x & 1) + 2 * (here.y & 1)) / TURNS, sum = 0.0, reach2 = reach * reach;
  for (int k = 0; k < TAPS; k++) {
    float part = (float(k) + 0.5) / float(TAPS), angle = 2.0 * PI * TURNS * part + turn;
    ivec2 at = here + ivec2(round(radius * part * vec2(cos(angle), sin(angle))));
    at = clamp(at, ivec2(0), last);
    vec3 v = view_position_at(at) - p;
    float away = length(v), near = max(1.0 - away * away / reach2, 0.0);
    sum += near * max(dot(v, n) / max(away, 1e-6 * reach) - RISE, 0.0);
  }
  left = max(0.0, 1.0 - 3.0 * sum / float(TAPS));
}
