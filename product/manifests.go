package product

import (
	"slices"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Release configures how release.yaml is rendered.
type Release struct {
	Templates []Template
	Kustomize []Template // directories with a kustomization
	Helm      []Helm
	Images    []ImageMapping // in the order of their references
	// Values are ytt data values; strings in them are templates for [ExpandImages]: {{.Version}},
	// and {{image "NAME"}}, which gives repository@digest.
	Values map[string]any
	// ValuePos are the positions of the strings in Values by their paths: containers[0].image.
	ValuePos map[string]yamlfile.Pos
	Env      []WorkloadEnv
}

// Empty reports whether nothing is rendered.
func (r Release) Empty() bool { return len(r.Templates)+len(r.Kustomize)+len(r.Helm) == 0 }

// Inputs are the files and directories that release.yaml is rendered from, without the charts of
// slipway.yaml.
func (r Release) Inputs() []Template {
	return slices.Concat(r.Templates, r.Kustomize, r.charts())
}

// Template is a file or directory that release.yaml is rendered from.
type Template struct {
	Source string // name of a Source, or empty for slipway.yaml's own directory
	Path   string // relative to it, slash-separated
	Pos    yamlfile.Pos
}

// Helm is a chart that is rendered into release.yaml: one of the product's charts, or a directory.
type Helm struct {
	Template

	Chart           string // name of one of the product's charts; empty with a path
	Name, Namespace string // of the Helm release; empty for the chart's name and for default
	// Values and ValuePos are as those of [Release].
	Values   map[string]any
	ValuePos map[string]yamlfile.Pos
}

// ImageMapping means that a reference of a manifest becomes an image of the product.
type ImageMapping struct {
	// Reference is repository[:tag], ko:// and an import path, or a pattern of [path.Match] for
	// one of these.
	Reference string
	Image     string // name of an Image; empty for the image that is called like the last part of the path
	Pos       yamlfile.Pos
}

// WorkloadEnv adds environment variables to a container of a rendered workload.
type WorkloadEnv struct {
	Kind, Namespace, Name, Container string
	Variables                        []Variable
	Pos                              yamlfile.Pos
}

// Variable is an environment variable; Value is a template like Release.Values.
type Variable struct {
	Name, Value string
	Pos         yamlfile.Pos // of the value
}
