package apt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// verb is what a command does: a command that package debian resolves, or one of the others here.
type verb = debian.Command

const (
	install     = debian.CommandInstall
	upgrade     = debian.CommandUpgrade
	distUpgrade = debian.CommandDistUpgrade
	remove      = debian.CommandRemove
	purge       = debian.CommandPurge
	autoremove  = debian.CommandAutoRemove

	update   verb = "update"
	clean    verb = "clean"
	download verb = "download"
	nothing  verb = "" // it changes no file that an image keeps
)

// verbs are the words for each, of apt-get and apt.
var verbs = map[string]verb{
	"update": update, "install": install, "upgrade": upgrade, "full-upgrade": distUpgrade,
	"dist-upgrade": distUpgrade, "remove": remove, "purge": purge, "autoremove": autoremove,
	"auto-remove": autoremove, "autopurge": autoremove, "clean": clean, "autoclean": nothing, "auto-clean": nothing,
	"distclean": clean, "dist-clean": clean, "check": nothing, "download": download,
}

// operation is a command of apt-get or apt, read.
type operation struct {
	verb  verb
	names []string // as the command has them: NAME[:ARCH][=VERSION|/SUITE], NAME-, ./FILE.deb
	// set are those options that decide which packages are taken, in their long form.
	set      []string
	settings []setting // of -o
	text     string    // what packages.lock.yaml has in place of the words; "" for these
}

// setting is KEY=VALUE of -o.
type setting struct{ key, value string }

// has reports whether an option is set.
func (o operation) has(option string) bool { return slices.Contains(o.set, option) }

// value returns the value of an option such as --target-release=SUITE.
func (o operation) value(option string) string {
	for _, s := range o.set {
		if v, ok := strings.CutPrefix(s, option+"="); ok {
			return v
		}
	}
	return ""
}

// resolves reports whether indexes decide what the operation does.
func (o operation) resolves() bool {
	return slices.Contains([]verb{install, upgrade, distUpgrade, remove, purge, autoremove, download}, o.verb)
}

// String returns the command without what does not decide which packages it takes: the form of
// packages.lock.yaml.
func (o operation) String() string {
	if o.text != "" {
		return o.text
	}
	words := []string{"apt-get", string(o.verb)}
	set := slices.Clone(o.set)
	slices.Sort(set)
	words = append(words, slices.Compact(set)...)
	for _, s := range o.settings {
		words = append(words, "-o", s.key+"="+s.value)
	}
	return strings.Join(append(words, o.names...), " ")
}

// deciding are the options that decide which packages are taken: those of the long form, and the
// short forms of some.
var deciding = map[string]string{
	"--no-install-recommends": "", "--install-recommends": "", "--install-suggests": "", "--no-install-suggests": "",
	"--reinstall": "", "--no-upgrade": "", "--only-upgrade": "", "--allow-downgrades": "",
	"--allow-change-held-packages": "", "--allow-remove-essential": "", "--allow-unauthenticated": "",
	"--auto-remove": "", "--autoremove": "--auto-remove", "--purge": "",
	"--ignore-hold": "--allow-change-held-packages",
	"--force-yes":   "", "--with-new-pkgs": "", "--without-new-pkgs": "", "--no-remove": "",
}

// passed are options that decide nothing: they answer questions, and say what is printed.
var passed = []string{
	"--yes", "--assume-yes", "--quiet", "--no-show-progress", "--show-progress", "--fix-missing",
	"--ignore-missing", "--fix-broken", "--show-upgraded", "--verbose-versions", "--no-fix-broken",
	"--trivial-only", "--no-trivial-only", "--allow-releaseinfo-change", "--allow-insecure-repositories",
	"--no-download", "--list-cleanup", "--no-list-cleanup", "--error-on=any", "--no-allow-insecure-repositories",
}

// shorts are the short options, with their long form.
var shorts = map[rune]string{
	'y': "--yes", 'q': "--quiet", 'V': "--verbose-versions", 'u': "--show-upgraded", 'm': "--fix-missing",
	'f': "--fix-broken",
}

// read reads the words of apt-get or apt.
func read(args []string) (operation, error) {
	var o operation
	var word string
	for n := 1; n < len(args); n++ {
		w := args[n]
		if w == "--" {
			o.names = append(o.names, args[n+1:]...)
			break
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			if word == "" {
				word = w
			} else {
				o.names = append(o.names, w)
			}
			continue
		}
		used, err := o.option(w, args[n+1:])
		if err != nil {
			return o, err
		}
		n += used
	}
	v, ok := verbs[word]
	switch {
	case word == "":
		return o, fmt.Errorf("%s: it has no command such as install", args[0])
	case !ok:
		return o, fmt.Errorf("%s %s is not carried out: install, upgrade, remove and update are among those that are",
			args[0], word)
	}
	o.verb = v
	if word == "autopurge" {
		o.set = append(o.set, "--purge")
	}
	if v == remove && o.has("--purge") {
		o.verb = purge
		o.set = slices.DeleteFunc(o.set, func(s string) bool { return s == "--purge" })
	}
	return o, o.checked(args[0] + " " + word)
}

// checked reports operands that do not fit.
func (o operation) checked(command string) error {
	switch o.verb {
	case update, upgrade, distUpgrade, clean, nothing:
		if len(o.names) > 0 {
			return fmt.Errorf("%s takes no names: leave out %s, or use install", command, o.names[0])
		}
	case remove, purge, download:
		if len(o.names) == 0 {
			return fmt.Errorf("%s names no package", command)
		}
	}
	return nil
}

// option reads an option. It returns how many of the next words it took.
func (o *operation) option(w string, next []string) (int, error) {
	for _, long := range []string{"--option", "--target-release", "--default-release"} {
		if v, ok := strings.CutPrefix(w, long+"="); ok {
			return 0, o.valued(long, v)
		}
		if w == long || w == "-o" && long == "--option" || w == "-t" && long == "--target-release" {
			if len(next) == 0 {
				return 0, fmt.Errorf("option %s has no value", w)
			}
			return 1, o.valued(long, next[0])
		}
	}
	if strings.HasPrefix(w, "--") {
		return 0, o.long(w)
	}
	if v, ok := strings.CutPrefix(w, "-o"); ok {
		return 0, o.valued("--option", v)
	}
	if v, ok := strings.CutPrefix(w, "-t"); ok {
		return 0, o.valued("--target-release", strings.TrimPrefix(v, "="))
	}
	for n, letter := range w[1:] {
		if letter == '=' || n > 0 && letter >= '0' && letter <= '9' {
			return 0, nil // -q=2
		}
		if _, ok := shorts[letter]; !ok {
			return 0, fmt.Errorf("option %s is not known here", w)
		}
	}
	return 0, nil
}

func (o *operation) long(w string) error {
	name, value, has := strings.Cut(w, "=")
	if has && (value == "true" || value == "1" || value == "yes") {
		w = name
	}
	if to, ok := deciding[w]; ok {
		if to == "" {
			to = w
		}
		o.set = append(o.set, to)
		return nil
	}
	if slices.Contains(passed, w) || slices.Contains(passed, name) && name == "--quiet" {
		return nil
	}
	return fmt.Errorf("option %s is not known here", w)
}

// valued takes an option with a value.
func (o *operation) valued(long, v string) error {
	if long != "--option" {
		o.set = append(o.set, "--target-release="+v)
		return nil
	}
	key, value, ok := strings.Cut(v, "=")
	if !ok || key == "" {
		return fmt.Errorf("-o %s is not KEY=VALUE", v)
	}
	o.settings = append(o.settings, setting{key, value})
	return nil
}
