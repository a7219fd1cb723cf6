package render

import (
	"fmt"
	"strings"

	"carvel.dev/ytt/pkg/cmd/template"
	"carvel.dev/ytt/pkg/cmd/ui"
	"carvel.dev/ytt/pkg/files"

	"github.com/slipway-dev/slipway/render/renderer"
)

// Templates are evaluated by package renderer, which bounds it.
var evaluateTemplates = renderer.Register("documents of templates", evaluateHere)

// evaluation has the files that ytt reads.
type evaluation struct {
	Product string // the path of slipway.yaml
	Files   []templateFile
	Values  []byte // YAML; empty if there are none
}

// templateFile is a file as ytt knows it, a [files.Source].
type templateFile struct {
	Path, Shown, Described string
	Text                   []byte
}

// Description implements [files.Source]: it is what ytt calls the file on the disk.
func (f templateFile) Description() string { return f.Described }

// RelativePath implements [files.Source].
func (f templateFile) RelativePath() (string, error) { return f.Path, nil }

// Bytes implements [files.Source].
func (f templateFile) Bytes() ([]byte, error) { return f.Text, nil }

// evaluateHere runs ytt.
func evaluateHere(e evaluation) (made evaluated, err error) {
	origin := map[string]string{}
	var input []*files.File
	for _, t := range e.Files {
		origin[t.Path] = t.Shown
		renderer.At(t.Shown)
		f, err := files.NewFileFromSource(t)
		if err == nil {
			f, err = plain(f, origin)
		}
		if err != nil {
			return made, err
		}
		input = append(input, f)
	}
	opts := template.NewOptions()
	if len(e.Values) > 0 {
		opts.DataValuesFlags.FromFiles = []string{valuesFile}
		opts.DataValuesFlags.ReadFilesFunc = func(string) ([]*files.File, error) {
			return []*files.File{files.MustNewFileFromSource(files.NewBytesSource(valuesFile, e.Values))}, nil
		}
	}
	// ytt panics on some templates that it should refuse.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rendering the templates of %s: ytt cannot read them: %v", e.Product, r)
		}
	}()
	warned := &warnings{}
	out := opts.RunWithFiles(template.Input{Files: files.NewSortedFiles(input)},
		begins{ui.NewCustomWriterTTY(false, warned, warned), origin, new(string)})
	made.Warnings = warned.lines
	if out.Err != nil {
		return made, fmt.Errorf("rendering the templates of %s: %w", e.Product, yttFault(out.Err, origin))
	}
	made.indexes = map[string]int{}
	made.Documents, err = made.pack(out.DocSet)
	return made, err
}

// begins reads the files that ytt begins from what it logs.
type begins struct {
	ui.UI

	origin   map[string]string
	template *string // the last one that is not a library
}

// Debugf implements [ui.UI].
func (b begins) Debugf(format string, args ...any) {
	if !strings.HasPrefix(format, "## file %s") || len(args) == 0 {
		return
	}
	name := fmt.Sprint(args[0])
	shown, ok := b.origin[name]
	switch {
	case !ok:
	case !strings.HasSuffix(name, ".star") && !strings.Contains(name, ".lib."):
		*b.template = shown
		renderer.At(shown)
	case *b.template == "":
		renderer.At(shown)
	default:
		renderer.At(*b.template + ", or " + shown + " that it loads")
	}
}

// warnings collects lines.
type warnings struct{ lines []string }

func (w *warnings) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		w.lines = append(w.lines, strings.TrimRight(line, "\n"))
	}
	return len(b), nil
}
