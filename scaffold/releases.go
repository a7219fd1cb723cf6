package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"

	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// releaseWord matches the name of a Windows release: ltsc2022 anywhere, a number only where the
// text around it is about Windows.
var (
	ltscWord   = lazyregexp.New(`(?i)ltsc(?:2019|2022|2025)`)
	numberWord = lazyregexp.New(
		`(?i)(?:windows|nanoserver|servercore|os_?version|\bos)[A-Za-z_./-]*[-:=?\s"'/]+(1809|2004|1903|1909|20H2)\b`)
	olderWord   = lazyregexp.New(`\b(?:1809|20H2)\b`) // next to another one
	windowsVars = lazyregexp.New(`(?i)windows|\bwin|nanoserver|servercore|ltsc|^ALL_OS|MULTI_ARCH|OSVERSION`)
	runner      = lazyregexp.New(`runs-on|windows-20|runner|\bos:`)
)

// windowsClaims are the Windows releases that files name, a claim for each file: Dockerfiles for
// Windows in FROM, and what builds them.
func (d *Draft) windowsClaims() (all []claim) {
	fixed := false
	for _, f := range d.files {
		text := string(d.tree.text(f))
		if !isWindows.MatchString(path.Base(f)) && !isWindows.MatchString(text) {
			continue
		}
		if c, ok := d.windowsIn(f, publishes, func(l string) bool { return instruction(l) == "FROM" }); ok {
			all, fixed = append(all, c), true
		}
		if c, ok := d.windowsIn(f, develops, func(l string) bool { return instruction(l) == "ARG" }); ok {
			all = append(all, c)
		}
	}
	for _, f := range d.tree.files {
		if !d.saysBuilds(f) && !isWorkflow(f) && path.Base(f) != "BASEIMAGE" || isAside(f) &&
			!d.publishers.files[f] && !isWorkflow(f) {
			continue
		}
		r := d.publishers.of(f)
		if makefile.Is(f) {
			r = d.windowsRank()
		} else if path.Base(f) == "BASEIMAGE" {
			r = publishes
		}
		if fixed {
			r = min(r, develops) // the Dockerfiles say it
		}
		if c, ok := d.windowsIn(f, r, func(l string) bool { return !runner.MatchString(l) }); ok {
			if makefile.Is(f) && !fixed {
				c.rank = max(c.rank, d.makeRank(c.at))
			}
			all = append(all, c)
		}
	}
	var usual []string
	for _, r := range platform.LTSC {
		usual = append(usual, "windows/amd64:"+r.Name)
	}
	return append(all, claim{value: listOf(usual)})
}

// instruction is the first word of a line of a Dockerfile.
func instruction(line string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return strings.ToUpper(first)
}

// windowsIn returns the Windows releases of a file, in its lines that count.
func (d *Draft) windowsIn(f string, r rank, counts func(line string) bool) (claim, bool) {
	var set []string
	at := place{f, 0}
	for n, line := range makefile.Lines(string(d.tree.text(f))) {
		if !counts(line) || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, w := range windowsWords(line) {
			if on := d.windowsRelease(w); on != "" {
				set = appendNew(set, on)
				if at.line == 0 {
					at.line = n
				}
			}
		}
	}
	return claim{listOf(set), r, at}, len(set) > 0
}

// windowsWords returns the words of a line that name a Windows release.
func windowsWords(line string) []string {
	words := ltscWord.FindAllString(line, -1)
	for _, m := range numberWord.FindAllStringSubmatch(line, -1) {
		words = append(words, m[1])
	}
	if len(words) > 0 {
		words = append(words, olderWord.FindAllString(line, -1)...)
	}
	if name, _, value := makefile.Assignment(line); windowsVars.MatchString(name) {
		for _, w := range strings.Fields(value) {
			if platform.TagVersion(w) != "" {
				words = append(words, w)
			}
		}
	}
	return words
}

// windowsRelease returns the platform of a Windows release by any of its names. One that
// Microsoft no longer supports is omitted, and reported.
func (d *Draft) windowsRelease(name string) string {
	v := platform.TagVersion(strings.ToLower(name))
	r := platform.Release(v)
	switch {
	case v == "":
		return ""
	case !slices.ContainsFunc(platform.LTSC, func(l platform.WindowsRelease) bool { return l.Name == r }):
		d.leave("Windows releases out of support, to keep one write it under platforms", "%s (windows/amd64:%s)",
			name, v)
		return ""
	}
	return "windows/amd64:" + r
}
