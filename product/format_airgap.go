package product

// airgapYAML is the configuration of the airgap bundles.
type airgapYAML struct {
	// A file of image references, one per line, that the bundles include besides the images of
	// the release and those that its manifests name. A line with ! removes some of these.
	Images string `yaml:"images,omitempty"`
	// The image that comes first in every bundle that includes it, since a node needs it before
	// the others: an image of the release by its name, or one of the file above, with or without
	// its digest.
	FirstImage string `yaml:"firstImage,omitempty"`
	// Values of ${NAME} in the files of references, by name. In a value, {{.Version}} is the
	// version of the release.
	Args map[string]string `yaml:"args,omitempty"`
	// Groups of images, which have bundles of their own.
	Groups []groupYAML `yaml:"groups,omitempty"`
	// The forms of each bundle: zst, and gz for the same archive as .tar.gz next to it, for nodes
	// and programs that cannot read zstd.
	Formats []string `yaml:"formats,omitempty" jsonschema:"enum=zst,enum=gz,default=zst"`
	// The bundles. By default one for each platform, and one for all platforms; with groups also
	// one for each group and platform.
	Bundles []bundleYAML `yaml:"bundles,omitempty"`
}

// groupYAML is a group of images. An image may be in several.
type groupYAML struct {
	// The name of the group: core.
	Name string `yaml:"name" jsonschema:"required"`
	// The group that a node has before this one, which is an addition to it.
	AddsTo string `yaml:"addsTo,omitempty"`
	// Images of the group: those of the release by their names, and others by repository or
	// reference, in which * replaces any text but a slash.
	Images []string `yaml:"images,omitempty"`
	// Files of image references, one per line, all of which are in the group.
	Lists []string `yaml:"lists,omitempty"`
	// Charts under charts, by name: the images that they render, with all their cases, are in the
	// group.
	Charts []string `yaml:"charts,omitempty"`
	// A selector of labels, as kubectl has it: the images that objects with these labels name, in
	// manifests and charts, are in the group.
	Selector string `yaml:"selector,omitempty"`
}

// bundleYAML is one archive, or one for each of several platforms and groups.
type bundleYAML struct {
	// Its file name without .tar.zst. A template: {{.Group}}, {{.OS}}, {{.Arch}} and
	// {{.WindowsRelease}} are those of the bundle, {{.Product}} and {{.Version}} those of the
	// release.
	Name string `yaml:"name" jsonschema:"required"`
	// The platform that it is for; all if none is named.
	Platform string `yaml:"platform,omitempty"`
	// Several platforms, each with a bundle of its own.
	Platforms []string `yaml:"platforms,omitempty"`
	// The groups whose images it has; all images if none is named. Where the name has {{.Group}},
	// each group has a bundle of its own.
	Groups []string `yaml:"groups,omitempty"`
	// Whether it lacks the layers that the bundle of the group has to which its group adds: a node
	// needs both.
	Sparse bool `yaml:"sparse,omitempty"`
	// Whether there is only the list of its images, and no archive. Lists for several platforms may
	// have one name, and become one.
	ListOnly bool `yaml:"listOnly,omitempty"`
}
