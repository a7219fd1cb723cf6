// Package programs has no code: go.mod pins Helm, which tests pull charts with. It is a module of
// its own, so that another version of Helm does not build the programs of test/programs again.
package programs
