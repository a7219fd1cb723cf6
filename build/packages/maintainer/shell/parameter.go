package shell

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// parameter expands $name and ${name…}.
func (sh *Shell) parameter(ctx context.Context, p *syntax.ParamExp, quoted bool) ([]piece, error) {
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || p.Width || p.IsSet || p.Names != 0 ||
		len(p.Modifiers) > 0 {
		return nil, sh.refuse("this form of a parameter is not known here")
	}
	name := p.Param.Value
	text, set := sh.lookUp(name)
	list, all, err := sh.elements(ctx, p)
	if err != nil {
		return nil, err
	}
	switch {
	case all:
		text, set = strings.Join(list, sh.separator()), len(list) > 0
	case p.Index != nil:
		text, set = "", len(list) > 0
		if set {
			text = list[0]
		}
	}
	if p.Excl {
		if !syntax.ValidName(text) || p.Exp != nil || all {
			return nil, sh.refuse("the indirect ${!%s} is not known here", name)
		}
		text, set = sh.lookUp(text)
	}
	if p.Length {
		n := utf8.RuneCountInString(text)
		if all {
			n = len(list)
		}
		return one(strconv.Itoa(n), quoted), nil
	}
	if p.Exp != nil {
		done, pieces, err := sh.byDefault(ctx, p, text, set, quoted)
		if err != nil || done {
			return pieces, err
		}
	}
	if !set && sh.options["nounset"] && !all && p.Exp == nil && name != "@" && name != "*" {
		return nil, &failed{2 - oneIf(sh.Bash), name + ": parameter not set"}
	}
	if all && p.Exp == nil && p.Slice == nil && p.Repl == nil {
		return sh.each(p, list, quoted), nil
	}
	text, err = sh.changed(ctx, p, text)
	return one(text, quoted), err
}

func one(text string, quoted bool) []piece {
	return []piece{{text: text, quoted: quoted, split: !quoted}}
}

// elements returns the list that $@, $* and arrays of bash have. all reports whether the whole list
// is meant.
func (sh *Shell) elements(ctx context.Context, p *syntax.ParamExp) (list []string, all bool, err error) {
	switch p.Param.Value {
	case "@", "*":
		return sh.Params, true, nil
	}
	if p.Index == nil {
		return nil, false, nil
	}
	v := sh.vars[p.Param.Value]
	list = v.list
	if !v.isList && v.set {
		list = []string{v.text}
	}
	if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		return list, true, nil
	}
	n, err := sh.arithmetic(ctx, p.Index)
	if err != nil || n < 0 || n >= int64(len(list)) {
		return nil, false, err
	}
	return list[n : n+1], false, nil
}

// each makes a field of every element of "$@".
func (sh *Shell) each(p *syntax.ParamExp, list []string, quoted bool) []piece {
	star := p.Param.Value == "*"
	if w, ok := p.Index.(*syntax.Word); ok && w.Lit() == "*" {
		star = true
	}
	if star && quoted {
		return one(strings.Join(list, sh.separator()), true)
	}
	var all []piece
	for n, text := range list {
		all = append(all, piece{text: text, quoted: quoted, split: !quoted, ends: n > 0})
	}
	return all
}

// byDefault carries out ${name-word} and its like. done reports whether that is the result.
func (sh *Shell) byDefault(
	ctx context.Context, p *syntax.ParamExp, text string, set, quoted bool,
) (done bool, pieces []piece, err error) {
	word := func() ([]piece, error) {
		if p.Exp.Word == nil {
			return one("", quoted), nil
		}
		return sh.word(ctx, p.Exp.Word.Parts, quoted)
	}
	has := set && text != ""
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if p.Exp.Op == syntax.AlternateUnset {
			has = set
		}
		if has {
			pieces, err = word()
		}
		return true, pieces, err
	case syntax.DefaultUnset, syntax.AssignUnset, syntax.ErrorUnset:
		has = set
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.ErrorUnsetOrNull:
	default:
		return false, nil, nil
	}
	if has {
		if p.Param.Value == "@" || p.Param.Value == "*" {
			return true, sh.each(p, sh.Params, quoted), nil
		}
		return true, one(text, quoted), nil
	}
	if pieces, err = word(); err != nil {
		return true, nil, err
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		text, err := sh.join(pieces)
		if err == nil {
			err = sh.assign(p.Param.Value, text)
		}
		return true, one(text, quoted), err
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		text, err := sh.join(pieces)
		if err != nil {
			return true, nil, err
		}
		if text == "" {
			text = "parameter not set"
		}
		return true, nil, &failed{2 - oneIf(sh.Bash), p.Param.Value + ": " + text}
	}
	return true, pieces, nil
}

// changed carries out what changes the text of a parameter: # ## % %%, and those of bash.
func (sh *Shell) changed(ctx context.Context, p *syntax.ParamExp, text string) (string, error) {
	switch {
	case p.Slice != nil:
		return sh.slice(ctx, p.Slice, text)
	case p.Repl != nil:
		return sh.replace(ctx, p.Repl, text)
	case p.Exp == nil:
		return text, nil
	}
	switch p.Exp.Op {
	case syntax.UpperAll, syntax.LowerAll, syntax.UpperFirst, syntax.LowerFirst:
		if p.Exp.Word != nil {
			break
		}
		switch {
		case p.Exp.Op == syntax.UpperAll:
			return strings.ToUpper(text), nil
		case p.Exp.Op == syntax.LowerAll:
			return strings.ToLower(text), nil
		case text == "":
			return "", nil
		case p.Exp.Op == syntax.UpperFirst:
			return strings.ToUpper(text[:1]) + text[1:], nil
		}
		return strings.ToLower(text[:1]) + text[1:], nil
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		pat, err := sh.pattern(ctx, p.Exp.Word)
		if err != nil {
			return "", err
		}
		return sh.without(text, pat, p.Exp.Op)
	}
	return "", sh.refuse("${%s%s…} is not known here", p.Param.Value, p.Exp.Op)
}

// without removes what a pattern matches at the beginning or end of a text.
func (sh *Shell) without(text, pat string, op syntax.ParExpOperator) (string, error) {
	re, err := sh.expression(pat, 0)
	if err != nil || re == nil {
		return text, err
	}
	if len(text) > 64<<10 {
		return "", sh.refuse("the text of %s has more than 64 KiB", op)
	}
	if err := sh.count(len(text) * len(text) / 16); err != nil {
		return "", sh.located(err)
	}
	for n := 0; n <= len(text); n++ {
		switch {
		case op == syntax.RemSmallPrefix && re.MatchString(text[:n]):
			return text[n:], nil
		case op == syntax.RemLargePrefix && re.MatchString(text[:len(text)-n]):
			return text[len(text)-n:], nil
		case op == syntax.RemSmallSuffix && re.MatchString(text[len(text)-n:]):
			return text[:len(text)-n], nil
		case op == syntax.RemLargeSuffix && re.MatchString(text[n:]):
			return text[:n], nil
		}
	}
	return text, nil
}

// slice is ${name:offset:length} of bash.
func (sh *Shell) slice(ctx context.Context, s *syntax.Slice, text string) (string, error) {
	bound := func(x syntax.ArithmExpr, from int) (int, error) {
		n, err := sh.arithmetic(ctx, x)
		if err != nil {
			return 0, err
		}
		if n < 0 {
			return max(0, len(text)+int(max(n, -int64(len(text))))), nil
		}
		return min(len(text), from+int(min(n, int64(len(text))))), nil
	}
	from, to := 0, len(text)
	var err error
	if s.Offset != nil {
		if from, err = bound(s.Offset, 0); err != nil {
			return "", err
		}
	}
	if s.Length != nil {
		if to, err = bound(s.Length, from); err != nil {
			return "", err
		}
	}
	return text[from:max(from, to)], nil
}

// replace is ${name/pattern/text} of bash, with patterns that are plain texts.
func (sh *Shell) replace(ctx context.Context, r *syntax.Replace, text string) (string, error) {
	pat, err := sh.text(ctx, r.Orig)
	if err != nil {
		return "", err
	}
	now, err := sh.text(ctx, r.With)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(pat, `*?[\`) || strings.HasPrefix(pat, "#") || strings.HasPrefix(pat, "%") || pat == "" {
		return "", sh.refuse("${…/%s/…} is not known here", pat)
	}
	n := 1
	if r.All {
		n = -1
	}
	if strings.Count(text, pat)*len(now) > maxWord {
		return "", sh.refuse("a word gets more than %d MiB", maxWord>>20)
	}
	return strings.Replace(text, pat, now, n), nil
}
