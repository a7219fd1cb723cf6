package debian

import (
	"fmt"
	"strings"
)

// setting is one statement of an apt.conf file: A::B "value"; with the names joined and in lower
// case. An item of a list is a setting too.
type setting struct {
	key    string
	value  string
	item   bool
	clears bool // #clear
	line   int
}

// parseConf parses the syntax of apt.conf(5).
func parseConf(file, text string) ([]setting, error) {
	p := &confParser{file: file, text: text, line: 1}
	if err := p.block("", 0); err != nil {
		return nil, err
	}
	return p.found, nil
}

type confParser struct {
	file, text string
	at, line   int
	found      []setting
}

// confToken is a word, a quoted text, or one of { } ;.
type confToken struct {
	text   string
	quoted bool
	line   int
}

func (t confToken) is(sign string) bool { return !t.quoted && t.text == sign }

func (p *confParser) fail(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...))
}

// block parses statements until the brace that closes it, or the end of the file at depth 0.
func (p *confParser) block(parent string, depth int) error {
	if depth > 50 {
		return p.fail(p.line, "the blocks are nested too deeply")
	}
	for {
		t, ok, err := p.next()
		switch {
		case err != nil:
			return err
		case !ok && depth > 0:
			return p.fail(p.line, "the block %s has no closing brace", parent)
		case !ok, t.is("}") && depth > 0:
			return nil
		case t.is("}"):
			return p.fail(t.line, "a brace closes nothing")
		case t.is(";"):
			continue
		}
		if err := p.statement(parent, depth, t); err != nil {
			return err
		}
	}
}

// statement parses: name value; or name { ... } or "item";
func (p *confParser) statement(parent string, depth int, t confToken) error {
	if t.is("{") {
		return p.block(parent, depth+1)
	}
	clears := t.is("#clear")
	var words []confToken
	if !clears {
		words = append(words, t)
	}
	for {
		next, ok, err := p.next()
		if err != nil {
			return err
		}
		switch {
		case !ok || next.is("}"):
			return p.fail(t.line, "%q has no semicolon", short(t.text))
		case next.is(";"):
			return p.add(parent, words, clears)
		case next.is("{") && len(words) == 1 && !words[0].quoted:
			return p.block(join(parent, words[0].text), depth+1)
		case next.is("{"):
			return p.fail(next.line, "a brace must follow a name")
		}
		words = append(words, next)
	}
}

// add records a statement.
func (p *confParser) add(parent string, words []confToken, clears bool) error {
	switch {
	case clears:
		for _, w := range words {
			p.found = append(p.found, setting{key: join(parent, w.text), clears: true, line: w.line})
		}
	case len(words) == 1 && words[0].quoted:
		if parent == "" {
			return p.fail(words[0].line, "%q has no name", short(words[0].text))
		}
		p.found = append(p.found, setting{key: parent, value: words[0].text, item: true, line: words[0].line})
	case words[0].quoted || words[0].is("#include"):
		return p.fail(words[0].line, "%q is not understood: write Name \"value\";", short(words[0].text))
	default:
		key, item := strings.CutSuffix(words[0].text, "::")
		var values []string
		for _, w := range words[1:] {
			values = append(values, w.text)
		}
		if key == "" && parent == "" {
			return p.fail(words[0].line, "a value has no name")
		}
		p.found = append(p.found, setting{
			key: join(parent, key), value: strings.Join(values, " "), item: item, line: words[0].line,
		})
	}
	return nil
}

func join(parent, name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, "::"))
	if parent == "" || name == "" {
		return parent + name
	}
	return parent + "::" + name
}

// next returns the next token, and false at the end of the file.
func (p *confParser) next() (confToken, bool, error) {
	if err := p.skip(); err != nil || p.at == len(p.text) {
		return confToken{}, false, err
	}
	line := p.line
	switch c := p.text[p.at]; c {
	case '{', '}', ';':
		p.at++
		return confToken{text: string(c), line: line}, true, nil
	case '"':
		end := strings.IndexByte(p.text[p.at+1:], '"')
		if end < 0 {
			return confToken{}, false, p.fail(line, "a quote has no end")
		}
		value := p.text[p.at+1 : p.at+1+end]
		p.at += end + 2
		p.line += strings.Count(value, "\n")
		return confToken{text: value, quoted: true, line: line}, true, nil
	}
	end := strings.IndexAny(p.text[p.at:], " \t\r\n{};\"")
	if end < 0 {
		end = len(p.text) - p.at
	}
	word := p.text[p.at : p.at+end]
	p.at += end
	return confToken{text: word, line: line}, true, nil
}

// skip goes past white space and comments.
func (p *confParser) skip() error {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		comment := strings.HasPrefix(rest, "//") || rest[0] == '#' && !strings.HasPrefix(rest, "#clear") &&
			!strings.HasPrefix(rest, "#include")
		switch {
		case rest[0] == '\n':
			p.line++
			p.at++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			p.at++
		case comment:
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				p.at += n
			} else {
				p.at = len(p.text)
			}
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				return p.fail(p.line, "a comment has no end")
			}
			p.line += strings.Count(rest[:n], "\n")
			p.at += n + 2
		default:
			return nil
		}
	}
	return nil
}
