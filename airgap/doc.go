// Package airgap does what operators of clusters without a network need: it packs the images of a
// release into bundles, pushes bundles to a private registry, and writes the configuration and the
// scripts with which nodes use either. The file format is in package bundle.
//
// [Pack] decides the contents of each bundle from a lock and a store. [Push] sends bundles to a
// registry and rewrites release.yaml for it, [MirrorConfig] configures nodes instead, and
// [Scripts] makes the scripts that load bundles on nodes. The package needs no Go toolchain and
// no slipway.yaml.
package airgap
