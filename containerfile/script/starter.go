package script

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// starters are commands that start the one behind them, each with its options that take a value.
var starters = map[string]string{
	"env": "uC", "exec": "a", "time": "fo", "nice": "n", "sudo": "ugpChrtTUDR", "doas": "uC", "command": "",
	"nohup": "", "timeout": "sk", "busybox": "", "ionice": "cnpPu", "stdbuf": "ioe", "setsid": "", "chroot": "",
	"gosu": "", "su-exec": "", "setpriv": "", "linux32": "", "linux64": "", "tini": "p", "dumb-init": "r",
}

// longOptions are options of starters that take a value.
var longOptions = []string{
	"--user", "--group", "--signal", "--kill-after", "--chdir", "--unset", "--adjustment", "--class", "--classdata",
	"--output", "--error", "--input", "--format", "--reuid", "--regid", "--host", "--prompt",
}

// placed are starters whose first word is not a command.
var placed = []string{"chroot", "gosu", "su-exec", "timeout"}

// texters are commands that get a script by an option, as su does.
var texters = []string{"su", "runuser", "script", "flock"}

// others are commands whose words are not a command, even if they look so.
var others = []string{
	"echo", "printf", "grep", "sed", "awk", "git", "test", "[", "which", "type", "rm", "cp", "mv", "mkdir", "ls",
	"chmod", "chown", "touch", "cat", "ln", "make", "gmake", "mage", "task", "just", "cd", "apk", "apt-get", "apt",
}

// IsShell reports whether a command is a shell, by its name.
func IsShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "ash", "dash", "zsh", "ksh"}, path.Base(name))
}

var goName = lazyregexp.New(`^(?:.*[/\\\\])?(?:xx-)?go(?:1\.\d+(?:\.\d+|rc\d+|beta\d+)*|tip)?(?:\.exe)?$`)

// IsGo reports whether a command is the go command, by its name: also one of a release, go1.26.1.
func IsGo(name string) bool { return goName.MatchString(name) }

// plainGo returns the words of the go command with its plain name and without -C. Of one whose
// command is not known, build is assumed.
func plainGo(words []Value) []Value {
	unnamed := !words[0].Known && words[0].Text == "" && len(words) > 1
	if !IsGo(words[0].Text) && !unnamed {
		return words
	}
	all := []Value{words[0]}
	all[0].Text = "go"
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		if rest[0].Text == "-C" || rest[0].Text == "--C" {
			rest = rest[1:]
		}
		rest = rest[min(1, len(rest)):]
	}
	if len(rest) > 0 && !rest[0].Known {
		all = append(all, Value{Text: "build", Known: true})
		if rest[0].Text != "" { // one command of a loop
			rest = rest[1:]
		}
	}
	return append(all, rest...)
}

// start reads a command, and those that it starts.
func (r *caller) start(words []Value, before map[string]Value) {
	started := false
	for len(words) > 0 {
		name, value, set := strings.Cut(words[0].Text, "=")
		base := path.Base(name)
		valued, starter := starters[base]
		switch {
		case set && name != "" && !strings.HasPrefix(name, "-") && len(words) > 1:
			before[name] = Value{value, words[0].Source, words[0].Known}
		case starter:
			started = true
			if n := splits(base, words); n > 0 && *r.scripts < maxScripts {
				r.inner(joined(words[n:]), nil, before)
				return
			}
			words = options(words, valued)
			if len(words) > 1 && slices.Contains(placed, base) {
				words = words[1:]
			}
		case started && len(words) > 1 && strings.HasPrefix(name, hole): // env $(cat file) make
			before[Elsewhere] = Value{Source: words[0].Source}
		case !started || name == "" || name[0] < '0' || name[0] > '9':
			r.one(words, before)
			return
		}
		words = words[1:]
	}
}

// options returns the last word of a starter and its options, and the words behind.
func options(words []Value, valued string) []Value {
	for len(words) > 1 && strings.HasPrefix(words[1].Text, "-") {
		words = words[1:]
		text := words[0].Text
		if text == "--" {
			break
		}
		short := len(text) == 2 && strings.Contains(valued, text[1:])
		if len(words) > 1 && (short || slices.Contains(longOptions, text)) {
			words = words[1:]
		}
	}
	return words
}

// splits returns where the text is that env -S splits, 0 for none.
func splits(name string, words []Value) int {
	if name != "env" {
		return 0
	}
	for n, w := range words[1:] {
		if !strings.HasPrefix(w.Text, "-") {
			return 0
		}
		if strings.HasSuffix(w.Text, "S") || w.Text == "--split-string" {
			return min(n+2, len(words)-1)
		}
	}
	return 0
}

// texter reads the script that a command gets by -c, or is fed.
func (r *caller) texter(words []Value, before map[string]Value) {
	for n, w := range words {
		_, text, given := strings.Cut(w.Text, "--command=")
		short := strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.HasSuffix(w.Text, "c")
		switch {
		case given:
			r.inner(Value{text, w.Source, w.Known}, nil, before)
			return
		case (short || w.Text == "--command") && n+1 < len(words):
			r.inner(words[n+1], append([]Value{words[0]}, words[n+2:]...), before)
			return
		case w.Text == "--" && path.Base(words[0].Text) == "runuser":
			r.start(words[n+1:], before)
			return
		}
	}
	name := path.Base(words[0].Text)
	switch n := behind(name, words); {
	case n > 0:
		r.start(words[n:], before)
	case r.input != nil && name == "su":
		r.inner(*r.input, words[:1], before)
	default:
		r.call(words, before)
	}
}

// behind returns where a go command or a shell with a text begins behind an unknown command, 0 for
// none.
func behind(name string, words []Value) int {
	if IsGo(name) || slices.Contains(others, name) {
		return 0
	}
	for n := 1; n+1 < len(words); n++ {
		next := words[n+1].Text
		if IsGo(words[n].Text) && (next == "build" || next == "install" || strings.HasPrefix(next, "-C")) ||
			IsShell(words[n].Text) && strings.HasPrefix(next, "-") && strings.HasSuffix(next, "c") {
			return n
		}
	}
	return 0
}
