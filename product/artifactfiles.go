package product

import (
	"slices"

	"github.com/slipway-dev/slipway/platform"
)

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
