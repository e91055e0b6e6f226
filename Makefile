# The two that a new machine needs: `make verify` and `make test`. Both set everything up themselves.

.PHONY: verify test soak bench build lint format docs install prepare sample

verify: prepare                 ## run the main job on Migrations/ and Snapshots/
	swift build --product drydock
	"$$(swift build --show-bin-path)/drydock" verify

test: prepare                   ## run the tests
	swift build --build-tests
	Scripts/test
	swift test --package-path Examples/Notes

soak: prepare                   ## run the property tests with thousands of seeds
	DRYDOCK_SOAK=1 swift test

bench: prepare                  ## measure beside the peers, in a release build
	swift build -c release --product drydock
	swift run -c release Benchmark

build: prepare                  ## build an optimised drydock
	swift build -c release --product drydock

EXAMPLE = Examples/Notes/Package.swift Examples/Notes/Sources Examples/Notes/Tests

lint: prepare                   ## check the style
	swift format lint --strict --recursive --parallel Package.swift Sources Tests $(EXAMPLE)

format: prepare                 ## put the style right
	swift format --in-place --recursive --parallel Package.swift Sources Tests $(EXAMPLE)

docs: prepare                   ## print the reference of verify; write docs/rules.md; build the libraries' pages
	swift build
	"$$(swift build --show-bin-path)/drydock" help verify
	"$$(swift build --show-bin-path)/drydock" lint --list-rules --format markdown > docs/rules.md
	Scripts/documentation

sample: prepare                 ## make Snapshots/ again from its seeds
	swift run SampleMaker Snapshots
	swift run drydock lock $(foreach file,$(wildcard Snapshots/*.sqlite Snapshots/*.sql),--replace $(file))

PREFIX ?= /usr/local
install: build                  ## install drydock under PREFIX
	install -d "$(PREFIX)/bin"
	install -m 755 "$$(swift build -c release --show-bin-path)/drydock" "$(PREFIX)/bin/drydock"

prepare:
	@Scripts/prepare
