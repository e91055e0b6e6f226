# The two that a new machine needs: `make verify` and `make test`. Both set everything up themselves.

# The package manager lists a package's traits in the order of a set, another one in each run, and then builds all that
# has traits again. With a fixed order, the example also shares what was built here.
# What reads bytes and SQL is optimised, since the tests spend their time there (Package.swift).
export DRYDOCK_OPTIMIZE = 1
BUILD = SWIFT_DETERMINISTIC_HASHING=1 swift build
ifdef CI
# No debug information, since nobody debugs there.
BUILD += -Xswiftc -gnone -Xcc -g0
endif
EXAMPLE = --package-path Examples/Notes --scratch-path .build

.PHONY: verify test scripts soak bench build dist lint format docs docs-check reports editor docc traits fleet-test install prepare sample

verify: prepare                 ## run the main job on Migrations/ and Snapshots/
	$(BUILD) --product drydock
	"$$(swift build --show-bin-path)/drydock" verify

test: prepare                   ## run the tests
	$(BUILD) --build-tests
	Scripts/test
	$(BUILD) --build-tests $(EXAMPLE)
	swift test --skip-build $(EXAMPLE)

scripts: prepare                ## check what is written in shell: packages, jobs of CI services, the action
	$(BUILD) --build-tests
	DRYDOCK_SCRIPTS=1 swift test --skip-build --filter '\.(PackageTests|CIJobTests|ActionTests)/'

soak: prepare                   ## run the property tests with thousands of seeds
	$(BUILD) --build-tests
	DRYDOCK_SOAK=1 swift test --skip-build

bench: prepare                  ## measure beside the peers, in a release build, and write docs/benchmarks.md
	$(BUILD) -c release --product drydock
	swift run -c release Benchmark --page docs/benchmarks.md

build: prepare                  ## build an optimised drydock
	$(BUILD) -c release --product drydock

dist: prepare                   ## make packages in dist/ that need no Swift: a tarball, a Debian package, a Python wheel
	@Scripts/prepare packages
	Scripts/dist/make

STYLED = Package.swift Sources Tests $(addprefix Examples/Notes/,Package.swift Sources Tests)

lint: prepare                   ## check the style
	swift format lint --strict --recursive --parallel $(STYLED)

format: prepare                 ## put the style right
	swift format --in-place --recursive --parallel $(STYLED)

docs: prepare                   ## run every command line of README.md and docs/ and write its output there
	@Scripts/prepare python3
	$(BUILD) --product drydock
	Scripts/docs "$$(swift build --show-bin-path)/drydock"

docs-check: prepare             ## fail where README.md or docs/ is not what the commands print
	@Scripts/prepare python3
	$(BUILD) --product drydock
	Scripts/docs --check "$$(swift build --show-bin-path)/drydock"

reports: prepare                ## have reports checked by the programs that read such files, as far as they are installed
	@Scripts/prepare python3
	$(BUILD) --product drydock
	Scripts/reports "$$(swift build --show-bin-path)/drydock"

editor: prepare                 ## talk to drydock lsp with a client of others, where Python has pygls
	@Scripts/prepare python3
	$(BUILD) --product drydock
	Scripts/lsp-client "$$(swift build --show-bin-path)/drydock"

docc: prepare                   ## build the libraries' pages from their doc comments
	$(BUILD)
	Scripts/docc

traits: prepare                 ## build an app with one engine alone, for each engine
	Scripts/traits

fleet-test: prepare             ## verify a fleet on a Slurm cluster of two nodes on this machine, with one killed in the middle; needs root
	@Scripts/prepare slurm
	$(BUILD) --product drydock
	Scripts/fleet-test "$$(swift build --show-bin-path)/drydock"

sample: prepare                 ## make Snapshots/ again from its seeds
	swift run SampleMaker Snapshots
	swift run drydock lock $(foreach file,$(wildcard Snapshots/*.sqlite Snapshots/*.sql),--replace $(file))

PREFIX ?= /usr/local
install: build                  ## install drydock under PREFIX
	install -d "$(PREFIX)/bin"
	install -m 755 "$$(swift build -c release --show-bin-path)/drydock" "$(PREFIX)/bin/drydock"

prepare:
	@Scripts/prepare
