package product

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// binaries is the named context of Dockerfiles with the programs of slipway.yaml.
const binaries = "binaries"

// dockerfileYAML is an image that a Dockerfile describes; RUN may only change files. Paths are
// seen from slipway.yaml, or from source.
type dockerfileYAML struct {
	// Who builds the Linux platforms: docker (docker buildx build), podman or buildctl, which must be
	// on the machine that builds. Without it slipway evaluates the Dockerfile, and RUN may only change
	// files. Windows platforms are always evaluated.
	Builder string `yaml:"builder,omitempty" jsonschema:"enum=docker,enum=podman,enum=buildctl"`
	// The source that file, files, context and contexts are in: a Dockerfile of another project.
	Source string `yaml:"source,omitempty"`
	// The Dockerfile for all systems.
	File string `yaml:"file,omitempty" jsonschema:"oneof_required=file"`
	// A Dockerfile for each operating system.
	Files map[string]string `yaml:"files,omitempty" jsonschema:"oneof_required=files,minProperties=1"`
	// The directory that COPY and ADD read. Without one they read named contexts only. The store,
	// the output directory and .git are never part of it.
	Context string `yaml:"context,omitempty"`
	// The stage to build; the last if there is none. A template as args are:
	// windows-{{.WindowsRelease}}.
	Target string `yaml:"target,omitempty"`
	// Build arguments, which are templates: {{.Version}} is the image's version; {{.Revision}},
	// {{.Created}} and {{.SourceVersion}} are its source's; {{.OS}}, {{.Arch}}, {{.Variant}} and
	// {{.WindowsRelease}} (ltsc2022, and nothing for Linux) are those of the platform. One that
	// yields no text for a platform is not given there: the default in the Dockerfile counts. The
	// output of a command has the name $(command), and may be empty.
	Args map[string]string `yaml:"args,omitempty"`
	// The programs in the named context "binaries", as OS_ARCH/NAME[.exe]. All where there are
	// none, and no outputs.
	Programs []string `yaml:"programs,omitempty"`
	// Programs that the Dockerfile copies and something else makes, such as a Makefile: where it
	// expects them, in the context or as STAGE:/PATH in a stage. {{.OS}}, {{.Arch}}, {{.Variant}},
	// {{.Exe}} (.exe on Windows) and {{.Version}} are known; a path of Windows may begin with C:. A
	// stage of which nothing else is copied is not evaluated.
	Outputs map[string]string `yaml:"outputs,omitempty"`
	// Directories that COPY --from can name.
	Contexts map[string]string `yaml:"contexts,omitempty"`
	// How many MiB the instructions may write and unpack in all, for one platform. Without it, an
	// archive that unpacks to more than 256 MiB and 100 times its size is refused, too.
	MaxMiB int `yaml:"maxMiB,omitempty" jsonschema:"minimum=1,maximum=16777216,default=16384"`
	// How many files the instructions may write and unpack in all, for one platform.
	MaxFiles int `yaml:"maxFiles,omitempty" jsonschema:"minimum=1,maximum=100000000,default=400000"`
}

// DockerfileImage is an image that a Dockerfile describes.
type DockerfileImage struct {
	// Source is the Go module that Files, Context and Contexts are in, relative to it. Without one
	// they are absolute.
	Source string
	// Builder builds the Linux platforms: "docker", "podman" or "buildctl"; "" evaluates them.
	Builder string
	// Files maps an operating system to the path of its Dockerfile.
	Files   map[string]string
	Context string            // the directory of the build context
	Target  string            // stage to build; empty is the last
	Args    map[string]string // templates: see On
	// Programs are the Programs in the named context "binaries", as
	// <os>_<arch>/<name>[.exe]; empty means all.
	Programs []string
	// Outputs are programs by the places in which the Dockerfile expects them: see [Output].
	Outputs map[string]string
	// Contexts are further named contexts: directories.
	Contexts map[string]string
	// MaxMiB and MaxFiles bound what the instructions write; 0 is the default.
	MaxMiB, MaxFiles int
}

func (d *DockerfileImage) uses(u *uses) {
	u.allBases = u.allBases || d.Source != "" // which of them, its Dockerfile decides
	add(u.programs, d.Programs...)
	add(u.programs, slices.Collect(maps.Values(d.Outputs))...)
	u.allPrograms = u.allPrograms || len(d.Programs)+len(d.Outputs) == 0
	u.texts = append(u.texts, slices.Collect(maps.Values(d.Args))...)
	for _, file := range d.Files {
		b, _ := regular.Read(file) // build reports one that cannot be read
		u.texts = append(u.texts, string(b))
	}
}

func (c *checker) dockerfileImage(in *imageYAML, i *Image) Content {
	on := i.Built()
	c.args(in.Dockerfile, on)
	if len(on) == 0 && len(i.Platforms) > 0 {
		c.Errorf(&in.Dockerfile, "prebuilt has every platform of image %s: take dockerfile out", in.Name)
	}
	if in.Source == "" && !c.Bad(&in.Source) {
		c.Errorf(in, "source is missing: name the source whose url, revision and licenses label the image")
	}
	d := in.Dockerfile
	at := c.placed(&d.Source)
	out := &DockerfileImage{
		Source: at.module(), Builder: d.Builder, Files: map[string]string{}, Target: d.Target, Args: d.Args,
		Programs: d.Programs, Outputs: d.Outputs, MaxMiB: d.MaxMiB, MaxFiles: d.MaxFiles,
	}
	c.builder(d, on, at)
	c.limit(&d.MaxMiB, 1<<24)
	c.limit(&d.MaxFiles, 100_000_000)
	switch wanted := systems(on); {
	case d.File != "":
		file := at.path(&d.File, d.File, isRegular, "file")
		for _, os := range wanted {
			out.Files[os] = file
		}
	case d.Files != nil && !c.Bad(&d.Files):
		out.Files = c.dockerfiles(in, at, wanted)
	}
	if d.Context != "" {
		out.Context = at.path(&d.Context, d.Context, isDir, "directory")
	}
	for n := range d.Programs {
		c.refer(&d.Programs[n], c.programs)
	}
	c.once(d.Programs)
	c.outputs(d, on)
	if len(d.Contexts) > 0 {
		out.Contexts = c.contexts(d, at)
	}
	return out
}

// builder checks who builds the Linux platforms. What a third party's Dockerfile says would run on
// this machine.
func (c *checker) builder(d *dockerfileYAML, on []platform.Platform, at inSource) {
	switch {
	case d.Builder == "" || c.Bad(&d.Builder):
	case at.module() != "" || at.source.Name != "" && !at.source.Own:
		c.Errorf(&d.Builder, "the Dockerfile is in source %s, which is not the product's own, and builder would run "+
			"it: build the image apart and name it under prebuilt", at.source.Name)
	case !slices.Contains(systems(on), platform.Linux):
		c.Errorf(&d.Builder, "builder is for Linux platforms, and the image builds none: remove builder")
	default:
		for _, place := range slices.Sorted(maps.Keys(d.Outputs)) {
			if strings.Contains(place, ":") && !strings.HasPrefix(strings.ToUpper(place), "C:") {
				c.KeyErrorf(&d.Outputs, place, "a builder evaluates the stage itself: name a path in the context, "+
					"or take the entry out and let the stage make the program")
			}
		}
	}
}

// limit checks a limit that the user has set.
func (c *checker) limit(n *int, most int) {
	if c.Given(n) && !c.Bad(n) && (*n < 1 || *n > most) {
		c.Errorf(n, "%d is not a limit: write a number from 1 to %d", *n, most)
	}
}

// dockerfiles returns the path of the Dockerfile for each operating system.
func (c *checker) dockerfiles(in *imageYAML, at inSource, wanted []string) map[string]string {
	d := in.Dockerfile
	files := map[string]string{}
	for _, os := range slices.Sorted(maps.Keys(d.Files)) {
		if !isOS(os) {
			c.KeyErrorf(&d.Files, os, "unknown operating system %s: use linux or windows", os)
			continue
		}
		files[os] = at.path(yamlfile.Entry(&d.Files, os), d.Files[os], isRegular, "file")
	}
	for _, os := range wanted {
		if _, ok := files[os]; !ok && !c.Given(yamlfile.Entry(&d.Files, os)) {
			c.Errorf(&d.Files, "image %s has no Dockerfile for %s: add one, or restrict the image with platforms",
				in.Name, os)
		}
	}
	return files
}

// contexts returns the directories of further named contexts.
func (c *checker) contexts(d *dockerfileYAML, at inSource) map[string]string {
	all := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(d.Contexts)) {
		switch {
		case name == binaries:
			c.KeyErrorf(&d.Contexts,
				name, "the context binaries contains the programs of slipway.yaml: take another name")
		case name == scratch || slices.Contains(c.bases.list, name):
			c.KeyErrorf(&d.Contexts, name, "%s is a base: take another name, since FROM and --from know both", name)
		case strings.ToLower(name) != name || !fileForm.MatchString(name):
			c.KeyErrorf(&d.Contexts, name, "context %q is malformed: use lower case letters, digits, . _ and -", name)
		}
		all[name] = at.path(yamlfile.Entry(&d.Contexts, name), d.Contexts[name], isDir, "directory")
	}
	return all
}
