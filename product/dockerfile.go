package product

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// binaries is the named context of Dockerfiles that holds the programs of slipway.yaml.
const binaries = "binaries"

func (c *checker) dockerfile(in *imageYAML, i *Image) {
	d := in.Dockerfile
	i.Dockerfile = &DockerfileImage{
		Files: map[string]string{}, Target: d.Target, Args: d.Args, Programs: d.Programs,
	}
	switch wanted := systems(i.Platforms); {
	case d.File != "":
		file := c.regular(&d.File)
		for _, os := range wanted {
			i.Dockerfile.Files[os] = file
		}
	case d.Files != nil && !c.Bad(&d.Files):
		i.Dockerfile.Files = c.dockerfiles(in, wanted)
	}
	if d.Context != "" {
		i.Dockerfile.Context = c.directory(&d.Context)
	}
	for n := range d.Programs {
		c.refer(&d.Programs[n], c.programs)
	}
	c.once(d.Programs)
	if len(d.Contexts) > 0 {
		i.Dockerfile.Contexts = c.contexts(d)
	}
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
		full, why := c.look(d.Files[os], isRegular, "file")
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
			c.KeyErrorf(&d.Contexts, name, "the context binaries holds the programs of slipway.yaml: take another name")
		case name == scratch || slices.Contains(c.bases.list, name):
			c.KeyErrorf(&d.Contexts, name, "%s is a base: take another name, since FROM and --from know both", name)
		case strings.ToLower(name) != name || !fileForm.MatchString(name):
			c.KeyErrorf(&d.Contexts, name, "context %q is malformed: use lower case letters, digits, . _ and -", name)
		}
		full, why := c.look(d.Contexts[name], isDir, "directory")
		if why != "" {
			c.Errorf(yamlfile.Entry(&d.Contexts, name), "%s", why)
		}
		all[name] = full
	}
	return all
}
