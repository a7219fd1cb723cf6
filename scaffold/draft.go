// Package scaffold reads a repository and writes the slipway.yaml that its owner would begin with.
//
// Read looks at what says how the project builds today: go.mod, Dockerfiles, Makefiles, .ko.yaml,
// .goreleaser.yaml, .promu.yml, charts and manifests. There is one reader for each of them, in a
// file of its own. Everything that they say is untrusted text: it is bounded, it becomes values
// and comments of YAML and nothing else, and no command of it is run.
//
// Dockerfiles stay as they are: slipway.yaml names them, with the arguments, the stage and the
// programs that the project's own builds give them. Settle writes slipway.yaml and lets the check
// of a release judge it; what that refuses stays refused until a person decides.
package scaffold

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// Options are what a user states instead of the repository. The zero value is what it says.
type Options struct {
	Name, Version     string
	Revision, Created string   // of a directory that is not in git
	Platforms         []string // of the release
	// Answers are values of facts that are questions otherwise, by their keys.
	Answers map[string]string
	// Ask, if it is not nil, is asked for other facts that are not proven.
	Ask Asker

	remote string   // the repository that the directory was cloned from: github.com/owner/name
	tags   []string // of git
}

// Draft is a slipway.yaml in the making.
type Draft struct {
	Dir   string   // absolute
	Found []string // the facts that were read, for people
	// Questions are the facts that a person has to decide.
	Questions []Question

	options Options
	tree    *tree
	git     bool

	name, version    string
	versionNotes     []string
	source           source
	platforms        []string
	bases            []base
	programs         []program
	images           []image
	names            names
	templates, chart []entry
	linuxOnly        bool // pods that may run on Windows nodes are allowed
	tagPrefix        string
	otherRegistries  []string // that have the images, too

	mains             []mainPackage
	make              *makefile.File
	outputs           map[string]string // the name of a program that a build writes → its package
	koBases           map[string]string // by import path, and the default under ""; nil without .ko.yaml
	koImages          map[string]string // references by ko:// → an image's name, or *
	dockerBuilds      []dockerBuild
	withCgo           place               // that compiles with a C compiler
	variantArch       bool                // builds call the variant v7 of arm armv7
	koClaims          []claim             // platforms that ko publishes for
	koBare            bool                // ko adds nothing to the repository
	flags             []compilerFlag      // that builds give
	chosen            []compilerFlag      // of the source
	unread            []place             // what compiles, and does not tell how
	form              string              // of a version in programs and arguments
	flagged           string              // the values that they were chosen from
	compiled          string              // the main package that is read of, "" for none
	koTags, koFloats  []string            // of images that ko makes
	koNames           []named             // of them, by their packages
	koLast            map[string]string   // the last part of their names, where builds give it, by package
	charted           []claim             // where charts are published
	chartsIn          string              // the repository of charts, a template; "" if it is not known
	koBuilt           []claim             // packages of which ko makes images
	tagForms          []claim             // whether tags have a v
	vTags             bool                // tags of git begin with v, or are not known
	staging           map[string]string   // by image, where it is before it is promoted
	seen              map[string][]string // by key, the places that a fact comes from
	same              map[string]string   // by key, the candidates of facts of several parts
	docs              map[string][]*yaml.Node
	publishers        *publishers
	published         bool              // what publishes builds a Dockerfile
	without           bool              // the answer was that the product has no images
	forTags           bool              // what publishes builds one for tags of git
	unmapped          bool              // what publishes builds one that is not known
	files             []string          // the Dockerfiles of a release
	lists             []entry           // of images
	stopped           bool              // nobody answers
	used              map[string]bool   // variables of make that what publishes uses; nil until it is asked for
	references        []named           // images that are named; nil until they are asked for
	ofBranches        bool              // the job that is read
	named             bool              // builds that publish name platforms
	machine           string            // of that job, where a matrix has several
	pushed            []dockerBuild     // names that are pushed, without what builds them
	metaNames         []string          // that docker/metadata-action gives targets of bake
	bakeSets          []bakeSet         // what calls of bake give targets
	failed            error             // of asking
	artifactPlatforms []string          // of archives
	dropped           map[string]bool   // repositories of branches alone
	broken            map[string]error  // YAML that cannot be read, by file
	hiddenNames       map[string]bool   // images that are pushed under names that nothing tells
	archived          []string          // programs that are released as files
	archives          []download        // of several, or with names of their own
	archiveFile       string            // the template of the name of one
	listOfAll         string            // a list of images for all bundles
	groups            []imageGroup      // of images
	listArgs          map[string]string // values of ${NAME} in lists, "" for one that is not known
	left              []leftOut
}

// source is the Go module, or the directory of an image without programs.
type source struct {
	dir      string // in the repository, "." is its root
	module   string
	url      string
	licenses string
}

// names are those under which users know the images.
type names struct {
	registry, repository string
}

// entry is one thing of release.yaml, or a chart, which settling may take out.
type entry struct {
	key, path           string // the key of its list
	line, last          int    // of slipway.yaml
	name                string // of a chart
	version, appVersion string // of a chart, if they are not the product's
	windows             bool   // of a chart: a value turns its Windows half on
	dropped             bool
}

func (d *Draft) found(format string, args ...any) {
	d.Found = append(d.Found, output.Line(fmt.Sprintf(format, args...)))
}

// maxExpanded bounds what texts are expanded to, in bytes.
const maxExpanded = 64 << 10

var (
	notInName    = lazyregexp.New(`[^a-z0-9._-]+`)
	severalSigns = lazyregexp.New(`([._-])[._-]+`)
)

// nameOf makes the name of a product, image or base from text.
func nameOf(s string) string {
	s = notInName.ReplaceAllString(strings.ToLower(s), "-")
	s = severalSigns.ReplaceAllString(strings.Trim(s, "._-"), "$1")
	return s[:min(len(s), 60)]
}

// program returns the name of the program for a package, which it adds if it is new. name is what
// its file is called, "" if that is not known.
func (d *Draft) program(m mainPackage, name string) string {
	for _, p := range d.programs {
		if p.dir == m.dir && (name == "" || p.name == name) {
			return p.name
		}
	}
	if name == "" {
		name = m.name
	}
	if slices.ContainsFunc(d.programs, func(p program) bool { return p.name == name }) {
		name = path.Base(path.Dir(m.dir)) + "-" + name
	}
	p := program{name: name, dir: m.dir, module: m.module}
	switch {
	case !m.linux:
		p.os = []string{platform.Windows}
	case !m.windows:
		p.os = []string{platform.Linux}
	}
	d.programs = append(d.programs, p)
	return name
}
