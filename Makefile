# Eigenveil. `make demo` shows it, `make test` checks everything, `make check` is the fast loop.
SHELL := /bin/bash
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BINARY := build/release/bin/eigenveil

# What ninja says on a terminal: files done, of how many, seconds.
export NINJA_STATUS := [%f/%t %es] 

.PHONY: build papers demo demo-collection test check soak bench fuzz format lint install uninstall tarball python python-docs wheel r packages clean

build: packages
	@cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS) --target eigenveil_cli

# The tables and figures of the source papers: eigenveil reproduce starts this program.
papers: build
	@cmake --build --preset release -j $(JOBS) --target eigenveil_papers

packages:
	@mkdir -p build
	@scripts/install-packages

demo: build
	@scripts/demo $(BINARY)

# Two aggregators on loopback, 200 made-up people, a form in a browser, a server killed in the middle.
demo-collection: build
	@scripts/demo-collection $(BINARY)

test: packages
	@scripts/install-packages debian-packages-browser.txt || echo "the browser test will be skipped"
	@scripts/install-packages debian-packages-r.txt || echo "the tests of the R package will be skipped"
	@scripts/run-tests all

check: packages
	@scripts/run-tests fast

# Tests that repeat one of make test at a larger size.
soak: packages
	@scripts/run-tests soak

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

uninstall:
	@scripts/uninstall $(PREFIX)

tarball: build
	@scripts/make-tarball

# The Python package in build/release/python (add it to PYTHONPATH), its tests, and a wheel tested in a fresh environment.
python: packages
	@scripts/python-venv build
	@cmake --preset release -DEIGENVEIL_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/venv/bin/python > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS) --target eigenveil_python_files eigenveil_cli
	@scripts/run-python-tests $(CURDIR)/build/release python/tests

# The API reference as a web page.
python-docs: python
	@PYTHONPATH=build/release/python build/venv/bin/python -m pdoc -d numpy -o build/python-docs eigenveil

wheel: packages
	@scripts/make-wheel

# The R package in build/release/r/library (add it to R_LIBS), its tests and R CMD check.
r: build
	@scripts/install-packages debian-packages-r.txt
	@ctest --test-dir build/release -L '^r$$' --output-on-failure

clean:
	rm -rf build
