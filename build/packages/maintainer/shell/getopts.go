package shell

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// getopts reads options.
func getopts(_ context.Context, sh *Shell, args []string) error {
	if len(args) < 3 || !syntax.ValidName(args[2]) {
		return &failed{2, "getopts: Usage: getopts optstring var [arg...]"}
	}
	spec, name, words := args[1], args[2], args[3:]
	if len(words) == 0 {
		words = sh.Params
	}
	silent := strings.HasPrefix(spec, ":")
	at, _ := strconv.Atoi(sh.value("OPTIND"))
	in := max(sh.optind, 1)
	finish := func(status, next, within int, letter, value string, has bool) error {
		sh.status = status
		return sh.optionRead(name, next, within, letter, value, has)
	}
	if at < 1 || at > len(words) || len(words[at-1]) < 2 || words[at-1][0] != '-' || in >= len(words[at-1]) {
		return finish(1, max(at, 1), 0, "?", "", false)
	}
	word := words[at-1]
	if word == "--" {
		return finish(1, at+1, 0, "?", "", false)
	}
	letter := word[in : in+1]
	next, within := at, in+1
	if within >= len(word) {
		next, within = at+1, 0
	}
	n := strings.Index(strings.TrimPrefix(spec, ":"), letter)
	known := strings.TrimPrefix(spec, ":")
	switch {
	case n < 0 || letter == ":":
		if !silent {
			sh.complain("Illegal option -" + letter)
		}
		return finish(0, next, within, "?", letter, silent)
	case n+1 >= len(known) || known[n+1] != ':':
		return finish(0, next, within, letter, "", false)
	case in+1 < len(word):
		return finish(0, at+1, 0, letter, word[in+1:], true)
	case at < len(words):
		return finish(0, at+2, 0, letter, words[at], true)
	case silent:
		return finish(0, at+1, 0, ":", letter, true)
	}
	sh.complain("No arg for -" + letter + " option")
	return finish(0, at+1, 0, "?", "", false)
}

// optionRead assigns what getopts has found.
func (sh *Shell) optionRead(name string, next, within int, letter, value string, has bool) error {
	if err := sh.assign("OPTIND", strconv.Itoa(next)); err != nil {
		return err
	}
	sh.optind = within
	delete(sh.vars, "OPTARG")
	if has {
		if err := sh.assign("OPTARG", value); err != nil {
			return err
		}
	}
	return sh.assign(name, letter)
}
