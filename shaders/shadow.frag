// shadow.frag: nothing to do, depth is written anyway.
#version 450 core
void main() {}
