package product

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// binaries is the named context of Dockerfiles with the programs of slipway.yaml.
const binaries = "binaries"

// dockerfileYAML is an image that a Dockerfile describes; RUN may only change files. Paths are
// seen from slipway.yaml.
type dockerfileYAML struct {
	// The Dockerfile for all systems.
	File string `yaml:"file,omitempty" jsonschema:"oneof_required=file"`
	// A Dockerfile for each operating system.
	Files map[string]string `yaml:"files,omitempty" jsonschema:"oneof_required=files,minProperties=1"`
	// The directory that COPY and ADD read. Without one they read named contexts only. The store,
	// the output directory and .git are never part of it.
	Context string `yaml:"context,omitempty"`
	// The stage to build; the last if there is none.
	Target string `yaml:"target,omitempty"`
	// Build arguments, which are templates: {{.Version}} is the image's version; {{.Revision}},
	// {{.Created}} and {{.SourceVersion}} are its source's; {{.OS}}, {{.Arch}}, {{.Variant}} and
	// {{.WindowsRelease}} (ltsc2022, and nothing for Linux) are those of the platform. One that
	// yields no text for a platform is not given there: the default in the Dockerfile counts.
	Args map[string]string `yaml:"args,omitempty"`
	// The programs in the named context "binaries", as OS_ARCH/NAME[.exe]. All where there are
	// none, and no outputs.
	Programs []string `yaml:"programs,omitempty"`
	// Programs that the Dockerfile copies and something else makes, such as a Makefile: where it
	// expects them, in the context or as STAGE:/PATH in a stage. {{.OS}}, {{.Arch}}, {{.Exe}} (.exe
	// on Windows) and {{.Version}} are known. A stage of which nothing else is copied is not
	// evaluated.
	Outputs map[string]string `yaml:"outputs,omitempty"`
	// Directories that COPY --from can name.
	Contexts map[string]string `yaml:"contexts,omitempty"`
}

// DockerfileImage is an image that a Dockerfile describes.
type DockerfileImage struct {
	// Files maps an operating system to the absolute path of its Dockerfile.
	Files   map[string]string
	Context string            // absolute directory; the build context
	Target  string            // stage to build; empty is the last
	Args    map[string]string // templates: see On
	// Programs are the Programs in the named context "binaries", as
	// <os>_<arch>/<name>[.exe]; empty means all.
	Programs []string
	// Outputs are programs by the places in which the Dockerfile expects them: see [Output].
	Outputs map[string]string
	// Contexts are further named contexts: absolute directories.
	Contexts map[string]string
}

func (d *DockerfileImage) uses(u *uses) {
	add(u.programs, d.Programs...)
	add(u.programs, slices.Collect(maps.Values(d.Outputs))...)
	u.allPrograms = u.allPrograms || len(d.Programs)+len(d.Outputs) == 0
	u.texts = append(u.texts, slices.Collect(maps.Values(d.Args))...)
	for _, file := range d.Files {
		b, _ := os.ReadFile(file) // build reports one that cannot be read
		u.texts = append(u.texts, string(b))
	}
}

func (c *checker) dockerfileImage(in *imageYAML, i *Image) Content {
	c.args(in.Dockerfile, i.Platforms)
	if in.Source == "" && !c.Bad(&in.Source) {
		c.Errorf(in, "source is missing: name the source whose url, revision and licenses label the image")
	}
	d := in.Dockerfile
	out := &DockerfileImage{Files: map[string]string{}, Target: d.Target, Args: d.Args, Programs: d.Programs, Outputs: d.Outputs}
	switch wanted := systems(i.Platforms); {
	case d.File != "":
		file := c.regular(&d.File)
		for _, os := range wanted {
			out.Files[os] = file
		}
	case d.Files != nil && !c.Bad(&d.Files):
		out.Files = c.dockerfiles(in, wanted)
	}
	if d.Context != "" {
		out.Context = c.directory(&d.Context)
	}
	for n := range d.Programs {
		c.refer(&d.Programs[n], c.programs)
	}
	c.once(d.Programs)
	c.outputs(d)
	if len(d.Contexts) > 0 {
		out.Contexts = c.contexts(d)
	}
	return out
}

// dockerfiles returns the absolute path of the Dockerfile for each operating system.
func (c *checker) dockerfiles(in *imageYAML, wanted []string) map[string]string {
	d := in.Dockerfile
	files := map[string]string{}
	for _, os := range slices.Sorted(maps.Keys(d.Files)) {
		if !isOS(os) {
			c.KeyErrorf(&d.Files, os, "unknown operating system %s: use linux or windows", os)
			continue
		}
		full, why := c.stat(d.Files[os], isRegular, "file")
		if why != "" {
			c.Errorf(yamlfile.Entry(&d.Files, os), "%s", why)
		}
		files[os] = full
	}
	for _, os := range wanted {
		if _, ok := files[os]; !ok && !c.Given(yamlfile.Entry(&d.Files, os)) {
			c.Errorf(&d.Files, "image %s has no Dockerfile for %s: add one, or restrict the image with platforms", in.Name, os)
		}
	}
	return files
}

// contexts returns the absolute directories of further named contexts.
func (c *checker) contexts(d *dockerfileYAML) map[string]string {
	all := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(d.Contexts)) {
		switch {
		case name == binaries:
			c.KeyErrorf(&d.Contexts, name, "the context binaries contains the programs of slipway.yaml: take another name")
		case name == scratch || slices.Contains(c.bases.list, name):
			c.KeyErrorf(&d.Contexts, name, "%s is a base: take another name, since FROM and --from know both", name)
		case strings.ToLower(name) != name || !fileForm.MatchString(name):
			c.KeyErrorf(&d.Contexts, name, "context %q is malformed: use lower case letters, digits, . _ and -", name)
		}
		full, why := c.stat(d.Contexts[name], isDir, "directory")
		if why != "" {
			c.Errorf(yamlfile.Entry(&d.Contexts, name), "%s", why)
		}
		all[name] = full
	}
	return all
}
