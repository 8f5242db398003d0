// background.frag: draws a grey vertical gradient behind the scene.
#version 450 core
in vec2 clip_position;
layout(location = 0) out vec4 color;
void main() {
  vec3 shade = mix(vec3(0.66, 0.70, 0.74), vec3(0.86, 0.89, 0.92), smoothstep(-1.1, 0.6, clip_position.y));
  shade *= 1.0 - 0.13 * dot(clip_position, clip_position);
  // noise of less than one step of the 8-bit output prevents visible bands
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  color = vec4(shade + noise / 255.0, 1.0);
}
