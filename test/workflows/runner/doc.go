// Package runner has no code: go.mod pins act, which runs GitHub's workflows on this machine. It is
// a module of its own, so that another version of act does not build the programs of test/programs
// again.
package runner
