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
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Options are what a user states instead of the repository. The zero value is what it says.
type Options struct {
	Name, Version     string
	Revision, Created string   // of a directory that is not in git
	Platforms         []string // of the release
}

// Draft is a slipway.yaml in the making.
type Draft struct {
	Dir   string   // absolute
	Found []string // what was read, for people
	Hand  []string // what needs a hand, for people

	options Options
	tree    *tree
	git     bool

	name, version, description string
	versionNotes               []string
	source                     source
	platforms                  []string
	platformNotes              []string
	bases                      []base
	programs                   []program
	images                     []image
	names                      names
	templates, chart           []entry
	linuxOnly                  bool // pods that may run on Windows nodes are allowed
	floatingTags               []string
	tagPrefix                  string
	otherRegistries            []string // that have the images, too

	mains             []mainPackage
	make              *makefile
	outputs           map[string]string // the name of a program that a build writes → its package
	koBases           map[string]string // by import path, and the default under ""; nil without .ko.yaml
	koImages          map[string]string // references by ko:// → an image's name, or *
	toolPlatforms     []string          // os/arch that tools of the project build for
	dockerBuilds      []dockerBuild
	knownNames        map[string]bool
	withCgo           []cgoBuild
	variantArch       bool              // builds call armv7 what is the variant v7 of arm
	compiled          map[string]bool   // packages that Dockerfiles compile
	wantWindows       bool              // something is built for Windows, of a release that is not known yet
	artifactPlatforms []string          // of archives
	archived          []string          // programs that are released as files
	references        []string          // names of images that may be the product's
	imageList         string            // a list of images for all bundles
	groups            []imageGroup      // of images
	listArgs          map[string]string // values of ${NAME} in lists, "" for one that is not known
	left              []string          // what has no place in slipway.yaml, with its reason
}

// source is the Go module, or the directory of an image without programs.
type source struct {
	dir      string // in the repository, "." is its root
	module   string
	url      string
	licenses string
	ldflags  []string
	tags     []string
	env      []string
	notes    []string
}

func (s *source) note(format string, args ...any) {
	s.notes = appendNew(s.notes, fmt.Sprintf(format, args...))
}

type base struct {
	name      string
	builtin   string
	inPlaceOf []string
	microsoft string
	images    map[string]string
}

type program struct {
	name, dir string
	module    string // the directory of a module below the product's; "" is the product's
	os        []string
}

// image is one image.
type image struct {
	name        string
	description string
	program     string            // of a go image
	bases       map[string]string // of a go image
	dockerfiles map[string]string // by operating system
	context     string
	variant     string // the end of its tag, if a Dockerfile says so
	repository  string
	platforms   []string
	tags        []string
	parts       []*part // of Dockerfiles
	missing     []string
}

// names are those under which users know the images.
type names struct {
	registry, repository string
}

// entry is one thing of release.yaml, or a chart, which settling may take out.
type entry struct {
	path                string
	name                string // of a chart
	version, appVersion string // of a chart, if they are not the product's
	windows             bool   // of a chart: a value turns its Windows half on
	kustomize           bool   // a directory with a kustomization
	dropped             string // why it is only a comment
}

// Read makes the draft of a repository. It writes nothing.
func Read(ctx context.Context, dir string, o Options) (*Draft, error) {
	for _, p := range o.Platforms {
		on, err := platform.Parse(p)
		if err == nil {
			err = on.Check()
		}
		if err != nil {
			return nil, howto.Usage("-platforms: %w", err)
		}
	}
	if _, err := time.Parse(time.RFC3339, o.Created); o.Created != "" && err != nil {
		return nil, howto.Usage("-created=%s is not a time: write one such as 2025-01-16T21:57:50Z", o.Created)
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := regular.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", dir, cause(err))
	}
	defer root.Close()
	_, noFile := root.Lstat(product.File)
	_, err = git.Head(ctx, full)
	d, err := read(root.FS(), full, err == nil, o)
	if noFile == nil {
		text := fmt.Sprintf("%s already exists, and is not overwritten: remove it to begin again",
			filepath.Join(dir, product.File))
		if err == nil {
			text = strings.Join(append([]string{text}, d.since()...), "\n")
		}
		return nil, errors.New(text)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", dir, err)
	}
	return d, ctx.Err()
}

// read makes the draft of the files of a repository. dir only gives it a name.
func read(fsys fs.FS, dir string, git bool, o Options) (*Draft, error) {
	t, err := listTree(fsys)
	if err != nil {
		return nil, err
	}
	d := &Draft{
		Dir: dir, options: o, tree: t, git: git, outputs: map[string]string{}, koImages: map[string]string{},
		compiled: map[string]bool{}, listArgs: map[string]string{},
	}
	if err := d.goModule(); err != nil {
		return nil, err
	}
	d.makefiles()
	d.ko()
	d.promu()
	d.goreleaser()
	d.identity()
	d.findBuilds()
	d.findPlatforms()
	d.dockerfiles()
	d.goImages()
	if len(d.images) == 0 {
		return nil, errors.New("nothing says what to release: " +
			"there is no Dockerfile and no main package of Go; write slipway.yaml by hand, " +
			"or begin with -example=hello")
	}
	d.manifests()
	d.imageLists()
	d.findNames()
	d.findTags()
	d.cgo()
	return d, nil
}

// hand notes what the user has to look at.
func (d *Draft) hand(format string, args ...any) {
	d.Hand = append(d.Hand, output.Line(fmt.Sprintf(format, args...)))
}

func (d *Draft) found(format string, args ...any) {
	d.Found = append(d.Found, output.Line(fmt.Sprintf(format, args...)))
}

var notInName = lazyregexp.New(`[^a-z0-9._-]+`)

// nameOf makes the name of a product, image or base from text.
func nameOf(s string) string {
	s = notInName.ReplaceAllString(strings.ToLower(s), "-")
	s = lazyregexp.New(`([._-])[._-]+`).ReplaceAllString(strings.Trim(s, "._-"), "$1")
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

// mainIn returns the main package of a directory.
func (d *Draft) mainIn(dir string) (mainPackage, bool) {
	return find(d.mains, func(m mainPackage) bool { return m.dir == dir })
}

// main returns the main package that a program of this file name is built from.
func (d *Draft) main(name string) (mainPackage, bool) {
	if m, ok := d.mainIn(d.outputs[name]); ok {
		return m, true
	}
	return find(d.mains, func(m mainPackage) bool { return m.name == name })
}

// find returns the first element that is meant.
func find[E any](list []E, is func(E) bool) (found E, ok bool) {
	n := slices.IndexFunc(list, is)
	if n < 0 {
		return found, false
	}
	return list[n], true
}

// appendNew appends what a list lacks.
func appendNew[E comparable](list []E, more ...E) []E {
	for _, e := range more {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}
