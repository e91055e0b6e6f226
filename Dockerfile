# The image holds drydock, SQLite and the C library, and nothing else:
#   docker build -t drydock . && docker run --rm -v "$PWD:/work" drydock verify
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libsqlite3-dev
WORKDIR /source
COPY . .
RUN Scripts/root "$(Scripts/dist/binary)" /root-of-image

FROM scratch
COPY --from=build /root-of-image /
WORKDIR /work
ENTRYPOINT ["/usr/bin/drydock"]
