package shell

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// lookUp returns the value of a variable or special parameter.
func (sh *Shell) lookUp(name string) (string, bool) {
	switch name {
	case "#":
		return strconv.Itoa(len(sh.Params)), true
	case "?":
		return strconv.Itoa(sh.status), true
	case "$":
		return "1", true
	case "!":
		return "", false
	case "0":
		return sh.Zero, true
	case "-":
		return sh.letters(), true
	case "@", "*":
		return strings.Join(sh.Params, sh.separator()), len(sh.Params) > 0
	case "LINENO":
		return strconv.Itoa(int(sh.at.Line())), true //nolint:gosec // a line
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n > 0 && n <= len(sh.Params) {
			return sh.Params[n-1], true
		}
		return "", false
	}
	v := sh.vars[name]
	if v.isList {
		if len(v.list) == 0 {
			return "", false
		}
		return v.list[0], true
	}
	return v.text, v.set
}

func (sh *Shell) value(name string) string {
	text, _ := sh.lookUp(name)
	return text
}

// separator is what "$*" puts between parameters.
func (sh *Shell) separator() string {
	v := sh.vars["IFS"]
	if !v.set {
		return " "
	}
	if v.text == "" {
		return ""
	}
	return v.text[:1]
}

// Set gives a variable a value.
func (sh *Shell) Set(name, text string) error { return sh.assign(name, text) }

func (sh *Shell) assign(name, text string) error {
	if err := sh.count(len(text)); err != nil {
		return sh.located(err)
	}
	v := sh.vars[name]
	if v.readonly {
		return &failed{2, name + ": is read only"}
	}
	if name == "OPTIND" {
		sh.optind = 0
	}
	v.text, v.set, v.isList, v.list = text, true, false, nil
	v.exported = v.exported || sh.options["allexport"]
	sh.vars[name] = v
	return nil
}

// assignList assigns an array of bash, or an element of one.
func (sh *Shell) assignList(ctx context.Context, a *syntax.Assign) error {
	v := sh.vars[a.Name.Value]
	if !v.isList {
		v.list = nil
		if v.set {
			v.list = []string{v.text}
		}
	}
	list := slices.Clone(v.list)
	if a.Array != nil {
		if !a.Append {
			list = nil
		}
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				return sh.refuse("an array with indexes is not known here")
			}
			items, err := sh.fields(ctx, []*syntax.Word{e.Value})
			if err != nil {
				return err
			}
			list = append(list, items...)
		}
		sh.vars[a.Name.Value] = variable{list: list, isList: true, set: true}
		return nil
	}
	at, err := sh.arithmetic(ctx, a.Index)
	if err != nil {
		return err
	}
	if at < 0 || at > int64(len(list)) {
		return sh.refuse("an array with gaps is not known here")
	}
	text, err := sh.text(ctx, a.Value)
	if err != nil {
		return err
	}
	if int(at) == len(list) {
		list = append(list, "")
	}
	if a.Append {
		text = list[at] + text
	}
	list[at] = text
	sh.vars[a.Name.Value] = variable{list: list, isList: true, set: true}
	return sh.count(len(text))
}

// declare carries out what bash reads as a declaration: local, export, readonly, declare.
func (sh *Shell) declare(ctx context.Context, d *syntax.DeclClause) error {
	args := []string{d.Variant.Value}
	for _, a := range d.Args {
		if a.Array != nil || a.Index != nil {
			if a.Name != nil && d.Variant.Value == "local" {
				if err := sh.hide(a.Name.Value); err != nil {
					return err
				}
			}
			if err := sh.assignList(ctx, a); err != nil {
				return err
			}
			continue
		}
		text, err := sh.text(ctx, a.Value)
		if err != nil {
			return err
		}
		switch {
		case a.Name == nil:
			args = append(args, text)
		case a.Naked:
			args = append(args, a.Name.Value)
		case a.Append:
			args = append(args, a.Name.Value+"="+sh.value(a.Name.Value)+text)
		default:
			args = append(args, a.Name.Value+"="+text)
		}
	}
	return declaration(ctx, sh, args)
}

// declaration is local, export, readonly or declare with its words.
func declaration(_ context.Context, sh *Shell, args []string) error {
	what := args[0]
	sh.status = 0
	for _, arg := range args[1:] {
		if len(arg) > 1 && arg[0] == '-' {
			switch {
			case what == "export" && arg == "-n", strings.Trim(arg[1:], "apirxgl") != "":
				return sh.refuse("%s %s is not known here", what, arg)
			case strings.Contains(arg, "x"):
				what = "export"
			case strings.Contains(arg, "r"):
				what = "readonly"
			}
			continue
		}
		name, text, has := strings.Cut(arg, "=")
		if !syntax.ValidName(name) {
			return &failed{2, args[0] + ": " + name + ": bad variable name"}
		}
		if args[0] == "local" || len(sh.locals) > 0 && (args[0] == "declare" || args[0] == "typeset") {
			if err := sh.hide(name); err != nil {
				return err
			}
		}
		if has {
			if err := sh.assign(name, text); err != nil {
				return err
			}
		}
		v := sh.vars[name]
		v.exported = v.exported || what == "export"
		v.readonly = v.readonly || what == "readonly"
		sh.vars[name] = v
	}
	return nil
}

// hide makes a variable local. In dash it keeps the value that it had.
func (sh *Shell) hide(name string) error {
	if len(sh.locals) == 0 {
		return &failed{2, "local: not in a function"}
	}
	frame := sh.locals[len(sh.locals)-1]
	if _, done := frame[name]; done {
		return nil
	}
	v, had := sh.vars[name]
	if !had {
		frame[name] = nil
	} else {
		frame[name] = &v
	}
	if sh.Bash {
		delete(sh.vars, name)
	}
	return nil
}
