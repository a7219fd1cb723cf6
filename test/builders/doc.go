// Package builders lets the builders of users make images: docker buildx and buildctl with a
// BuildKit daemon of the test, and podman with a store of the test.
//
// Images have a base that buildah makes of busybox, in an OCI layout: no registry is asked. The
// command of docker is that of the machine; its plugin is built from the Go module in programs/.
package builders
