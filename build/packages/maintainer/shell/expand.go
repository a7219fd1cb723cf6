package shell

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// maxWord bounds the text that one word becomes, in bytes.
const maxWord = 8 << 20

// piece is a part of a word after expansion.
type piece struct {
	text   string
	quoted bool
	split  bool // IFS separates fields in it
	ends   bool // a field ends here, as between the parameters of "$@"
}

// fields expands words to arguments: with field splitting and file names.
func (sh *Shell) fields(ctx context.Context, words []*syntax.Word) ([]string, error) {
	var all []string
	for _, w := range words {
		list := []*syntax.Word{w}
		if sh.Bash {
			list = braces(w)
		}
		for _, w := range list {
			pieces, err := sh.word(ctx, w.Parts, false)
			if err != nil {
				return nil, err
			}
			if all, err = sh.separate(ctx, all, pieces); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// arguments expands the words of a command. What export and the like assign is not split.
func (sh *Shell) arguments(ctx context.Context, words []*syntax.Word) ([]string, error) {
	declares := false
	if len(words) > 1 {
		switch words[0].Lit() {
		case "export", "readonly", "local":
			declares = true
		}
	}
	if !declares {
		return sh.fields(ctx, words)
	}
	var all []string
	for _, w := range words {
		lit, _ := w.Parts[0].(*syntax.Lit)
		if lit != nil {
			if name, _, ok := strings.Cut(lit.Value, "="); ok && syntax.ValidName(name) {
				text, err := sh.text(ctx, w)
				if err != nil {
					return nil, err
				}
				all = append(all, text)
				continue
			}
		}
		more, err := sh.fields(ctx, []*syntax.Word{w})
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// text expands a word to one text, as in an assignment.
func (sh *Shell) text(ctx context.Context, w *syntax.Word) (string, error) {
	if w == nil {
		return "", nil
	}
	pieces, err := sh.word(ctx, w.Parts, false)
	if err != nil {
		return "", err
	}
	return sh.join(pieces)
}

// documentText expands a here-document.
func (sh *Shell) documentText(ctx context.Context, parts []syntax.WordPart) (string, error) {
	var all []piece
	for _, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok {
			all = append(all, piece{text: unescape(lit.Value, "$`\\"), quoted: true})
			continue
		}
		more, err := sh.part(ctx, p, true)
		if err != nil {
			return "", err
		}
		all = append(all, more...)
	}
	return sh.join(all)
}

// join puts the pieces of a word together that is one field.
func (sh *Shell) join(pieces []piece) (string, error) {
	var b strings.Builder
	for _, p := range pieces {
		if p.ends {
			b.WriteString(" ")
		}
		b.WriteString(p.text)
	}
	if b.Len() > maxWord {
		return "", sh.refuse("a word gets more than %d MiB", maxWord>>20)
	}
	return b.String(), sh.located(sh.count(b.Len()))
}

// pattern expands a word to a pattern, in which quoted characters are themselves.
func (sh *Shell) pattern(ctx context.Context, w *syntax.Word) (string, error) {
	if w == nil {
		return "", nil
	}
	pieces, err := sh.word(ctx, w.Parts, false)
	if err != nil {
		return "", err
	}
	for n := range pieces {
		if pieces[n].quoted {
			pieces[n].text = pattern.QuoteMeta(pieces[n].text, 0)
		}
	}
	return sh.join(pieces)
}

// word expands the parts of a word.
func (sh *Shell) word(ctx context.Context, parts []syntax.WordPart, quoted bool) ([]piece, error) {
	var all []piece
	for n, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok && !quoted {
			text := lit.Value
			if n == 0 && strings.HasPrefix(text, "~") {
				home, rest, err := sh.tilde(text)
				if err != nil {
					return nil, err
				}
				all, text = append(all, piece{text: home, quoted: true}), rest
			}
			all = append(all, unquoted(text)...)
			continue
		}
		more, err := sh.part(ctx, p, quoted)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// tilde expands ~ and ~/.
func (sh *Shell) tilde(text string) (home, rest string, err error) {
	name, rest, found := strings.Cut(text[1:], "/")
	if found {
		rest = "/" + rest
	}
	if name != "" {
		return "", "", sh.refuse("~%s is not known here: write the directory", name)
	}
	if home, ok := sh.lookUp("HOME"); ok {
		return home, rest, nil
	}
	return "~", rest, nil
}

// unquoted turns text outside of quotes into pieces: a backslash quotes the next character.
func unquoted(text string) []piece {
	if !strings.Contains(text, `\`) {
		return []piece{{text: text}}
	}
	var all []piece
	for {
		n := strings.IndexByte(text, '\\')
		if n < 0 || n == len(text)-1 {
			return append(all, piece{text: text})
		}
		if n > 0 {
			all = append(all, piece{text: text[:n]})
		}
		if text[n+1] != '\n' {
			all = append(all, piece{text: text[n+1 : n+2], quoted: true})
		}
		if text = text[n+2:]; text == "" {
			return all
		}
	}
}

// unescape takes backslashes away before the characters that a backslash quotes.
func unescape(text, special string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for n := 0; n < len(text); n++ {
		if text[n] == '\\' && n+1 < len(text) {
			if text[n+1] == '\n' {
				n++
				continue
			}
			if strings.IndexByte(special, text[n+1]) >= 0 {
				n++
			}
		}
		b.WriteByte(text[n])
	}
	return b.String()
}

// part expands one part of a word.
func (sh *Shell) part(ctx context.Context, p syntax.WordPart, quoted bool) ([]piece, error) {
	switch p := p.(type) {
	case *syntax.Lit:
		return []piece{{text: unescape(p.Value, "$`\"\\"), quoted: true}}, nil
	case *syntax.SglQuoted:
		text := p.Value
		switch {
		case quoted && strings.ContainsAny(text, "$`\\\""): // "${x:-'$y'}"
			return nil, sh.refuse("quotes within quotes are not known here")
		case quoted:
			text = "'" + text + "'"
		case p.Dollar:
			text = escapes(text, ansi)
		}
		return []piece{{text: text, quoted: true}}, nil
	case *syntax.DblQuoted:
		if isAll(p.Parts) && len(sh.Params) == 0 {
			return nil, nil // "$@" without parameters is no field
		}
		all, err := sh.word(ctx, p.Parts, true)
		return append([]piece{{quoted: true}}, all...), err
	case *syntax.ParamExp:
		return sh.parameter(ctx, p, quoted)
	case *syntax.CmdSubst:
		text, err := sh.substitute(ctx, p)
		return []piece{{text: text, quoted: quoted, split: !quoted}}, err
	case *syntax.ArithmExp:
		n, err := sh.whole(ctx, p.X)
		return []piece{{text: strconv.FormatInt(n, 10), quoted: quoted, split: !quoted}}, err
	case *syntax.ExtGlob:
		return nil, sh.refuse("the pattern %s%s) is not known here", p.Op, p.Pattern.Value)
	}
	return nil, sh.refuse("this part of a word is not known here")
}

func isAll(parts []syntax.WordPart) bool {
	if len(parts) != 1 {
		return false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && p.Param.Value == "@" && p.Exp == nil && !p.Length && p.Slice == nil
}

// substitute returns what commands print, without the new lines at its end.
func (sh *Shell) substitute(ctx context.Context, c *syntax.CmdSubst) (string, error) {
	sub := sh.fork()
	out := sh.NewBuffer()
	sub.streams[1] = out
	sub.tested = 0
	if sh.Bash {
		sub.options["errexit"] = false
	}
	status, err := sub.run(ctx, c.Stmts)
	sh.status, sh.subst = status, status
	if err != nil {
		return "", err
	}
	text := strings.ReplaceAll(out.Text(), "\x00", "")
	if len(text) > maxWord {
		return "", sh.refuse("a command prints more than %d MiB", maxWord>>20)
	}
	return strings.TrimRight(text, "\n"), nil
}
