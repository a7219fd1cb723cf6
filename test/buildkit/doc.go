// Package buildkit compares what containerfile makes of a Dockerfile with what BuildKit makes
// of it.
//
// The test builds buildkitd and buildctl from the Go module in daemon/ (once; they are kept in
// the user's cache), runs the daemon on a socket of its own, lets it build every case of
// containerfile/testdata and of dockerfiles/, and compares the file tree (type, mode, owner,
// link, content; not times) and the configuration. Root is needed, and runc, which apt's
// containerd brings.
//
// Stages that compile do so in BuildKit as well, in a stand-in for golang: the Go toolchain of this
// machine, which makes the same bytes as Slipway's compiler (golang_test.go). TestAdoption compares
// the images of repositories of the shapes that package scaffold has, TestCorpusSameAsBuildKit
// those of real products, whose main packages import nothing there.
//
// TestCorpus needs neither: it evaluates the Dockerfiles of real products, out of their Go modules.
//
// The daemon is v0.33.1, although the parser of the main module is v0.34.2: v0.34 needs versions
// of other modules that the module proxy does not give out. Their frontends differ in two things,
// which only goldens check: v0.34 refuses --link with a --chown by name, and reads escapes
// in the patterns of ${VARIABLE#pattern} and its like another way.
package buildkit
