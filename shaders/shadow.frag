// shadow.frag: does nothing, since only the depth is written.
#version 450 core
void main() {
}
