// Package debian releases products whose Dockerfiles install Debian packages, as upstream has them,
// and compares the files with those that apt itself makes on the same base.
package debian
