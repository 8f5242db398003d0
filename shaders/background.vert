// background.vert: makes one triangle that covers the whole picture.
#version 450 core
out vec2 clip_position;  // position in the picture, -1 to 1 along both axes
void main() {
  clip_position = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(clip_position, 0.0, 1.0);
}
