// Package bundle reads and writes bundles: files with the images of a release, for machines
// without a network. Registries, stores and products are the business of package airgap.
//
// A bundle is NAME.tar.zst, an OCI image layout and a docker-archive at once, so that RKE2, k3s,
// containerd, docker, podman and skopeo all accept it. NAME.txt lists the names of its images,
// one per line, the form that k3s reads as a pull list. The archive contains, in this order:
//
//	manifest.json       of the docker-archive: images for one platform, for docker load and RKE2
//	oci-layout          https://github.com/opencontainers/image-spec/blob/main/image-layout.md
//	index.json          every image by its name, then all referrers; annotations of the bundle
//	blobs/sha256/HEX    metadata blobs: indexes, manifests and configurations
//	blobs/sha256/HEX    layers
//
// Blobs have the order of index.json, each once; those of referrers, such as signatures, follow
// those of images. Everything before the first layer is the head. [Inspect] reads no more, and
// the place of every layer follows from it.
//
// A bundle for all platforms has complete indexes. One for a single platform has the same
// indexes, byte for byte, so that repository@sha256:… in release.yaml still resolves, but only
// the manifests that a node of this platform runs: its indexes are sparse. Other manifests that
// containerd reads on such a node are manifest-only: their configurations and layers are omitted.
//
// The archive is compressed as seekable zstd: see package seekable. The head begins a frame, and
// so does every layer. Layers that are compressed already are stored. NAME.tar.gz is the same
// archive, of the same frames: see package gzipped.
//
// [Contents] is the model of all that, when a bundle is planned, written and read. A volume is a
// bundle with some images of another one ([Split]). A delta lacks layers that another bundle, its
// base, has ([Delta]).
package bundle
