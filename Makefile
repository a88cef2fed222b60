# SPDX-License-Identifier: ISC

GO ?= go

# A large file of the Go toolchain itself: its compiler, or else the go command.
FILE ?= $(firstword $(wildcard $(shell $(GO) env GOTOOLDIR)/compile* $(shell $(GO) env GOROOT)/bin/go*))

# How long each fuzz target runs, and how long soak works before it runs them.
FUZZTIME ?= 30s
DURATION ?= 2m

.PHONY: help run test regenerate check clean-check platforms windows native workflows bench record performance stream-speed arm64-cost fuzz soak prove prove-mutants clean

help:
	@echo 'make run            build gcm, seal and open FILE=, compare and time it against crypto/cipher'
	@echo 'make test           run every test there is, for arm64 under qemu-user'
	@echo 'make prove          prove every program of every kernel equal to SP 800-38D, for all inputs'
	@echo 'make prove-mutants  see the proof refuse changed kernels'
	@echo 'make regenerate     write every kernel file anew'
	@echo 'make check          generated files byte for byte, gofmt, go vet'
	@echo 'make clean-check    delete the generated files of a copy, regenerate, want no change'
	@echo 'make platforms      build and vet without cgo for every platform'
	@echo 'make windows        run tests for Windows on amd64 under wine, by MinGW and without cgo'
	@echo 'make native         run the tests that need Go alone, on any system'
	@echo 'make workflows      check .github/workflows with actionlint'
	@echo 'make bench          time the kernels, crypto/cipher and the port limit'
	@echo 'make record         time everything that docs/PERFORMANCE.md shows, on a machine without other work, and render it'
	@echo 'make performance    render docs/PERFORMANCE.md and its plots from docs/results'
	@echo 'make stream-speed   time package stream beside Tink, on files of 1 GiB in memory'
	@echo 'make arm64-cost     estimate the kernels for arm64: cycles of loops, instructions of calls'
	@echo 'make fuzz           run each fuzz target for FUZZTIME=$(FUZZTIME)'
	@echo 'make soak           work every kernel and door under load for DURATION=$(DURATION), then each fuzz target'
	@echo 'make clean          delete what make run builds'

run:
	$(GO) build -o gcm ./cmd/gcm
	./gcm check "$(FILE)"

test:
	scripts/test

prove:
	$(GO) run ./cmd/prove

prove-mutants:
	$(GO) run ./cmd/prove-mutants

regenerate:
	$(GO) run ./import-asm

check:
	$(GO) run ./import-asm -check
	scripts/gofmt
	$(GO) vet ./...

clean-check:
	scripts/clean-check

platforms:
	scripts/platforms

windows:
	scripts/windows

native:
	scripts/native

workflows:
	scripts/workflows

bench:
	$(GO) run ./cmd/gcm info
	$(GO) run ./cmd/gcm speed

record:
	scripts/record $(MACHINE)

performance:
	$(GO) run ./cmd/performance

stream-speed:
	cd interop && $(GO) run ./speed

arm64-cost:
	@scripts/tools llvm-mca-19 llvm-19
	@$(GO) run ./cmd/arm64-cost

fuzz:
	scripts/fuzz $(FUZZTIME)

soak:
	$(GO) run ./cmd/soak -time $(DURATION)
	scripts/fuzz $(FUZZTIME)

clean:
	rm -f gcm
