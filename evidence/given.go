package evidence

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Given has the paths that a user names to be verified.
type Given struct {
	Directories []string // of releases
	Layouts     []string // of images that were extracted
	Bundles     []string
	Statements  []string // that are signed
}

// Sort sorts arguments by kind: directories, layouts, bundles and statements.
func Sort(args []string) (g Given) {
	g.Statements, args = SplitStatements(args)
	for _, path := range args {
		fi, err := os.Stat(path)
		switch {
		case err != nil || !fi.IsDir():
			g.Bundles = append(g.Bundles, path)
		case bundle.IsImageLayout(path):
			g.Layouts = append(g.Layouts, path)
		default:
			g.Directories = append(g.Directories, path)
		}
	}
	return g
}

// SplitStatements divides paths into those of signed statements and others.
func SplitStatements(paths []string) (signed, others []string) {
	for _, path := range paths {
		if strings.HasSuffix(path, StatementSuffix) {
			signed = append(signed, path)
		} else {
			others = append(others, path)
		}
	}
	return signed, others
}

// Len returns the number of paths that a statement can be about.
func (g Given) Len() int { return len(g.Directories) + len(g.Layouts) + len(g.Bundles) }

// alone reports whether a single bundle is verified: its signatures are verified as it is read,
// so that it is opened once.
func (g Given) alone() bool { return g.Len() == 1 && len(g.Bundles) == 1 }

// FromBundles returns the materials of bundles. Each may have blobs that another one lacks.
func FromBundles(paths []string, bundles []*bundle.Bundle) []Material {
	var all []Material
	for n, b := range bundles {
		all = append(all, FromBundle(paths[n], b, bundles...))
	}
	return all
}

// Verified is the printed result of [Given.Verify].
type Verified struct {
	Bundles     []bundle.Report   `json:"bundles"`
	Layouts     []layoutReport    `json:"layouts,omitempty"`
	Directories []directoryReport `json:"directories,omitempty"`
	// Evidence is nil without a key.
	Evidence *Report `json:"evidence,omitempty"`
}

// layoutReport is an extracted image whose blobs have their digests.
type layoutReport struct {
	Path  string `json:"path"`
	Image string `json:"image"`
	Blobs int    `json:"blobs"`
	Bytes int64  `json:"bytes"`
}

// directoryReport is a directory whose files are those of its checksums.
type directoryReport struct {
	Path string `json:"path"`
	*Files
}

// WriteTable writes a line for each intact bundle; damage is reported as errors.
func (v *Verified) WriteTable(w io.Writer) error {
	intact := 0
	for _, r := range v.Bundles {
		if len(r.Problems) > 0 {
			continue
		}
		intact++
		note := ""
		if r.Note != "" {
			note = "; note: " + r.Note
		}
		if r.Snapshot {
			note += "; it is of a snapshot, which no registry got"
		}
		if len(r.Groups) > 0 {
			note += "; of group " + strings.Join(r.Groups, " and ") + " only"
		}
		switch {
		case r.CompletedBy != "":
			note += "; it is complete with " + r.CompletedBy
		case r.Needs != nil:
			note += "; it is sparse: " + r.Needs.String()
		}
		fmt.Fprintf(w, "%s is intact: %d images, %d blobs, %s%s\n", r.Path, r.Images, r.Blobs, progress.Size(r.Bytes),
			note)
	}
	for _, l := range v.Layouts {
		intact++
		fmt.Fprintf(w, "%s is intact: %s, %d blobs, %s\n", l.Path, l.Image, l.Blobs, progress.Size(l.Bytes))
	}
	for _, d := range v.Directories {
		intact++
		fmt.Fprintf(w, "%s is intact: %d of %d files of SHA256SUMS\n", d.Path, d.Have, d.Of)
		if v.Evidence == nil {
			for _, l := range d.Lists() {
				output.Fprintf(w, "%s\n", l)
			}
		}
	}
	if v.Evidence != nil {
		return v.Evidence.WriteTable(w)
	}
	if intact > 0 {
		fmt.Fprintln(w, "who made it is not proven: -key names the public key of the maintainer")
	}
	return nil
}
