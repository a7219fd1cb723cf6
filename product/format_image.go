package product

// namesYAML is how images are called. Its strings are templates: {{.Product}} and {{.Name}} are
// the names of the product and of the image, {{.Version}} is the image's version, {{.Major}},
// {{.Minor}}, {{.Patch}} and {{.Prerelease}} are its parts, {{.Channel}} is the channel of the run,
// and {{.Revision}} is the commit of the image's source.
type namesYAML struct {
	// The repository under the registry: {{.Product}}/{{.Name}} if none is given.
	Repository string `yaml:"repository,omitempty" jsonschema:"default={{.Product}}/{{.Name}}"`
	// Tags that name one release for ever: {{.Version}} if none is given.
	Tags []string `yaml:"tags,omitempty" jsonschema:"default={{.Version}}"`
	// Tags that move from release to release, such as latest or v{{.Major}}. These tags move
	// last, and only to a newer version. An empty text is not a tag.
	FloatingTags []string `yaml:"floatingTags,omitempty"`
	// Tags for single platforms: {{.OS}}, {{.Arch}} (amd64, armv7) and {{.WindowsRelease}}
	// (ltsc2022, and nothing for Linux) are those of the platform. A platform for which the text
	// is empty has no such tag. Several platforms of one tag become an index of these.
	PlatformTags []string `yaml:"platformTags,omitempty"`
}

// destinationYAML is a registry that releases are published to.
type destinationYAML struct {
	// The name by which -registry selects the destination. A name has no dot or colon, and is not
	// all, which selects every destination.
	Name string `yaml:"name" jsonschema:"required"`
	// The registry, host[/prefix].
	Registry string `yaml:"registry" jsonschema:"required"`
	// The repository of each image there: a template as under names, in which {{.Repository}} is
	// the usual repository.
	Repository string `yaml:"repository,omitempty"`
}

// imageYAML is one image of the release, over all its platforms.
type imageYAML struct {
	// The image's name in this file, and by default the last part of its repository: lower case
	// letters, digits, and . _ - between them.
	Name string `yaml:"name" jsonschema:"required"`
	// A version of its own, in place of the product's.
	Version string `yaml:"version,omitempty"`
	// Its repository, as under names.
	Repository string `yaml:"repository,omitempty"`
	// Its tags, as under names.
	Tags []string `yaml:"tags,omitempty"`
	// Its floating tags, as under names.
	FloatingTags []string `yaml:"floatingTags,omitempty"`
	// Its tags for some of its platforms, as under names.
	PlatformTags []string `yaml:"platformTags,omitempty"`
	// One sentence on what the image is for, for the label org.opencontainers.image.description.
	Description string `yaml:"description,omitempty"`
	// The source whose url, revision, created and licenses label the image. A go image has its
	// program's, a lifecycle image the lifecycle's.
	Source string `yaml:"source,omitempty"`
	// The release's platforms that the image is for, or operating systems: linux, windows.
	// All if none is named.
	Platforms []string `yaml:"platforms,omitempty"`
	// The base of a go image for each operating system.
	Bases map[string]string `yaml:"bases,omitempty"`
	// Further labels.
	Labels map[string]string `yaml:"labels,omitempty"`
	// How layers are compressed. What reads zstd is containerd 1.5, Docker 23 and later.
	Compression string `yaml:"compression,omitempty" jsonschema:"enum=gzip,enum=zstd,default=gzip"`
	// Files and directories of the image with programs for other platforms, which the image
	// contains but does not run: /downloads, /cnb/*/windows. Elsewhere such a program is an
	// error. Windows paths are written with slashes and without the drive.
	AllowOtherPlatforms []string `yaml:"allowOtherPlatforms,omitempty"`
	// Shared libraries that an image may lack, because they are there when its programs
	// run, or have without a visible use: libcuda.so.*, netapi32.dll. Elsewhere a library that a
	// program needs and does not find is an error or a warning.
	AllowLibraries []string `yaml:"allowLibraries,omitempty"`
	// Images that another builder made, taken as they are, for platforms, for operating systems or
	// for all platforms (the key all): oci:DIR[:TAG|@DIGEST], oci-archive:FILE[:TAG|@DIGEST],
	// docker-archive:FILE[:NAME], or repository:tag@sha256:… of a registry. Manifest, configuration
	// and layers keep their digests. Files are relative to this file; {{.Version}}, {{.OS}},
	// {{.Arch}}, {{.Variant}} and {{.WindowsRelease}} are known. The other platforms of the image
	// are made from go or dockerfile.
	Prebuilt map[string]string `yaml:"prebuilt,omitempty" jsonschema:"anyof_required=prebuilt,minProperties=1"`
	// An image of one Go program, with ko's conventions.
	Go *goYAML `yaml:"go,omitempty" jsonschema:"anyof_required=go"`
	// An image that a Dockerfile describes.
	Dockerfile *dockerfileYAML `yaml:"dockerfile,omitempty" jsonschema:"anyof_required=dockerfile"`
	// The buildpacks lifecycle, in the form that kpack loads.
	Lifecycle *lifecycleYAML `yaml:"lifecycle,omitempty" jsonschema:"anyof_required=lifecycle"`
}
