package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// block is a block of shell commands in a page.
type block struct {
	page  string // its path in the repository, and #HEADING where a section has a machine of its own
	line  int
	text  string
	shown string // what it prints, by a block of no language right after it
}

// first is the first line, by which tables name a block.
func (b block) first() string {
	line, _, _ := strings.Cut(b.text, "\n")
	return line
}

// shells are the languages of blocks that are commands. Whoever names another one means the same.
var shells = []string{"sh", "bash", "shell", "zsh", "console", "shell-session", "terminal", "powershell", "pwsh"}

// blocks returns the blocks of shell commands of all pages of the repository in their order. Text
// of tests is not a page, and decisions also describe what was rejected.
func blocks(t *testing.T) (all []block) {
	t.Helper()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." &&
			(d.Name()[0] == '.' || slices.Contains([]string{"adr", "dist", "site", "testdata"}, d.Name())):
			return fs.SkipDir
		case path.Ext(file) != ".md":
			return nil
		}
		source, err := fs.ReadFile(root, file)
		all = append(all, find(file, source, func(section string) bool { _, ok := pages[section]; return ok })...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// find returns the blocks of a page. own reports whether a section, FILE#HEADING with a heading of
// the second level, has a machine of its own.
func find(file string, source []byte, own func(section string) bool) (all []block) {
	at := file
	page := goldmark.DefaultParser().Parse(text.NewReader(source))
	ast.Walk(page, func(n ast.Node, entering bool) (ast.WalkStatus, error) { //nolint:errcheck // it returns none
		if h, ok := n.(*ast.Heading); ok && entering && h.Level == 2 {
			at = file
			if section := file + "#" + string(h.Lines().Value(source)); own(section) {
				at = section
			}
		}
		code, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering || !slices.Contains(shells, strings.ToLower(string(code.Language(source)))) {
			return ast.WalkContinue, nil
		}
		b := block{
			page: at, line: 1 + bytes.Count(source[:code.Info.Segment.Start], []byte("\n")),
			text: lines(code, source),
		}
		if next, ok := code.NextSibling().(*ast.FencedCodeBlock); ok && next.Info == nil {
			b.shown = lines(next, source)
		}
		all = append(all, b)
		return ast.WalkContinue, nil
	})
	return all
}

func lines(code *ast.FencedCodeBlock, source []byte) string {
	var b bytes.Buffer
	for _, line := range code.Lines().Sliced(0, code.Lines().Len()) {
		b.Write(line.Value(source))
	}
	return b.String()
}

// TestFind finds blocks wherever Markdown may have them.
func TestFind(t *testing.T) {
	const page = "# Page\n\n```sh\none\n```\n\n```\nout\n```\n\n1. An item:\n\n   ````sh\n   two\n   ```\n " +
		"  ````\n\n> ~~~ bash title=x\n> three\n> ~~~\n\n```yaml\nno: 1\n```\n\n    ```sh\n    indented text\n    ```\n\n## Other\n\n```sh\nfour\n```\n\n" +
		"### Of it\n\n```sh\nfive\n```\n\n## Last\n\n```sh\nsix\n```\n"
	want := []block{
		{"p", 3, "one\n", "out\n"},
		{"p", 13, "two\n```\n", ""},
		{"p", 18, "three\n", ""},
		{"p#Other", 32, "four\n", ""},
		{"p#Other", 38, "five\n", ""},
		{"p", 44, "six\n", ""},
	}
	if got := find("p", []byte(page), func(s string) bool { return s == "p#Other" }); !slices.Equal(got, want) {
		t.Errorf("found %+v, want %+v", got, want)
	}
}
