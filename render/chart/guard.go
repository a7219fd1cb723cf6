package chart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// templateLine splits a line of a template that has one string: the text before the string, the
// string, and the text after it.
var templateLine = lazyregexp.New(`^(\s*(?:- )?(?:[\w."'/-]+:\s+)?(?:--?[\w-]+=)?)(["']?)(.*?)(["']?\s*)$`)

// quoted matches a string that a function puts in quotes.
var quoted = lazyregexp.New(`^(\{\{-?\s.*?)\s*\|\s*quote\s*\}\}$`)

// guard puts the digest behind a reference in the line of the template that makes it, for the
// chart's own name and tag only: who sets another tag gets that without a digest, and so does
// another image that the line makes with other values; who sets the repository of a mirror, which
// ends with the same name, gets it with the digest.
func (p *pinner) guard(c *Chart, u use, image *Image) (*Chart, error) {
	f, n, reference, err := p.templateOf(c, u)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(f.Data), "\n")
	text, end := strings.TrimRight(lines[n], "\r\n"), lines[n][len(strings.TrimRight(lines[n], "\r\n")):]
	m := templateLine.FindStringSubmatch(text)
	if m == nil || strings.Contains(reference, "@") {
		return nil, fmt.Errorf("%s has another form", f.Shown)
	}
	open, value, closing := m[2], m[3], m[4]
	if q := quoted.FindStringSubmatch(value); q != nil && open == "" {
		open, value, closing = `"`, q[1]+" }}", `"`+closing
	}
	call, err := asCall(value)
	if err != nil {
		return nil, err
	}
	condition := fmt.Sprintf("eq %s %q", call, reference)
	if repository, tag := splitTag(reference); tag != "" {
		condition = fmt.Sprintf("hasSuffix %q %s", repository[max(strings.LastIndexByte(repository, '/'), 0):]+":"+tag,
			call)
	}
	lines[n] = fmt.Sprintf("%s%s%s{{ if %s }}@%s{{ end }}%s%s", m[1], open, value, condition, image.Digest,
		closing, end)
	return c.with(f.Path, []byte(strings.Join(lines, ""))), nil
}

// inTemplate replaces a text in the line of the template that makes a use.
func (p *pinner) inTemplate(c *Chart, u use, old, text string) (*Chart, error) {
	f, line, _, err := p.templateOf(c, u)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(f.Data), "\n")
	changed := token.ReplaceAllStringFunc(lines[line], func(word string) string {
		if rest, ok := strings.CutPrefix(word, old); ok && (rest == "" || rest == ":") { // before an action
			return text + rest
		}
		return word
	})
	if changed == lines[line] {
		return nil, fmt.Errorf("%s does not have %s", f.Shown, old)
	}
	lines[line] = changed
	return c.with(f.Path, []byte(strings.Join(lines, ""))), nil
}

// templateOf returns the file and the index of the line that made a use, and its reference now.
func (p *pinner) templateOf(c *Chart, u use) (f File, line int, reference string, err error) {
	unknown := fmt.Errorf("the line of %s is not known", u.Reference)
	o := p.cases[u.inCase].Options
	r, err := c.render(p.ctx, o, rendering{Fixed: true, Uses: true})
	if err != nil {
		return File{}, 0, "", err
	}
	lines, _, err := c.places(p.ctx, o, r, rendering{Fixed: true})
	if err != nil || u.Line > len(lines[u.Template]) {
		return File{}, 0, "", unknown
	}
	for _, t := range r.templates {
		if t.Name != u.Template {
			continue
		}
		for _, now := range t.Uses {
			if now.Document == u.Document && now.Path == u.Path {
				reference = now.Reference
			}
		}
	}
	place := lines[u.Template][u.Line-1]
	colon := strings.LastIndexByte(place, ':')
	n, err := strconv.Atoi(place[colon+1:])
	if err != nil {
		return File{}, 0, "", unknown
	}
	for _, f := range c.files {
		if f.Shown == place[:max(colon, 0)] && n <= strings.Count(string(f.Data), "\n")+1 {
			return f, n - 1, reference, p.alone(u, c.instances(rootOf(f.Path)), nil)
		}
	}
	return File{}, 0, "", unknown
}

// asCall returns the text of a template, actions and the text between them, as a call of printf.
// An action {{template "x" .}} becomes Helm's include, which returns the text.
func asCall(text string) (string, error) {
	var format, arguments strings.Builder
	at := 0
	for _, a := range scanActions(text) {
		inner := strings.TrimSuffix(strings.TrimPrefix(text[a.start:a.end], "{{"), "}}")
		call := strings.TrimSpace(strings.TrimPrefix(inner, "-"))
		data := a.word != "template" || len(strings.Fields(call)) > 2
		if !a.prints() || !data || strings.HasPrefix(inner, "-") && a.start > 0 || strings.HasSuffix(inner, "-") {
			return "", fmt.Errorf("the line has %s", text[a.start:a.end])
		}
		if rest, ok := strings.CutPrefix(call, a.word); ok && a.word == "template" {
			call = "include" + rest
		}
		format.WriteString(strings.ReplaceAll(text[at:a.start], "%", "%%") + "%v")
		arguments.WriteString(" (" + call + ")")
		at = a.end
	}
	format.WriteString(strings.ReplaceAll(text[at:], "%", "%%"))
	return fmt.Sprintf("(printf %q%s)", format.String(), arguments.String()), nil
}
