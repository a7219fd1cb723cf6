package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// releaseWord matches the name of a Windows release: ltsc2022 anywhere, a number only where the
// text around it is about Windows.
var (
	ltscWord   = lazyregexp.New(`ltsc(?:2019|2022|2025)`)
	numberWord = lazyregexp.New(
		`(?i)(?:windows|nanoserver|servercore|os_?version|\bos)[A-Za-z_./-]*[-:=?\s"']+(1809|2004|1903|1909|20H2)\b`)
	windowsVars = lazyregexp.New(`(?i)windows|\bwin|nanoserver|servercore|ltsc|^ALL_OS|MULTI_ARCH|OSVERSION`)
)

// namedReleases adds the Windows releases that Dockerfiles for Windows, variables of make,
// workflows and bake files name.
func (d *Draft) namedReleases() bool {
	read := func(text string) {
		for _, w := range ltscWord.FindAllString(text, -1) {
			d.windowsVersion(w)
		}
		for _, m := range numberWord.FindAllStringSubmatch(text, -1) {
			if platform.TagVersion(m[1]) != "" {
				d.windowsVersion(m[1])
			}
		}
	}
	from := []string{}
	look := func(name string, texts ...string) {
		before := len(d.platforms)
		for _, t := range texts {
			read(t)
		}
		if len(d.platforms) > before {
			from = append(from, name)
		}
	}
	var vars []string
	for _, name := range sortedKeys(d.make.values) {
		if v := d.make.expand(d.make.values[name]); windowsVars.MatchString(name) || windowsVars.MatchString(v) {
			vars = append(vars, name+" = "+v)
			for _, w := range strings.Fields(v) {
				if platform.TagVersion(w) != "" && windowsVars.MatchString(name) {
					vars = append(vars, "windows "+w)
				}
			}
		}
	}
	look("variables of the Makefile", vars...)
	list, _ := d.dockerfileNames()
	for _, f := range list {
		if t := string(d.tree.text(f)); isWindows.MatchString(path.Base(f)) || isWindows.MatchString(t) {
			look(f, instructionsOf(t, "FROM", "ARG"))
		}
	}
	for _, f := range d.tree.files {
		if strings.HasPrefix(f, workflows) || strings.HasPrefix(path.Base(f), "docker-bake") {
			if t := string(d.tree.text(f)); isWindows.MatchString(t) {
				look(f, strings.Join(withoutRunners(t), "\n"))
			}
		}
	}
	if len(from) > 0 {
		d.found("Windows releases from %s", listed(from))
	}
	return len(from) > 0
}

// instructionsOf returns the lines of some instructions.
func instructionsOf(text string, words ...string) string {
	var list []string
	for l := range strings.Lines(text) {
		if first, _, ok := strings.Cut(strings.TrimSpace(l), " "); ok &&
			slices.Contains(words, strings.ToUpper(first)) {
			list = append(list, l)
		}
	}
	return strings.Join(list, "")
}

// withoutRunners returns the lines of a workflow but those that choose a machine.
func withoutRunners(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool {
		return strings.Contains(l, "runs-on") || strings.Contains(l, "windows-20") || strings.Contains(l, "runner")
	})
}
