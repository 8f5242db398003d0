#!/bin/bash
# Builds the package of meta.yaml: conda runs it in the folder that contains pliant/, imgui/ and dejavu/.
set -euo pipefail
pliant/packaging/build-imgui "$PWD/imgui" "$PWD/imgui-installed"
export PKG_CONFIG_PATH="$PWD/imgui-installed/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# Some libraries, such as METIS, have no file for pkg-config. conda's environment variables contain the compiler options
# -I and -L for them.
meson setup build pliant --prefix="$PREFIX" --libdir=lib --buildtype=release -Dgpu=disabled -Dtests=false \
  -Dfont="$(find "$PWD/dejavu" -name DejaVuSans.ttf)"
ninja -C build -j"${CPU_COUNT:-1}"
meson install -C build --no-rebuild

# The Python package opens libpliant.so.0, which Python finds in $PREFIX/lib.
mkdir -p "$SP_DIR/pliant"
cp pliant/python/pliant/*.py pliant/python/pliant/py.typed "$SP_DIR/pliant/"
