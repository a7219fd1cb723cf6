package product

// The types of charts, as in format.go.

// chartYAML is a Helm chart that the release publishes. Its images get the digests of the release
// and of images.lock.yaml, in the values or, where their form does not take a digest, in the
// templates.
type chartYAML struct {
	// The name in the chart's Chart.yaml.
	Name string `yaml:"name" jsonschema:"required"`
	// The source that the chart is in; none for this file's own directory.
	Source string `yaml:"source,omitempty"`
	// The chart there: its directory, or a .tgz.
	Path string `yaml:"path" jsonschema:"required"`
	// The chart's version, a semantic one; a template as under names, in which {{.Version}} is the
	// product's version.
	Version string `yaml:"version,omitempty" jsonschema:"default={{.Version}}"`
	// The appVersion in Chart.yaml, a template as the version.
	AppVersion string `yaml:"appVersion,omitempty" jsonschema:"default={{.Version}}"`
	// Its repository, as under names. Helm wants its last part to be the chart's name.
	Repository string `yaml:"repository,omitempty" jsonschema:"default={{.Product}}/charts/{{.Name}}"`
	// Its tags, as under names; {{.Version}} is the chart's version. Helm finds a chart by the tag
	// that is its version, in which _ replaces +.
	Tags []string `yaml:"tags,omitempty" jsonschema:"default={{.Version}}"`
	// Its floating tags, as under names; those of a channel replace them. There are none
	// without.
	FloatingTags []string `yaml:"floatingTags,omitempty"`
	// Images of the release for values of the chart, where the reference there does not tell: the
	// key is the path of a value, or of a group of them, such as image.app or
	// sidecars[0].image, and the value the name of an image.
	Images map[string]string `yaml:"images,omitempty"`
	// Whether its Chart.yaml gets the list of images that it renders in all cases, pinned as in the
	// release, in the annotations artifacthub.io/images and helm.sh/images. Entries that a list has
	// stay.
	ImageAnnotations bool `yaml:"imageAnnotations,omitempty"`
	// Values that the chart is judged with, besides its own, in all cases: those without which it
	// does not render, or renders another secret each time. The values are not published.
	Values map[string]any `yaml:"values,omitempty"`
	// The name of the Helm release that the chart is judged with: the chart's if none is given.
	ReleaseName string `yaml:"releaseName,omitempty"`
	// The namespace that the chart is judged in: default if none is given.
	Namespace string `yaml:"namespace,omitempty"`
	// Other sets of values that the chart is judged with, besides the chart's own.
	Cases []caseYAML `yaml:"cases,omitempty"`
}

// caseYAML is a set of values for a chart.
type caseYAML struct {
	// What findings call it: windows.
	Name string `yaml:"name" jsonschema:"required"`
	// The values.
	Values map[string]any `yaml:"values,omitempty"`
	// A file with values, in the source of the chart. Values above replace those of the file.
	ValuesFile string `yaml:"valuesFile,omitempty"`
}
