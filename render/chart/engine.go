package chart

// Engine loads charts and renders their templates. The only one is in package engine, which calls
// Helm's own packages; importing that package [Use]s it. Helm needs all of Kubernetes' client: a
// program, or a test, that only reads the files of charts is compiled without both.
type Engine interface {
	// Validate reports what Helm refuses in a Chart.yaml that is YAML.
	Validate(chartYAML []byte) error
	// Load reads the files of a chart and of its subcharts; shown is what messages call the chart.
	Load(shown string, files []File) (Loaded, error)
	// Render makes the text of the templates.
	Render(r Request) (Made, error)
	// Compatible reports whether a version satisfies the constraint of a dependency.
	Compatible(constraint, version string) bool
	// References calls each for the strings of the objects in a text that may name an image. A
	// document that is not YAML is skipped: the reader of the objects reports it.
	References(name, text string, each func(Reference))
}

// Loaded is what Helm reads in a chart's files.
type Loaded struct {
	Config       []byte // Chart.yaml in JSON, as Helm keeps it in a registry
	Dependencies []Dependency
	// Conflict is why the subcharts are not what Chart.yaml and Chart.lock say; nil if they are.
	Conflict error
}

// Dependency is one that Chart.yaml lists, or requirements.yaml.
type Dependency struct {
	Name, Version, Repository string
	Present                   bool // whether it is in charts/
}

// Request is a chart and how it is rendered.
type Request struct {
	Shown   string
	Files   []File
	Options Options
	Text    func(index int) string // of a template; nil for the file's own

	Later     bool // the time is another one
	Fixed     bool // the time and random values are always the same
	Unchecked bool // the values are not checked by schemas
}

// Made is what the templates of a chart made.
type Made struct {
	Templates []Template // sorted by name
	CRDs      []int      // indexes of the files in directories crds
}

// Template is the text that a template made. A subchart with two names has two of each.
type Template struct {
	Name  string // that Helm knows: chart/templates/app.yaml
	Index int    // of the file in the chart
	Text  string
}

// Reference is a string of an object that may name an image.
type Reference struct {
	Line  int    // in its document, from 1
	Path  string // of the string in its document
	Value string
	Field bool // whether the place is one for images
}

var engine Engine

// Use sets the engine of the program, before any chart is loaded.
func Use(e Engine) { engine = e }
