package lock

import (
	"cmp"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// Prebuilt is a program for one platform that the release contains and that it did not compile.
type Prebuilt struct {
	Name string `json:"name"` // as in slipway.yaml
	// Platform names no Windows release: windows/amd64.
	Platform platform.Platform `json:"platform"`
	Digest   v1.Hash           `json:"digest"`
	Size     int64             `json:"size"`
	// From is the path or URL that slipway.yaml has. With Member it is that of an archive, whose
	// digest is ArchiveDigest.
	From          string  `json:"from"`
	Member        string  `json:"member,omitempty"`
	ArchiveDigest v1.Hash `json:"archiveDigest,omitzero"`
}

// Compiler is a C or C++ compiler that the programs for a platform were compiled with, by CGO. Its
// version is an input, as that of Go is.
type Compiler struct {
	Platform platform.Platform `json:"platform"` // without a Windows release
	Command  string            `json:"command"`
	Version  string            `json:"version"` // the first line that --version prints
}

// String describes the program in a line: "wins for windows/amd64 from signed/wins.exe".
func (p Prebuilt) String() string {
	from := p.From
	if p.Member != "" {
		from = p.Member + " in " + from
	}
	return fmt.Sprintf("%s for %s from %s", p.Name, p.Platform, from)
}

// Same reports whether another is the same program for the same platform, whatever its digest.
func (p Prebuilt) Same(o Prebuilt) bool { return p.Name == o.Name && p.Platform == o.Platform }

func checkPrebuilt(list []Prebuilt) error {
	for _, p := range list {
		if p.Name == "" || p.Digest == (v1.Hash{}) {
			return fmt.Errorf("program %q: its name or digest is missing", p.Name)
		}
	}
	return nil
}

// SortCompilers sorts compilers by platform and command.
func SortCompilers(list []Compiler) {
	slices.SortFunc(list, func(a, b Compiler) int {
		return cmp.Or(platform.Compare(a.Platform, b.Platform), cmp.Compare(a.Command, b.Command),
			cmp.Compare(a.Version, b.Version))
	})
}

// SortPrebuilt sorts programs by name and platform.
func SortPrebuilt(list []Prebuilt) {
	slices.SortFunc(list, func(a, b Prebuilt) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), platform.Compare(a.Platform, b.Platform))
	})
}
