// cap.frag: shades the face where a section plane cuts through the tets. Without a field it has the colour of the
// inside.
#version 450 core
#include "frame.glsl"
#include "shade.glsl"
in vec3 position;
in float value;
flat in vec4 paint;
layout(location = 0) out vec4 color;

const vec3 ALBEDO = vec3(0.80, 0.58, 0.40);  // linear RGB of the inside, unless the body has its own colour

void main() {
  vec3 own = paint.w > 0.0 ? mix(paint.rgb, vec3(1.0), 0.25) : ALBEDO;
  vec3 n = normalize(cross(dFdx(position), dFdy(position)));
  if (dot(n, eye.xyz - position) < 0.0) n = -n;
  color = vec4(shade_plain(color_map.z > 0.0 ? field_color(value) : own, position, n, 1.0, 0.0), 1.0);
}
