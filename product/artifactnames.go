package product

import (
	"cmp"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/platform"
)

// artifactFields is what templates of file names may use.
type artifactFields struct{ Product, Name, Version, OS, Arch string }

var artifactFieldNames = []string{"Product", "Name", "Version", "OS", "Arch"}

// artifactName evaluates a template that has been checked.
func (p *Product) artifactName(template, name string, on platform.Platform) string {
	if template == "" {
		return name + "." + on.Slug()
	}
	text, _ := p.expandArtifact(template, name, on)
	return text
}

func (p *Product) expandArtifact(template, name string, on platform.Platform) (string, error) {
	return expand(template, artifactFields{p.Name, name, p.Version, on.OS, on.Architecture + on.Variant},
		artifactFieldNames, nil)
}

// DistFiles returns what the names of the files of a release of p are made of.
func (p *Product) DistFiles() distfile.Release {
	r := distfile.Release{Product: p.Name, Version: p.Version, Artifacts: p.ArtifactNames()}
	for _, i := range p.Images {
		r.Images = append(r.Images, i.Name)
	}
	for _, c := range p.Charts {
		r.Charts = append(r.Charts, distfile.Chart(c.Name, c.Version))
	}
	for _, b := range p.Airgap.Bundles {
		r.Bundles = append(r.Bundles, b.Name)
	}
	return r
}

// ArtifactNames returns the names of the files of all artifacts.
func (p *Product) ArtifactNames() (names []string) {
	for _, a := range p.Artifacts {
		for _, on := range a.Platforms {
			for _, f := range p.Files(a, on) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// artifactNames checks the file names that templates yield: no two may be the same, and none may be
// that of another file of the release.
func (c *checker) artifactNames() {
	of := map[string]string{}
	others := c.out.DistFiles()
	others.Artifacts = nil
	taken := append(others.Names(), distfile.Programs, distfile.SBOMs)
	for n := range c.in.Artifacts {
		in, a := &c.in.Artifacts[n], c.out.Artifacts[n]
		for _, on := range a.Platforms {
			for _, f := range c.out.Files(a, on) {
				s := &in.ArchiveName
				if f.Program != "" {
					s = &in.BinaryName
				}
				if !c.artifactFile(s, f, a, on, taken) {
					continue
				}
				what := "artifact " + a.Name + " for " + on.String()
				if other := of[f.Name]; other != "" {
					c.Errorf(s, "%s and %s would be the same file %s: use {{.Name}}, {{.OS}} and {{.Arch}}",
						other, what, f.Name)
				}
				of[f.Name] = what
			}
		}
	}
}

// artifactFile reports whether a file name is good that the template s yields, where other files
// have the names taken.
func (c *checker) artifactFile(s *string, f ArtifactFile, a Artifact, on platform.Platform, taken []string) bool {
	if *s == "" {
		return true
	}
	_, err := c.out.expandArtifact(*s, cmp.Or(f.Program, a.Name), on)
	switch {
	case err != nil:
		c.Errorf(s, "%v", err)
	case !fileForm.MatchString(f.Name) || len(f.Name) > 2*maxName:
		c.Errorf(s, "%q yields the file name %q: start with a letter or digit and use letters, "+
			"digits, . _ and -, at most %d in all", *s, f.Name, 2*maxName)
	case slices.Contains(taken, f.Name) ||
		slices.Contains([]string{".yaml", ".json", ".txt", ".zst", ".sh", ".ps1", ".sarif"}, path.Ext(f.Name)):
		c.Errorf(s, "%q yields the file name %q, which a release may have for another file: choose another", *s, f.Name)
	default:
		return true
	}
	return false
}

// ArtifactFile is one file of an artifact.
type ArtifactFile struct {
	Name    string // in dist/
	Program string // the Program that it is; "" for the archive
}

// Files returns the files that an artifact is on one of its platforms: each program alone, then
// the archive. None if no program of it is for that operating system.
func (p *Product) Files(a Artifact, on platform.Platform) []ArtifactFile {
	var all []ArtifactFile
	exe := ""
	if on.OS == platform.Windows {
		exe = ".exe"
	}
	programs := p.ProgramsOf(a, on)
	if len(programs) == 0 {
		return nil
	}
	if a.Binary {
		for _, name := range programs {
			all = append(all, ArtifactFile{p.artifactName(a.BinaryName, name, on) + exe, name})
		}
	}
	if a.Archive {
		all = append(all, ArtifactFile{Name: p.artifactName(a.ArchiveName, a.Name, on) + "." + a.Formats[on.OS]})
	}
	return all
}

// ProgramsOf names the programs of an artifact that are for a platform.
func (p *Product) ProgramsOf(a Artifact, on platform.Platform) []string {
	return slices.DeleteFunc(slices.Clone(a.Programs), func(name string) bool {
		return !p.Program(name).IsFor(on)
	})
}
