package lint

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Finding is one place that breaks a rule.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Image    string   `json:"image,omitempty"`  // the reference, or the archive and the reference in it
	Object   string   `json:"object,omitempty"` // Deployment kpack/kpack-controller; "" for a finding about a comment
	// spec.template.spec.containers[0].securityContext.privileged
	Path    string `json:"path,omitempty"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	What    string `json:"what"`    // the message
	Instead string `json:"instead"` // what to write instead
	Link    string `json:"link"`
	Reason  string `json:"reason,omitempty"` // why it is allowed, if it is
	// Origin is the place in a template that the line was rendered from: config/app.yaml:12.
	Origin string `json:"origin,omitempty"`
	// Cases are the sets of values with which a chart has the finding: "" if it has it with its
	// own.
	Cases string `json:"cases,omitempty"`

	object    int      // its number, -1 for none
	entry     int      // of an index, counted from 1; 0 for none
	allowedIn string   // "inSource" by a comment, "external" by slipway.yaml
	folds     bool     // text output shows one of its rule for each file
	cases     []string // the names of those that have it, of a chart
}

// Report is the result of [Check].
type Report struct {
	Files    []string  `json:"files"`
	Objects  int       `json:"objects"`
	Pods     int       `json:"pods"`             // pod templates, and kpack's Images and Builds
	Images   int       `json:"images,omitempty"` // of registries and archives
	Findings []Finding `json:"findings"`         // sorted by place
	// those that a comment or slipway.yaml allows, sorted by place
	Allowed []Finding `json:"allowed"`
	// Unchecked names the checks that were skipped, and why; "" if there are none.
	Unchecked string `json:"unchecked,omitempty"`
	// Unread are the parts of images that a registry or a disk did not deliver, and Skipped those
	// that were not read on purpose.
	Unread  []Unknown `json:"unread,omitempty"`
	Skipped []Unknown `json:"skipped,omitempty"`
	// Made is what a chart makes, by case: where findings have their lines.
	Made []File `json:"-"`

	named map[string]bool       // images of the product that the manifests name
	used  map[yamlfile.Pos]bool // entries of lint.allow that allow something
}

func newReport(files []string) *Report {
	return &Report{
		Files: files, Findings: []Finding{}, Allowed: []Finding{},
		named: map[string]bool{}, used: map[yamlfile.Pos]bool{},
	}
}

// sort sorts findings by place.
func (r *Report) sort() {
	for _, list := range [][]Finding{r.Findings, r.Allowed} {
		slices.SortStableFunc(list, func(a, b Finding) int {
			return cmp.Or(
				slices.Index(r.Files, a.File)-slices.Index(r.Files, b.File),
				cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
				cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule),
			)
		})
	}
}

// Count returns the number of findings of a severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// String returns the finding in a line, as errors have it: file:line:column, object, field,
// message, remedy.
func (f Finding) String() string {
	return fmt.Sprintf("%s%s; instead: %s%s [%s]", f.place(), f.What, plain(f.Instead), f.inCases(), f.Rule)
}

// place returns how a line begins: place, image, object, path.
func (f Finding) place() string {
	place := f.pos() + ": "
	if where := f.where(); where != "" {
		place += where + ": "
	}
	return place
}

// inCases returns the part of a line about the cases of a chart.
func (f Finding) inCases() string {
	if f.Cases == "" {
		return ""
	}
	return " (case " + f.Cases + ")"
}

// where returns image, object and path, as far as the finding has them. An image that is the file
// itself is omitted.
func (f Finding) where() string {
	parts := []string{f.Image, f.Object, f.Path}
	if f.Image == f.File {
		parts[0] = ""
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// pos returns the place in the template or, if it is not known, in the manifest.
func (f Finding) pos() string {
	if f.Line == 0 { // an image that has no place in a file
		return cmp.Or(f.Origin, f.File)
	}
	return cmp.Or(f.Origin, yamlfile.Pos{File: f.File, Line: f.Line, Column: f.Column}.String())
}

// sentence starts a text with a capital, unless it starts with a name, and adds a full stop.
func sentence(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if lower.MatchString(word) {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s + "."
}

var lower = lazyregexp.New(`^[a-z]+$`)

// plain removes Markdown from a rule's text.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }

// WriteTable writes the findings for a person, in the file's order, and a line that counts them.
// Advice that is the same for every pod is written once.
func (r *Report) WriteTable(w io.Writer) error { return r.write(w, false) }

// WriteAll is [Report.WriteTable] with every finding.
func (r *Report) WriteAll(w io.Writer) error { return r.write(w, true) }

func (r *Report) write(w io.Writer, verbose bool) error {
	var b strings.Builder
	for _, f := range r.Folded(verbose) {
		f.write(&b)
		if f.More > 0 {
			fmt.Fprintf(&b, "  … and %s; -v lists them\n", f.others())
		}
	}
	for _, u := range append(slices.Clone(r.Unread), r.Skipped...) {
		fmt.Fprintf(&b, "%s\n", u)
	}
	fmt.Fprintf(&b, "%s\n", r.Summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteFindings writes findings for a person, as [Report.WriteTable] has them.
func WriteFindings(w io.Writer, all []Finding) error {
	var b strings.Builder
	for _, f := range all {
		f.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes the finding for a person.
func (f Finding) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s: %s%s [%s]\n", f.pos(), f.Severity, f.What, f.inCases(), f.Rule)
	if where := f.where(); where != "" {
		fmt.Fprintf(b, "  in       %s\n", where)
	}
	fmt.Fprintf(b, "  instead  %s\n  see      %s\n", plain(f.Instead), f.Link)
}

// Fold is a finding that represents More others of its rule, in Files files with its own.
type Fold struct {
	Finding
	More, Files int
}

// others says how many other findings there are, and where.
func (f Fold) others() string {
	if f.Files > 1 {
		return fmt.Sprintf("%d more in %d files", f.More, f.Files)
	}
	return fmt.Sprintf("%d more in this file", f.More)
}

// String returns the line of the finding and how many others there are.
func (f Fold) String() string {
	if f.More == 0 {
		return f.Finding.String()
	}
	return fmt.Sprintf("%s (and %s; slipway lint -v lists them)", f.Finding, f.others())
}

// Folded returns the findings. Of advice that is the same for every pod, it has the first of each
// rule, unless verbose is set.
func (r *Report) Folded(verbose bool) []Fold {
	var list []Fold
	first := map[string]int{}   // by rule
	last := map[string]string{} // file with a finding, by rule: findings are sorted by file
	for _, f := range r.Findings {
		if !f.folds || verbose {
			list = append(list, Fold{Finding: f, Files: 1})
			continue
		}
		n, ok := first[f.Rule]
		if !ok {
			n = len(list)
			first[f.Rule] = n
			list = append(list, Fold{Finding: f})
		} else {
			list[n].More++
		}
		if last[f.Rule] != f.File {
			list[n].Files++
		}
		last[f.Rule] = f.File
	}
	return list
}

// Severities are those of findings, the most serious first.
var Severities = []Severity{Error, Warning, Note}

// Counts returns how many findings there are of a severity and of the more serious ones: "2 errors,
// 1 note", and "" for none.
func (r *Report) Counts(least Severity) string {
	var parts []string
	for _, s := range Severities[:slices.Index(Severities, least)+1] {
		if n := r.Count(s); n > 0 {
			parts = append(parts, plural(n, string(s)))
		}
	}
	return strings.Join(parts, ", ")
}

// Summary returns the number of findings in one line.
func (r *Report) Summary() string {
	counts := cmp.Or(r.Counts(Note), "nothing found")
	if n := len(r.Allowed); n > 0 {
		counts += fmt.Sprintf("; %d allowed", n)
	}
	where := plural(r.Pods, "pod") + " of " + r.Title()
	if r.Images > 0 || r.Objects == 0 { // an audit counts no objects
		where = r.Title()
	}
	if n := len(r.Unread); n > 0 {
		counts += fmt.Sprintf("; %d could not be read", n)
	}
	line := counts + " in " + where
	if r.Unchecked != "" {
		line += "; " + r.Unchecked
	}
	return line
}

// Title names the files, or how many there are where a line would get long.
func (r *Report) Title() string {
	const short = 3
	if len(r.Files) > short {
		return plural(len(r.Files), "file")
	}
	return strings.Join(r.Files, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
