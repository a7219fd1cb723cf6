package product

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Forms and formats of artifacts.
const (
	formArchive = "archive"
	formBinary  = "binary"
	formatTar   = "tar.gz"
	formatZip   = "zip"
)

func (c *checker) artifacts() {
	in := c.in.Artifacts
	c.collect("artifact", &c.in.Artifacts, each(in, func(a *artifactYAML) *string { return &a.Name }), fileForm)
	alone := map[string]bool{} // programs that are files of their own
	for i := range in {
		c.out.Artifacts = append(c.out.Artifacts, c.artifact(&in[i], alone))
	}
}

// artifactPlatforms returns the platforms of an artifact, sorted and without Windows releases:
// those of the release, and others that Go compiles for.
func (c *checker) artifactPlatforms(names []string) []platform.Platform {
	if len(names) == 0 {
		return platform.Systems(c.out.Platforms)
	}
	var all []platform.Platform
	for i := range names {
		if names[i] == "" {
			continue
		}
		found, err := pick(names[i], c.out.Platforms)
		if err != nil && !isOS(names[i]) && !strings.Contains(names[i], ":") {
			var p platform.Platform
			p, err = platform.ParsePort(names[i])
			found = []platform.Platform{p}
		} else if err != nil && c.partly() {
			continue
		}
		if err != nil {
			c.Errorf(&names[i], "%v", err)
			continue
		}
		all = append(all, found...)
	}
	all = platform.Systems(all)
	platform.Sort(all)
	return all
}

func (c *checker) artifact(in *artifactYAML, alone map[string]bool) Artifact {
	a := Artifact{
		Name: in.Name, Programs: in.Programs, Directory: in.Directory,
		Binary:    slices.Contains(in.Forms, formBinary),
		Archive:   len(in.Forms) == 0 || slices.Contains(in.Forms, formArchive),
		Platforms: c.artifactPlatforms(in.Platforms), ArchiveName: in.ArchiveName, BinaryName: in.BinaryName,
	}
	c.once(in.Programs)
	c.once(in.Forms)
	for n := range in.Programs {
		c.artifactProgram(&in.Programs[n], a, alone)
	}
	if d := in.Directory; d != "" && (!filepath.IsLocal(d) || strings.Contains(d, `\`) || path.Clean(d) != d) {
		c.Errorf(&in.Directory, "directory %q is malformed: write a path within the archive, such as bin", d)
	}
	a.Formats = c.formats(in, a)
	at := c.placed(&in.Source)
	a.Source, a.Files = at.module(), c.artifactFiles(in, a, at)
	return a
}

// artifactProgram reports a program that is unknown, is for none of the artifact's systems, or
// would be the same file as another's.
func (c *checker) artifactProgram(s *string, a Artifact, alone map[string]bool) {
	if !c.refer(s, c.programs) {
		return
	}
	p := c.out.Program(*s)
	if only := p.systems(); len(only) > 0 && !slices.ContainsFunc(a.Platforms, p.IsFor) && !c.partly() {
		c.Errorf(s, "program %s is for %s only, and the artifact is not: take it out, or add a platform",
			p.Name, strings.Join(only, " and "))
	}
	if a.Binary && alone[*s] {
		c.Errorf(s, "program %s is a file of its own in another artifact: take form %s out of one", *s, formBinary)
	}
	alone[*s] = alone[*s] || a.Binary
}

func (c *checker) formats(in *artifactYAML, a Artifact) map[string]string {
	if !a.Archive {
		if c.Given(&in.Formats) || c.Given(&in.Directory) || c.Given(&in.Files) {
			c.Errorf(in, "formats, directory and files are for archives: add %s to forms, or take them out",
				formArchive)
		}
		return nil
	}
	all := map[string]string{}
	for _, os := range systems(a.Platforms) {
		all[os] = formatTar
		if os == platform.Windows {
			all[os] = formatZip
		}
	}
	for _, os := range slices.Sorted(maps.Keys(in.Formats)) {
		f := in.Formats[os]
		c.ofSystem(&in.Formats, os, a)
		if f != formatTar && f != formatZip {
			c.Errorf(yamlfile.Entry(&in.Formats, os), "unknown format %q: %s",
				f, yamlfile.Suggest(f, []string{formatTar, formatZip}))
		}
		all[os] = f
	}
	return all
}

func (c *checker) artifactFiles(in *artifactYAML, a Artifact, at inSource) map[string]string {
	all := map[string]string{}
	for _, os := range slices.Sorted(maps.Keys(in.Files)) {
		c.ofSystem(&in.Files, os, a)
		all[os] = at.path(yamlfile.Entry(&in.Files, os), in.Files[os], isDir, "directory")
	}
	return all
}

// ofSystem reports a key that is not one of the artifact's operating systems.
func (c *checker) ofSystem(of any, os string, a Artifact) {
	if !slices.Contains(systems(a.Platforms), os) && !c.partly() {
		c.KeyErrorf(of, os, "the artifact is not for %s: take it out, or add a platform", os)
	}
}
