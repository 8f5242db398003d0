// shadow.frag: empty, because only depth is written.
#version 450 core
void main() {
}
