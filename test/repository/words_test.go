package repository

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// turns are the words and turns of phrase that CONTRIBUTING.md asks to avoid, and what to write.
var turns = []struct {
	avoid   *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\b(is|are|was|were|be) no\b`), "is not a, lacks"},
	{regexp.MustCompile(`(?i)\b(has|have|had) none\b`), "lacks, does not have"},
	{regexp.MustCompile(`(?i)\bknow(s)? nothing of\b`), "does not know"},
	{regexp.MustCompile(`(?i)\bwhat (is|are|was|were)\b`), "the noun itself"},
	{regexp.MustCompile(`(?i)\bthat which\b`), "the noun itself"},
	{regexp.MustCompile(`(?i)\bnot known here\b`), "is not supported, is unknown"},
	{regexp.MustCompile(`(?i)\bsay(s)? of\b`), "reports, marks … as"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) said\b`), "is reported, is stated"},
	{regexp.MustCompile(`(?i)\bthe ones? (that|which|whose)\b`), "the noun itself"},
	{regexp.MustCompile(`(?i)\bbeside\b`), "next to"},
	{regexp.MustCompile(`(?i)\bstands? (in|on|for)\b`), "is in, is built on, means"},
	{regexp.MustCompile(`(?i)\bholds? \S+ (\S+ )?against\b`), "compares … with"},
	{regexp.MustCompile(`(?i)\bleft out\b`), "omitted"},
	{regexp.MustCompile(`(?i)\bfailed to\b`), "the gerund: pushing …"},
	{regexp.MustCompile(`(?i)\bof no use\b`), "has no effect"},
	{regexp.MustCompile(`(^|[.?!] )(It|They) [a-z]`), "the subject itself, at the beginning of a sentence"},
}

// text is a comment, a string of Go or a paragraph of a page.
type text struct {
	file string
	line int
	text string
}

// left are the turns that rooms have for a reason: image writes "It cannot run." into the layer
// of a stub base, whose bytes stay.
var left = map[string]int{"image": 1}

// TestWords looks for the turns in comments, strings and pages. WORDS names a room or a file whose
// turns are listed.
func TestWords(t *testing.T) {
	found := map[string][]string{}
	for _, x := range append(goTexts(t), pageTexts(t)...) {
		for _, turn := range turns {
			for _, is := range turn.avoid.FindAllString(x.text, -1) {
				room, _, _ := strings.Cut(x.file, "/")
				found[room] = append(found[room], fmt.Sprintf("%s:%d: %q: write %s", x.file, x.line, is, turn.instead))
			}
		}
	}
	for room, lines := range found {
		if len(lines) > left[room] {
			t.Errorf("%s has %d turns that CONTRIBUTING.md asks to avoid, and may have %d:\n%s", room, len(lines),
				left[room], strings.Join(lines, "\n"))
		}
		if only := os.Getenv("WORDS"); only != "" && strings.HasPrefix(only, room) {
			for _, line := range lines {
				if strings.HasPrefix(line, only) {
					t.Error(line)
				}
			}
		}
	}
	for room, n := range left {
		if len(found[room]) < n {
			t.Errorf("%s has %d turns: write that number into left", room, len(found[room]))
		}
	}
}

// goTexts returns the comments and strings of the Go files that are not tests.
func goTexts(t *testing.T) (all []text) {
	t.Helper()
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		add := func(pos token.Pos, s string) {
			all = append(all, text{f.path, f.set.Position(pos).Line, s})
		}
		for _, g := range f.Comments {
			add(g.Pos(), strings.Join(strings.Fields(g.Text()), " "))
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil && strings.Contains(s, " ") {
					add(l.Pos(), strings.Join(strings.Fields(s), " "))
				}
			}
			return true
		})
	}
	return all
}

// pageTexts returns the paragraphs and list items of the pages in Markdown, without code blocks.
func pageTexts(t *testing.T) (all []text) {
	t.Helper()
	for _, x := range pageBlocks(t) {
		if !strings.HasPrefix(x.text, "|") {
			all = append(all, x)
		}
	}
	return all
}

var listItem = regexp.MustCompile(`^\s*([-*]|\d+\.) `)

// pageBlocks returns the paragraphs, list items and rows of tables of the pages in Markdown.
func pageBlocks(t *testing.T) (all []text) {
	t.Helper()
	walk(t, func(rel string) error {
		if filepath.Ext(rel) != ".md" || strings.HasPrefix(rel, "docs/adr/") || strings.Contains(rel, "testdata") {
			return nil
		}
		page, err := os.ReadFile(filepath.Join(root, rel))
		if err != nil {
			return err
		}
		code, begin, paragraph := false, 0, ""
		end := func() {
			if paragraph != "" {
				all = append(all, text{rel, begin, strings.TrimSpace(paragraph)})
			}
			paragraph = ""
		}
		for n, line := range strings.Split(string(page), "\n") {
			fence := strings.HasPrefix(strings.TrimSpace(line), "```")
			row, heading := strings.HasPrefix(line, "|"), strings.HasPrefix(line, "#")
			if fence || code || row || heading || strings.TrimSpace(line) == "" || listItem.MatchString(line) {
				end()
			}
			if fence {
				code = !code
			} else if !code && !heading {
				if paragraph == "" {
					begin = n + 1
				}
				paragraph += " " + strings.TrimSpace(line)
			}
			if row {
				end()
			}
		}
		end()
		return nil
	})
	return all
}

// generated are the pages that other tests write. Of docs/packages.md and docs/init.md they write
// tables.
var generated = []string{"docs/results/", "docs/rules.md", "docs/reference.md", "docs/commands.md", "docs/json.md"}

const longestSentence = 35

// TestSentences looks for sentences of more words than a reader keeps in mind. A code span is one
// word.
func TestSentences(t *testing.T) {
	rooms, walks := lineOf(t, "docs/packages.md", "## The rooms"), lineOf(t, "docs/packages.md", "## Walks")
	shapes := lineOf(t, "docs/init.md", "<!-- shapes: go test ./scaffold -update -->")
	for _, x := range pageBlocks(t) {
		written := func(prefix string) bool { return strings.HasPrefix(x.file, prefix) }
		if slices.ContainsFunc(generated, written) || x.file == "docs/init.md" && shapes < x.line ||
			x.file == "docs/packages.md" && rooms < x.line && x.line < walks {
			continue
		}
		for _, sentence := range sentences(x.text) {
			if n := len(strings.Fields(sentence)); n > longestSentence {
				t.Errorf("%s:%d: %d words: %s", x.file, x.line, n, sentence)
			}
		}
	}
}

// lineOf returns the number of the line of a page.
func lineOf(t *testing.T, page, line string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	n := slices.Index(strings.Split(string(b), "\n"), line) + 1
	if n == 0 {
		t.Fatalf("%s has no line %q", page, line)
	}
	return n
}

var (
	codeSpan    = regexp.MustCompile("`+[^`]+`+")
	link        = regexp.MustCompile(`\]\([^)]*\)`)
	cellEnd     = regexp.MustCompile(`\s*\|\s*`)
	sentenceEnd = regexp.MustCompile(`[.?!][)*_"]*\s+([^a-z\s]|$)`)
)

// sentences returns the sentences of a paragraph, a list item or a row, with one word for each
// code span.
func sentences(block string) (all []string) {
	block = codeSpan.ReplaceAllString(block, "CODE")
	block = link.ReplaceAllString(block, "]")
	cells := []string{block}
	if strings.HasPrefix(block, "|") {
		cells = cellEnd.Split(block, -1)
	}
	for _, cell := range cells {
		for at := sentenceEnd.FindStringSubmatchIndex(cell); at != nil; at = sentenceEnd.FindStringSubmatchIndex(cell) {
			all = append(all, cell[:at[2]])
			cell = cell[at[2]:]
		}
		all = append(all, cell)
	}
	return all
}
