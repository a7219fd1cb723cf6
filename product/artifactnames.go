package product

import (
	"cmp"
	"path"
	"slices"

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
	return expand(template, artifactFields{p.Name, name, p.Version, on.OS, on.Architecture + on.Variant}, artifactFieldNames, nil)
}

// artifactNames checks the file names that templates yield: no two may be the same.
func (c *checker) artifactNames() {
	of := map[string]string{}
	for n := range c.in.Artifacts {
		in, a := &c.in.Artifacts[n], c.out.Artifacts[n]
		for _, on := range a.Platforms {
			for _, f := range c.out.Files(a, on) {
				s := &in.ArchiveName
				if f.Program != "" {
					s = &in.BinaryName
				}
				if !c.artifactFile(s, f, a, on) {
					continue
				}
				what := "artifact " + a.Name + " for " + on.String()
				if other := of[f.Name]; other != "" {
					c.Errorf(s, "%s and %s would be the same file %s: use {{.Name}}, {{.OS}} and {{.Arch}}", other, what, f.Name)
				}
				of[f.Name] = what
			}
		}
	}
}

// artifactFile reports whether a file name is good that the template s yields.
func (c *checker) artifactFile(s *string, f ArtifactFile, a Artifact, on platform.Platform) bool {
	if *s == "" {
		return true
	}
	_, err := c.out.expandArtifact(*s, cmp.Or(f.Program, a.Name), on)
	switch {
	case err != nil:
		c.Errorf(s, "%v", err)
	case !fileForm.MatchString(f.Name) || len(f.Name) > 2*maxName:
		c.Errorf(s, "%q yields the file name %q: start with a letter or digit and use letters, digits, . _ and -, at most %d in all", *s, f.Name, 2*maxName)
	case f.Name == "SHA256SUMS" || f.Name == "index.html" || slices.Contains([]string{".yaml", ".json", ".txt", ".zst", ".sh", ".ps1", ".sarif"}, path.Ext(f.Name)):
		c.Errorf(s, "%q yields the file name %q, which a release may have for another file: choose another", *s, f.Name)
	default:
		return true
	}
	return false
}
