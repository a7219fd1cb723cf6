package script

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// lookup returns the value of a variable: one that the script has set, or one of the environment.
func (s *shell) lookup(name string) (string, bool, error) {
	if v, ok := s.vars[name]; ok {
		return v, true, nil
	}
	return s.env(name)
}

// Deciding are variables that change how shells read a script, or what the commands do.
var Deciding = []string{
	"IFS", "PWD", "OLDPWD", "CDPATH", "OPTIND", "PPID", "LINENO", "UID", "EUID",
	"RANDOM", "SHLVL", "_", "POSIXLY_CORRECT", "TAR_OPTIONS", "UNZIP", "UNZIPOPT",
}

// assigned reads the assignments before a command, as NAME=value. Each sees those before it.
func (s *shell) assigned(all []*syntax.Assign) []string {
	before := maps.Clone(s.vars)
	defer func() { s.vars = before }()
	var list []string
	for _, a := range all {
		if a.Append || a.Naked || a.Index != nil || a.Array != nil {
			s.add(s.text(a), "%s is not supported: write NAME=value", s.text(a))
			continue
		}
		value := ""
		if a.Value != nil {
			if text := s.text(a.Value); strings.HasPrefix(text, "~") || strings.Contains(text, ":~") {
				s.add(s.text(a), "%s: ~ is known only when the command runs: write the path", s.text(a))
				continue
			}
			var f fields
			for _, part := range a.Value.Parts {
				s.part(&f, part, false, true)
			}
			value = f.text()
		}
		s.assign(a.Name.Value, value)
		list = append(list, a.Name.Value+"="+value)
	}
	return list
}

func (s *shell) assign(name, value string) {
	if slices.Contains(Deciding, name) {
		s.add(name, "%s= changes how the shell reads the line, which is not supported: leave it out", name)
	}
	s.vars[name] = value
}

// keep sets variables of the script itself.
func (s *shell) keep(assigned []string) {
	for _, a := range assigned {
		name, value, _ := strings.Cut(a, "=")
		s.vars[name] = value
		if _, given, _ := s.env(name); given ||
			slices.ContainsFunc(s.exported, func(e string) bool { return strings.HasPrefix(e, name+"=") }) {
			s.exported = append(s.exported, a)
		}
	}
}

func (s *shell) export(c *Command) {
	for _, w := range c.Args[1:] {
		key, value, given := strings.Cut(w.Text, "=")
		if !name(key) || w.Pattern != "" {
			s.add("export", "export %s is not supported: write export NAME=value", w.Text)
			return
		}
		if given {
			s.assign(key, value)
		} else if value, given, _ = s.lookup(key); !given {
			continue
		}
		s.exported = append(s.exported, key+"="+value)
	}
}

// variable expands $x, ${x}, ${x:-word} with its kin, and ${x#text} and ${x%text}.
func (s *shell) variable(f *fields, p *syntax.ParamExp, quoted, whole bool) {
	source := s.text(p)
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil ||
		p.Names != 0 || !name(p.Param.Value) {
		s.add(source, "%s is not supported: write the value", source)
		return
	}
	value, ok, err := s.lookup(p.Param.Value)
	switch {
	case err != nil:
		s.add(source, "%w", err)
		return
	case !ok && slices.Contains(runtime, p.Param.Value):
		s.add(source, "%s is known only when the command runs: write the value", source)
		return
	case p.Exp != nil:
		var done bool
		if value, done = s.expansion(f, p, value, ok, quoted, whole); done {
			return
		}
	case !ok && s.strict:
		s.add(source, "%s is not set, and set -u makes that an error: declare it with ARG or ENV", source)
		return
	}
	if quoted || whole {
		f.add(value, true)
		return
	}
	f.split(value)
}

// expansion reads what follows the name in ${x…}, and returns the value, unless it has added one
// itself, or has refused it.
func (s *shell) expansion(f *fields, p *syntax.ParamExp, value string, ok, quoted, whole bool) (_ string, done bool) {
	source := s.text(p)
	var instead, alternate bool
	switch p.Exp.Op {
	case syntax.DefaultUnset:
		instead = !ok
	case syntax.DefaultUnsetOrNull:
		instead = value == ""
	case syntax.AlternateUnset:
		instead, alternate = ok, true
	case syntax.AlternateUnsetOrNull:
		instead, alternate = value != "", true
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return s.without(p, value)
	default:
		s.add(source, "%s is not supported: write the value", source)
		return "", true
	}
	if p.Exp.Word != nil {
		for _, part := range p.Exp.Word.Parts {
			if _, plain := part.(*syntax.Lit); quoted && !plain && strings.ContainsAny(s.text(part)[:1], `'"`) {
				s.add(source, "%s: quotes in quotes have another meaning in each shell: leave them out", source)
				return "", true
			}
		}
	}
	if instead && p.Exp.Word != nil {
		for _, part := range p.Exp.Word.Parts {
			if l, ok := part.(*syntax.Lit); ok && !quoted && !whole && strings.ContainsAny(l.Value, " \t\n") {
				s.add(source, "%s: more than one word outside of quotes: put it in quotes", source)
				return "", true
			}
			s.part(f, part, quoted, whole)
		}
	}
	return value, instead || alternate
}

// without removes a text without wildcards from the begin or the end of a value.
func (s *shell) without(p *syntax.ParamExp, value string) (_ string, refused bool) {
	var f fields
	if p.Exp.Word != nil {
		for _, part := range p.Exp.Word.Parts {
			s.part(&f, part, false, true)
		}
	}
	text := f.text()
	if strings.ContainsAny(text, `*?[\`) {
		source := s.text(p)
		s.add(source, "%s has a pattern, which is not supported: write the text itself, or the value", source)
		return "", true
	}
	if p.Exp.Op == syntax.RemSmallPrefix || p.Exp.Op == syntax.RemLargePrefix {
		return strings.TrimPrefix(value, text), false
	}
	return strings.TrimSuffix(value, text), false
}

// substitution adds the output of a command, where it was given. As a shell does, it drops the
// new lines at its end.
func (s *shell) substitution(f *fields, p *syntax.CmdSubst, quoted, whole bool) {
	before := len(s.found)
	source := s.text(p)
	text := source
	if inner, ok := strings.CutPrefix(source, "`"); ok {
		text = "$(" + strings.TrimSuffix(inner, "`") + ")"
	}
	value, ok, _ := s.env(text)
	if !ok {
		value, ok = s.output(p)
	}
	switch {
	case !ok && (len(s.found) > before || s.lost):
	case !ok:
		s.add(source, "%s needs the output of a command, and none is run: "+
			"write the value, use ARG, or give the value under args in slipway.yaml, by the name %s", source, text)
	case quoted || whole:
		f.add(strings.TrimRight(value, "\n"), true)
	default:
		f.split(strings.TrimRight(value, "\n"))
	}
}

func name(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if s[i] != '_' && (c < 'a' || c > 'z') && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}
