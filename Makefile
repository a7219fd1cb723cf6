# A shim for fingers used to make: `make release` is `go tool mage release`. Flags: `make release FLAGS=-registry=ghcr.io/me`.
FLAGS ?=

.DEFAULT_GOAL := help
.PHONY: help
help:
	@go tool mage -l

.PHONY: release build publish render airgap serve clean test check golden fuzz bench ci
release build publish render airgap serve clean test check golden fuzz bench ci:
	@go tool mage $@ $(FLAGS)
