# Eigenveil. `make demo` shows it, `make test` checks everything, `make check` is the fast loop.
SHELL := /bin/bash
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BINARY := build/release/bin/eigenveil

.PHONY: build demo test check bench fuzz format lint install tarball packages clean

build: packages
	@cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS) --target eigenveil_cli

packages:
	@mkdir -p build
	@scripts/install-packages

demo: build
	@scripts/demo $(BINARY)

test: packages
	@scripts/install-packages debian-packages-browser.txt || echo "the browser test will be skipped"
	@scripts/run-tests all

check: packages
	@scripts/run-tests fast

bench: build
	@cmake --build --preset release -j $(JOBS) --target benchmarks
	@scripts/run-benchmarks

# Every reader of files for FUZZ_SECONDS (default 120) under clang's sanitizers.
fuzz: packages
	@scripts/install-packages debian-packages-fuzz.txt
	@scripts/run-fuzzers

format: packages
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

lint: build
	@scripts/lint

install: build
	@cmake --install build/release --prefix $(PREFIX)

tarball: build
	@scripts/make-tarball

clean:
	rm -rf build
