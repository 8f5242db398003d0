// contact.frag: what part of the sky's light the body keeps from each place of the floor: its underside, seen from
// below, as small level faces. Such a face of area a, h above the floor and d aside, takes h^2 a / (pi (h^2 + d^2)^2).
#version 450 core
#include "frame.glsl"
layout(binding = 2) uniform sampler2D underside;  // height over that of the map's depth range, 1: nothing
layout(location = 0) uniform float depth_range;   // of that depth, in edges of texels
layout(location = 0) out float taken;

const int REACH = 6;

void main() {
  ivec2 here = ivec2(gl_FragCoord.xy), size = textureSize(underside, 0);
  float sum = 0.0;
  for (int i = -REACH; i <= REACH; i++)
    for (int j = -REACH; j <= REACH; j++) {
      ivec2 at = here + ivec2(i, j);
      if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) continue;
      float depth = texelFetch(underside, at, 0).r;
      // in texels; a face that touches the floor takes all of its own texel's sky
      float h = max(depth_range * depth, 0.5642), d2 = float(i * i + j * j), r2 = h * h + d2;
      sum += depth < 1.0 ? h * h / (3.14159265 * r2 * r2) : 0.0;
    }
  taken = min(sum, 1.0);
}
