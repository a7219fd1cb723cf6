// Package programs has no code: go.mod pins Helm, which tests pull charts with. The module is
// separate, so that another version of Helm does not build the programs of test/programs again.
package programs
