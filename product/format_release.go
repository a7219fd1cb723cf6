package product

// The types of release, as in format.go.

// releaseYAML configures how release.yaml is rendered.
type releaseYAML struct {
	// Files and directories of plain YAML and of ytt templates, overlays among them.
	Templates []templateYAML `yaml:"templates,omitempty"`
	// Directories with a kustomization, built as kustomize build does. Remote bases and plugins
	// are refused.
	Kustomize []templateYAML `yaml:"kustomize,omitempty"`
	// Helm charts, rendered as helm template does.
	Helm []helmYAML `yaml:"helm,omitempty"`
	// Images of the release in place of references that manifests and charts have. The key is a
	// repository, with a tag or for any tag, or ko:// and an import path; * matches a part of it
	// without a slash. The value is the name of an image, or * for the image that is called like
	// the last part of the path. References to repositories that the release publishes need no
	// entry.
	Images map[string]string `yaml:"images,omitempty"`
	// Data values for the templates. In every string {{.Version}} is the product's version, and
	// {{image "NAME"}} an image as repository@digest.
	Values map[string]any `yaml:"values,omitempty"`
	// Environment variables for containers of rendered workloads.
	Env []envYAML `yaml:"env,omitempty"`
}

// templateYAML is a file or directory that release.yaml is rendered from.
type templateYAML struct {
	// The source that it is in; none for this file's own directory.
	Source string `yaml:"source,omitempty"`
	// Its path there.
	Path string `yaml:"path" jsonschema:"required"`
}

// helmYAML is a Helm chart that is rendered into release.yaml.
type helmYAML struct {
	// A chart of this file by its name under charts.
	Chart string `yaml:"chart,omitempty" jsonschema:"oneof_required=chart"`
	// The source that the chart is in; none for this file's own directory.
	Source string `yaml:"source,omitempty"`
	// The chart's directory there.
	Path string `yaml:"path,omitempty" jsonschema:"oneof_required=path"`
	// The name of the Helm release: the chart's if none is given.
	Name string `yaml:"name,omitempty"`
	// The namespace that the templates get: default if none is given.
	Namespace string `yaml:"namespace,omitempty"`
	// Values that replace those of the chart. {{.Version}} and {{image "NAME"}} work as in values
	// of the release.
	Values map[string]any `yaml:"values,omitempty"`
}

// envYAML is a set of environment variables for one container.
type envYAML struct {
	// The workload's kind: Deployment, StatefulSet, DaemonSet, Job, CronJob or Pod.
	Kind string `yaml:"kind" jsonschema:"required"`
	// The workload's namespace, as the template has it.
	Namespace string `yaml:"namespace,omitempty"`
	// The workload's name.
	Name string `yaml:"name" jsonschema:"required"`
	// The container's name.
	Container string `yaml:"container" jsonschema:"required"`
	// The variables to set.
	Variables []variableYAML `yaml:"variables" jsonschema:"required,minItems=1"`
}

// variableYAML is an environment variable.
type variableYAML struct {
	// The variable's name.
	Name string `yaml:"name" jsonschema:"required"`
	// Its value; {{.Version}} and {{image "NAME"}} work as in values.
	Value string `yaml:"value" jsonschema:"required" yamlfile:"empty"`
}
