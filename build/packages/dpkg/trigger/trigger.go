// Package trigger activates triggers of packages, as dpkg-trigger does from a maintainer script.
package trigger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

const (
	info     = "/var/lib/dpkg/info"
	unincorp = "/var/lib/dpkg/triggers/Unincorp"
)

// Activate notes that a trigger was activated; dpkg acts on it when the script has ended. The
// package and its architecture are those of the script, whose package awaits that the trigger is
// processed; an empty name means that none does (--no-await).
func Activate(t *tree.Tree, name, pkg, arch string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("dpkg-trigger: %.60q is not the name of a trigger", name)
	}
	awaiter, err := label(t, pkg, arch)
	if err != nil {
		return err
	}
	text, err := tree.ReadText(t, unincorp)
	if err != nil {
		return err
	}
	var lines []string
	found := false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == name && !found {
			found = true
			// as dpkg-trigger: the awaiter comes first
			others := slices.DeleteFunc(words[1:], func(w string) bool { return w == awaiter })
			line = strings.Join(slices.Concat([]string{name, awaiter}, others), " ") + "\n"
		}
		lines = append(lines, line)
	}
	if !found {
		lines = append(lines, name+" "+awaiter+"\n")
	}
	const mode = 0o644
	return t.WriteText(unincorp, []byte(strings.Join(lines, "")), mode)
}

// label returns how dpkg names the package that awaits.
func label(t *tree.Tree, pkg, arch string) (string, error) {
	if pkg == "" {
		return "-", nil
	}
	n, err := t.Lstat(info + "/" + pkg + ":" + arch + ".list")
	if err != nil || n == nil {
		return pkg, err
	}
	return pkg + ":" + arch, nil
}
