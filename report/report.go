// Package report makes a page about a release: one HTML file that needs nothing from elsewhere and
// is readable without JavaScript.
//
// [Read] takes the directory of a release, its lock, or a bundle; what that does not state, the
// page reports as unknown. Equal releases give equal bytes. Every text that others wrote is
// escaped twice: [output.Line] for what a reader would not see, such as bidi controls, and
// html/template for what a browser would interpret.
//
// Tests and scripts read the page by its document: body has data-product, data-version and
// data-snapshot; #proof has data-keys, fingerprints with spaces between them. Sections are
// #changes, #images, #names, #layers, #bundles, #inputs, #others, #modules, #licenses, #nodes,
// #findings and #run. A cell of #images is tr[data-image] > td[data-platform][data-bytes], with a
// digest; a digest is [data-copy], in full, everywhere. Bundles are tr[data-file][data-bytes],
// findings .finding[data-rule][data-severity][data-object][data-file][data-line], pods and images
// on nodes .runner[data-what], steps .step[data-step][data-begin][data-end] in seconds, and
// changes .why[data-image], .moved[data-name] and .size[data-image][data-platform][data-bytes].
package report

import (
	"embed"
	"html/template"
	"io"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Name is the name of the page in dist/.
const Name = distfile.Page

//go:embed html/*.html style.css script.js
var files embed.FS

// Write writes the page of a release. With base it compares the two.
func Write(w io.Writer, r, base *Release) error {
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"size":   progress.Size,
		"signed": signed,
		"text":   output.Line,
		"css":    func() (template.CSS, error) { return asset[template.CSS]("style.css") },
		"js":     func() (template.JS, error) { return asset[template.JS]("script.js") },
	}).ParseFS(files, "html/*.html")
	if err != nil {
		return err
	}
	return t.Execute(w, newPage(r, base))
}

// asset returns a file of this package as what a template takes unescaped.
func asset[T ~string](name string) (T, error) {
	b, err := files.ReadFile(name)
	return T(b), err
}

// signed writes a difference of sizes with its sign: +1.2 MB.
func signed(n int64) string {
	switch {
	case n > 0:
		return "+" + progress.Size(n)
	case n < 0:
		return "−" + progress.Size(-n)
	}
	return "0"
}
