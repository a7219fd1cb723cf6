//go:build linux

package explore

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/crane"
)

// apart matches values that divide a reference.
var apart = regexp.MustCompile(`repository: (\S+)\n\s*tag: (\S+)`)

// chartsResolve checks that every image that an archive of a chart names by digest is in the
// registry, by the reference that the chart has.
func (w *world) chartsResolve(dir string) {
	for _, c := range w.locked(dir).Charts {
		refs := pinnedAt.FindAllStringSubmatch(w.chartText(dir+"/"+c.File.Name), -1)
		if len(refs) == 0 {
			w.fail(nil, "chart %s names no image by digest", c.Name)
		}
		for _, ref := range refs {
			if !strings.HasPrefix(ref[1], w.host) {
				continue
			}
			if _, err := crane.Digest(ref[1]+"@"+ref[3], crane.Insecure); err != nil {
				w.fail(nil, "chart %s names %s: %v", c.Name, ref[0], err)
			}
		}
	}
}

// chartText is the text of all files of an archive, and of the values that divide a reference
// into repository and tag, as charts put them together.
func (w *world) chartText(name string) string {
	f, err := os.Open(w.path(name))
	must(w.t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(w.t, err)
	var b strings.Builder
	for files := tar.NewReader(z); ; {
		_, err := files.Next()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		must(w.t, err)
		text, err := io.ReadAll(files)
		must(w.t, err)
		b.Write(text)
		b.WriteString("\n" + apart.ReplaceAllString(string(text), "$1:$2") + "\n")
	}
}
