package program

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// This file lists the flags and variables that the .ko.yaml of a third-party source may pass to the
// go command: those that change only the program, which is theirs anyway. All others are refused:
// some can run a command on this machine, read or write a file outside of the source, or reach
// another server.

// variables are the environment variables that may be set, each with the values that it may have:
// they choose instructions, experiments of the toolchain and its FIPS 140 module. Refused ones,
// with their dangers:
//
//   - GOFLAGS could set every flag, -toolexec among them; CC, CXX, PKG_CONFIG, GOCACHEPROG and
//     GOAUTH name commands.
//   - CGO_ENABLED=1 lets #cgo directives choose the flags of a C compiler.
//   - GODEBUG changes the go command: execerrdot=0 lets it run programs in the current directory.
//     A program sets its own by //go:debug.
//   - GOPROXY, GOSUMDB, GOPRIVATE, GOINSECURE and the like decide where modules come from and who
//     vouches for them.
//   - GOTOOLCHAIN runs another go command; GOROOT, GOMODCACHE, GOCACHE, GOTMPDIR, GOWORK and GOENV
//     point at other files.
//   - GOOS and GOARCH are the platform's.
var variables = map[string]*lazyregexp.Regexp{
	"CGO_ENABLED":  lazyregexp.New(`^0$`), // as it is without
	"GO111MODULE":  lazyregexp.New(`^on$`),
	"GOAMD64":      lazyregexp.New(`^v[1-4]$`),
	"GO386":        lazyregexp.New(`^(sse2|softfloat)$`),
	"GOARM":        lazyregexp.New(`^[5-7](,(soft|hard)float)?$`),
	"GOARM64":      lazyregexp.New(`^v[89]\.[0-9](,(lse|crypto))*$`),
	"GOPPC64":      lazyregexp.New(`^power[0-9]+$`),
	"GORISCV64":    lazyregexp.New(`^rva[0-9]+u64$`),
	"GOEXPERIMENT": lazyregexp.New(`^[a-z0-9]+(,[a-z0-9]+)*$`),
	"GOFIPS140":    lazyregexp.New(`^(off|latest|inprocess|certified|v[0-9]+\.[0-9]+\.[0-9]+)$`),
}

// goFlags are the flags of go build that may be set, each with the values that it may have.
var goFlags = map[string]flagRule{
	"a":        {alone: true},
	"v":        {alone: true},
	"trimpath": {alone: true},
	"buildvcs": {alone: true, value: one("false")}, // true runs git where the source lies
	"tags":     {value: lazyregexp.New(`^[\pL\pN_., ]*$`).MatchString},
	"mod":      {value: one("readonly", "vendor")}, // mod takes versions that no go.sum has
	// the others need a C compiler, or make no program
	"buildmode": {value: one("default", "exe", "pie")},
	"pgo":       {value: one("auto", "off")},    // else it names a file
	"ldflags":   {value: words(refusedLdflags)}, //
	// others of the compiler write profiles and read any file
	"gcflags": {value: words(only(one("-N", "-l")))},
}

// linkFlags are the flags of the linker that may be set. -extldflags is for a linker of C, which
// is not run; it may be what many projects have there. -linkmode, -extld, -r, -L and more choose
// that linker or what it loads.
var linkFlags = map[string]flagRule{
	"s":          {alone: true},
	"w":          {alone: true},
	"X":          {value: func(string) bool { return true }},
	"buildid":    {value: func(string) bool { return true }},
	"extldflags": {value: one("-static")},
}

// flagRule is the form of a flag. One that may have no value takes a value after = only, others
// in the next word, too.
type flagRule struct {
	alone bool
	value func(string) bool // reports whether it is allowed; nil allows none but true
}

// refusal is an entry of a list that is not allowed, and why.
type refusal struct {
	at  int
	why string
}

func refusedVariables(env []string) []refusal {
	var all []refusal
	for i, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch form, ok := variables[name]; {
		case !ok:
			all = append(all, refusal{i, "this variable is not among those that change the program alone"})
		case !form.MatchString(value):
			all = append(all, refusal{i, "this value is not among those that change the program alone"})
		}
	}
	return all
}

func refusedFlags(list []string) []refusal { return refused(list, goFlags) }

// refusedLdflags splits each entry as the go command splits -ldflags.
func refusedLdflags(list []string) []refusal {
	var split []string
	var from []int
	for i, s := range list {
		fields, err := splitQuoted(s)
		if err != nil {
			return []refusal{{i, err.Error()}}
		}
		for _, f := range fields {
			// Compiler and linker read further arguments from a file that is named so, wherever
			// among the flags.
			if strings.HasPrefix(f, "@") {
				return []refusal{{i, "a word that starts with @ names a file of more flags"}}
			}
			split, from = append(split, f), append(from, i)
		}
	}
	all := refused(split, linkFlags)
	for n := range all {
		all[n].at = from[all[n].at]
	}
	return all
}

// refused reads a list as package flag does, so that nothing is one thing here and another there.
func refused(list []string, rules map[string]flagRule) []refusal {
	var all []refusal
	for i := 0; i < len(list); i++ {
		at, arg := i, list[i]
		name, ok := strings.CutPrefix(arg, "-")
		name = strings.TrimPrefix(name, "-")
		if !ok || name == "" || name[0] == '-' || name[0] == '=' {
			all = append(all, refusal{at, "this is not a flag"})
			continue
		}
		name, value, given := strings.Cut(name, "=")
		rule, known := rules[name]
		switch {
		case !known:
			all = append(all, refusal{at, "-" + name + " is not among the flags that change the program alone"})
			continue
		case rule.alone && !given:
			value = "true"
		case !rule.alone && !given:
			if i++; i == len(list) {
				all = append(all, refusal{at, "it has no value"})
				continue
			}
			value = list[i]
		}
		if rule.value == nil && value != "true" || rule.value != nil && !rule.value(value) {
			all = append(all, refusal{min(i, len(list)-1), "-" + name + " may not be " + strconv.Quote(value)})
		}
	}
	return all
}

// words applies a check to flags for packages, which may begin with the pattern of those that
// they are for.
func words(check func([]string) []refusal) func(string) bool {
	return func(s string) bool {
		s = strings.TrimSpace(s)
		if !strings.HasPrefix(s, "-") {
			_, s, _ = strings.Cut(s, "=")
		}
		return len(check([]string{s})) == 0
	}
}

// only refuses every word but those that ok takes.
func only(ok func(string) bool) func([]string) []refusal {
	return func(list []string) []refusal {
		fields, err := splitQuoted(list[0])
		if err != nil || slices.ContainsFunc(fields, func(f string) bool { return !ok(f) }) {
			return []refusal{{}}
		}
		return nil
	}
}

func one(values ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(values, s) }
}

var errQuote = errors.New("a quote is not closed within this entry")

// splitQuoted splits s as cmd/internal/quoted does for the go command: at spaces, with quotes
// around a field and nothing to escape within them.
func splitQuoted(s string) ([]string, error) {
	const space = " \t\n\r"
	var fields []string
	for {
		s = strings.TrimLeft(s, space)
		if s == "" {
			return fields, nil
		}
		if quote := s[0]; quote == '"' || quote == '\'' {
			field, rest, ok := strings.Cut(s[1:], string(quote))
			if !ok {
				return nil, errQuote
			}
			fields, s = append(fields, field), rest
			continue
		}
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		fields, s = append(fields, s[:end]), s[end:]
	}
}

// toolVariables and toolFlags refuse, as ko does, a flag that runs a command of the source's
// choice while it is compiled.
func toolVariables(env []string) []refusal {
	var all []refusal
	for i, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); k == "GOFLAGS" && strings.Contains(v, "-toolexec") {
			all = append(all, refusal{i, "-toolexec runs a command on this machine"})
		}
	}
	return all
}

func toolFlags(list []string) []refusal {
	var all []refusal
	for i, f := range list {
		if name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "toolexec" && name != f {
			all = append(all, refusal{i, "-toolexec runs a command on this machine"})
		}
	}
	return all
}
