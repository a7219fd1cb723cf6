package github

import (
	"io"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes a line for each file that was sent, and one for the release.
func (p *Published) WriteTable(w io.Writer) error {
	sent := 0
	for _, f := range p.Files {
		if f.Sent {
			sent++
			output.Fprintf(w, "sent: %s (%s)\n", f.Name, progress.Size(f.Size))
		}
	}
	for _, name := range p.Others {
		output.Fprintf(w, "not of this release: %s\n", name)
	}
	for _, name := range p.Resigned {
		output.Fprintf(w, "another signature of the same checksums, which was not verified: %s\n", name)
	}
	what := map[string]string{
		"published": "published", "existed": "was published before, with the same files",
		"draft": "is a complete draft",
	}[p.State]
	if p.State == "published" {
		what += map[bool]string{true: " as the latest release"}[p.Latest] +
			map[bool]string{true: " as a prerelease"}[p.Prerelease]
	}
	_, err := output.Fprintf(w, "%s %s: %s, %d files, %d sent: %s\n", p.Repository, p.Tag, what,
		len(p.Files), sent, p.URL)
	return err
}
