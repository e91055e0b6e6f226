# The image holds drydock, SQLite and the C library, and nothing else:
#   docker build -t drydock . && docker run --rm -v "$PWD:/work" drydock verify
FROM swift:6.2-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libsqlite3-dev make
WORKDIR /source
COPY . .
RUN swift build -c release --product drydock --static-swift-stdlib
RUN Scripts/root "$(swift build -c release --product drydock --static-swift-stdlib --show-bin-path)/drydock" /root-of-image

FROM scratch
COPY --from=build /root-of-image /
WORKDIR /work
ENTRYPOINT ["/usr/bin/drydock"]
