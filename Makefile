# For fingers used to make: `make release` is `go tool mage release`, and so for every target.
# Flags: `make release FLAGS=-registry=ghcr.io/me`.
FLAGS ?=

.PHONY: help
help:
	@go tool mage -l

# make looks for a rule that makes this file, too.
Makefile: ;

# FORCE: directories such as lint and airgap have the names of targets.
%: FORCE
	@go tool mage $@ $(FLAGS)

.PHONY: FORCE
FORCE: ;
