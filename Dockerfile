# Container image with Pliant, without CUDA. To build it, and to record the default scene into the folder out:
#   docker build -t pliant . && docker run --rm -v "$PWD:/work" pliant record -o out
FROM debian:bookworm
COPY . /opt/pliant-source
WORKDIR /opt/pliant-source
RUN scripts/setup && meson install -C build --no-rebuild && rm -rf build /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["pliant"]
