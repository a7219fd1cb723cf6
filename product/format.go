package product

// The types in this file are slipway.yaml: their fields in Go are its fields in YAML. The
// comments go into slipway.schema.json, which editors show, and the jsonschema tags are obeyed by
// the decoder, too: required, enum and oneof_required. Fields with the tag yamlfile:"asked" are
// required, too, but a later stage reports them, which can ask for their values.

// productYAML describes one product at one version, and how its release is made.
type productYAML struct {
	// The format of this file.
	APIVersion string `yaml:"apiVersion" jsonschema:"required,enum=slipway/v1" yamlfile:"later"`
	// The product's name, part of its images' repositories and of its files' names: lower case
	// letters, digits, and . _ - between them.
	Name string `yaml:"name" jsonschema:"required"`
	// The version to release, which becomes the tag of every image; in quotes where it looks like
	// a number. With git, it is the tag of the commit, and after a tag a pseudo-version as the go
	// command makes them: v1.2.4-0.20261121093000-abcdefabcdef. -version and SLIPWAY_VERSION
	// replace it.
	Version string `yaml:"version" jsonschema:"required"`
	// With version: git, what stands before the version in the names of git tags. With chart-, the
	// tag chart-v1.2.3 is version v1.2.3; with v, the tag v1.2.3 is version 1.2.3.
	TagPrefix string `yaml:"tagPrefix,omitempty"`
	// What runs of different kinds release, such as stable, nightly and canary.
	Channels []channelYAML `yaml:"channels,omitempty"`
	// One sentence on what the product is.
	Description string `yaml:"description,omitempty"`
	// The platforms of the release: linux/amd64, windows/amd64:ltsc2022, … (a Windows release by
	// its LTSC name or its version).
	Platforms []string `yaml:"platforms" jsonschema:"required,minItems=1"`
	// Where programs and templates come from.
	Sources []sourceYAML `yaml:"sources,omitempty"`
	// Base images. The name scratch, for no base at all, needs no entry.
	Bases []baseYAML `yaml:"bases,omitempty"`
	// Go programs to compile, for go images and for the named context "binaries" of Dockerfiles.
	Programs []programYAML `yaml:"programs,omitempty"`
	// The names of all images. An image may say each of them for itself.
	Names namesYAML `yaml:"names,omitempty"`
	// Where releases are published. Nothing is pushed to a destination that -registry does not
	// name. The first of those is the primary one: release.yaml and the bundles have its names.
	Destinations []destinationYAML `yaml:"destinations,omitempty"`
	// The images of the release. A product of charts, manifests or airgap.images needs none.
	Images []imageYAML `yaml:"images,omitempty"`
	// Files for people to download: programs alone and in archives. Those for Windows serve every
	// Windows release.
	Artifacts []artifactYAML `yaml:"artifacts,omitempty"`
	// Helm charts that the release publishes as OCI artifacts.
	Charts []chartYAML `yaml:"charts,omitempty"`
	// How release.yaml is made.
	Release releaseYAML `yaml:"release,omitempty"`
	// Findings that the check of release.yaml allows.
	Lint lintYAML `yaml:"lint,omitempty"`
	// What the airgap bundles contain.
	Airgap airgapYAML `yaml:"airgap,omitempty"`
	// What only a person knows and nobody has decided. Each is an error of check, plan and release
	// until its entry is gone. slipway init writes them.
	Undecided []undecidedYAML `yaml:"undecided,omitempty"`
}

// undecidedYAML is a fact about the product that nothing in its repository proves. What stands
// under its key is a guess.
type undecidedYAML struct {
	// Where this file has the fact, or would have it: platforms, images[app].repository.
	Key string `yaml:"key" jsonschema:"required"`
	// The question, a sentence.
	What string `yaml:"what" jsonschema:"required"`
	// The candidates; the first is the value in this file.
	Candidates []candidateYAML `yaml:"candidates,omitempty"`
}

// candidateYAML is a value that the fact may have.
type candidateYAML struct {
	// The value.
	Value string `yaml:"value" jsonschema:"required"`
	// The files and lines that say so.
	Seen []string `yaml:"seen,omitempty"`
}

// channelYAML is a channel, which a run releases to with -channel. Without that, it is the channel
// that lists the kind of the version under versions, if only one does.
type channelYAML struct {
	// The name that -channel chooses: stable.
	Name string `yaml:"name" jsonschema:"required"`
	// The kinds of versions that it takes: release is 1.2.3, prerelease 1.2.3-rc.1, commit a
	// pseudo-version. All if none is named.
	Versions []string `yaml:"versions,omitempty" jsonschema:"enum=release,enum=prerelease,enum=commit"`
	// A template of the version: {{.Version}} is the version without it, {{.Revision}} the commit
	// of this file and {{.Date}} the commit's date, 20261121.
	Version string `yaml:"version,omitempty"`
	// The floating tags of every image, in place of those under names, and of the charts that
	// have some. Without a channel, prereleases and pseudo-versions float no tags.
	FloatingTags []string `yaml:"floatingTags,omitempty"`
}

// sourceYAML is a Go module at a version, or a directory.
type sourceYAML struct {
	// The name by which programs, images and templates refer to the source.
	Name string `yaml:"name" jsonschema:"required"`
	// A Go module and its version: example.com/module@v1.2.3.
	Module string `yaml:"module,omitempty" jsonschema:"oneof_required=module"`
	// The hash of the module's content, h1:… as in go.sum. Any other content stops the release.
	Sum string `yaml:"sum,omitempty" jsonschema:"oneof_required=module" yamlfile:"asked"`
	// The hash of the module's go.mod, h1:… as in go.sum.
	GoModSum string `yaml:"goModSum,omitempty"`
	// A directory instead of a module, relative to this file.
	Directory string `yaml:"directory,omitempty" jsonschema:"oneof_required=directory"`
	// The commit. A directory without one is asked for that of its git repository.
	Revision string `yaml:"revision,omitempty" jsonschema:"oneof_required=module" yamlfile:"asked"`
	// The commit's time, as 2025-01-16T21:57:50Z; it dates the images. A directory without one is
	// asked for that of its git repository.
	Created string `yaml:"created,omitempty" jsonschema:"oneof_required=module,format=date-time" yamlfile:"asked"`
	// Where the source code can be read, for the label org.opencontainers.image.source.
	URL string `yaml:"url,omitempty" jsonschema:"format=uri"`
	// The licenses as an SPDX expression, for the label org.opencontainers.image.licenses.
	Licenses string `yaml:"licenses,omitempty"`
	// Flags for the linker, for every program of the source. {{.Version}} is the product's
	// version; {{.Revision}}, {{.Created}} and {{.SourceVersion}} are the source's.
	Ldflags []string `yaml:"ldflags,omitempty"`
	// Flags for go build, for every program of the source.
	Flags []string `yaml:"flags,omitempty"`
	// Environment of go build, for every program of the source: NAME=value.
	Env []string `yaml:"env,omitempty"`
	// Build tags, for every program of the source. Those of -tags in flags apply, too.
	Tags []string `yaml:"tags,omitempty"`
	// More of these for the programs of one operating system.
	Systems []systemYAML `yaml:"systems,omitempty"`
}

// systemYAML is what go build is told for one operating system only, after what applies to all.
type systemYAML struct {
	// The operating system.
	OS string `yaml:"os" jsonschema:"required,enum=linux,enum=windows,enum=darwin,enum=freebsd,enum=netbsd,enum=openbsd"`
	// Flags for the linker.
	Ldflags []string `yaml:"ldflags,omitempty"`
	// Flags for go build.
	Flags []string `yaml:"flags,omitempty"`
	// Environment of go build: NAME=value.
	Env []string `yaml:"env,omitempty"`
	// Build tags.
	Tags []string `yaml:"tags,omitempty"`
}

// baseYAML is a base image.
type baseYAML struct {
	// The name by which images and FROM in Dockerfiles refer to the base.
	Name string `yaml:"name" jsonschema:"required"`
	// A base that slipway makes itself. static is a Linux base with certificate roots, time
	// zones, accounts and /tmp, and without a shell: it runs as user 65532 in /home/nonroot, as
	// distroless static:nonroot does. static-root has the same files and runs as root in /, as
	// distroless static:latest does. scratch is empty.
	Builtin string `yaml:"builtin,omitempty" jsonschema:"oneof_required=builtin,enum=static,enum=static-root,enum=scratch"`
	// The references that the base takes the place of in Dockerfiles, as they have them, with
	// their digest if they have one: gcr.io/distroless/static:nonroot.
	InPlaceOf []string `yaml:"inPlaceOf,omitempty"`
	// An image for each platform: of a registry, as repository:tag, whose digest is in
	// bases.lock.yaml, or as repository:tag@sha256:…; or in a file, as oci:DIR[:TAG|@DIGEST],
	// oci-archive:FILE[:TAG|@DIGEST] or docker-archive:FILE[:NAME].
	Images map[string]string `yaml:"images,omitempty" jsonschema:"oneof_required=images,minProperties=1"`
	// One of Microsoft's bases, for every Windows platform of the release: nanoserver,
	// servercore, or hostprocess, which is one image for all Windows builds, of programs that run
	// in HostProcess containers.
	Microsoft string `yaml:"microsoft,omitempty" jsonschema:"oneof_required=microsoft,enum=nanoserver,enum=servercore,enum=hostprocess"`
	// The repository that has copies of Microsoft's base under its tags, where it is not to be
	// pulled from mcr.microsoft.com.
	Repository string `yaml:"repository,omitempty"`
}

// lintYAML is the configuration of the check of release.yaml.
type lintYAML struct {
	// Findings that are known and meant. One that allows nothing is a finding itself.
	Allow []allowYAML `yaml:"allow,omitempty"`
}

// allowYAML is the findings of one rule that are allowed.
type allowYAML struct {
	// The rule, as findings name it: windows-sub-path.
	Rule string `yaml:"rule" jsonschema:"required"`
	// The object, as findings name it: Deployment kpack/kpack-controller. Of a rule about images
	// the image: one of the product by its name, another by its repository, or a reference with or
	// without its digest. All if none is named.
	Object string `yaml:"object,omitempty"`
	// The field, or one around it, as findings name it: spec.template.spec.volumes. Of an image, an
	// entry of its index: windows/amd64:10.0.20348.1. All if none is named.
	Path string `yaml:"path,omitempty"`
	// Why it is meant.
	Reason string `yaml:"reason" jsonschema:"required"`
}
