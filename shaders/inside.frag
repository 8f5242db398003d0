// inside.frag: draws faces of tets inside the body, with flat shading and dark edges.
#version 450 core
#include "frame.glsl"
#include "shade.glsl"
in vec3 position;
flat in vec3 face_normal;
in vec3 across;
in float value;
flat in vec4 paint;
layout(location = 0) out vec4 color;

const vec3 ALBEDO = vec3(0.80, 0.58, 0.40);  // linear RGB of the inside, unless the body has its own colour

void main() {
  vec3 own = paint.w > 0.0 ? mix(paint.rgb, vec3(1.0), 0.25) : ALBEDO;
  vec3 n = normalize(face_normal);
  if (dot(n, eye.xyz - position) < 0.0) n = -n;
  vec3 lit = shade_plain(color_map.z > 0.0 ? field_color(value) : own, position, n, 1.0, 0.0);
  vec3 width = fwidth(across), edge = smoothstep(vec3(0.0), 1.3 * width, across);
  color = vec4(mix(0.35 * lit, lit, min(edge.x, min(edge.y, edge.z))), 1.0);
}
