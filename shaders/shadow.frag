// shadow.frag: depth is written anyway.
#version 450 core
void main() {
}
