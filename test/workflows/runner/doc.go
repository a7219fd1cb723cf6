// Package runner has no code: go.mod pins act, which runs GitHub's workflows on this machine. The
// module is separate, so that another version of act does not build the programs of test/programs
// again.
package runner
