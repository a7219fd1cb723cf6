package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// windows reports whether a stage is for Windows, through the stages that it starts from.
func (r *recipe) windows(s *stage) bool {
	if strings.Contains(s.Platform, platform.Linux) || strings.Contains(s.Platform, "BUILDPLATFORM") {
		return false
	}
	file := path.Base(r.path)
	if isWindows.MatchString(s.base+"\n"+s.BaseName+"\n"+s.Name+"\n"+file) || winFile.MatchString(file) {
		return true
	}
	from := r.find(s.base)
	return from != nil && from != s && !from.builder() && r.windows(from)
}

// winFile matches a Dockerfile that is called as one for Windows.
var winFile = lazyregexp.New(`(?i)(?:^|[._-])win(?:64|32)?(?:[._-]|$)`)

// used returns the stages that others are made from; those of skip do not count.
func (r *recipe) used(skip func(*stage) bool) map[*stage]bool {
	used := map[*stage]bool{}
	for n, s := range r.stages {
		for _, name := range s.from() {
			if from := r.before(name, n); from != nil && !skip(s) {
				used[from] = true
			}
		}
	}
	return used
}

// ends returns the stages that no other is made from, but for a last one that is not released, and
// without those that only compile. Where that leaves none, it is the last one.
func (r *recipe) ends() (list []*stage) {
	all := r.used(func(*stage) bool { return false })
	used := r.used(func(s *stage) bool { return helper(s.Name) && !all[s] })
	for _, s := range r.stages {
		if !used[s] && (!s.builder() || s.starts()) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		list = r.stages[len(r.stages)-1:]
	}
	return list
}

// targets returns the stages of a Dockerfile that are images: those that builds name, where they
// do not tell all ends of the file that are not called like those of developers. The other ends
// are reported.
func (d *Draft) targets(r *recipe) (chosen []*stage) {
	builds, ends := d.buildsOf(r.path), r.ends()
	last := ends[len(ends)-1] // which docker build makes
	for n := len(ends) - 1; n >= 0 && helper(last.Name); n-- {
		last = ends[n]
	}
	var left []string
	for _, s := range r.stages {
		switch {
		case slices.ContainsFunc(builds, func(b dockerBuild) bool { return r.builds(b, s) }):
			chosen = append(chosen, s)
		case !slices.Contains(ends, s):
		case len(builds) == 0 && (s == last || r.windows(s) != r.windows(last) && !helper(s.Name)):
			chosen = append(chosen, s)
		case s.Name != "":
			left = append(left, s.Name)
		}
	}
	if slices.ContainsFunc(chosen, func(s *stage) bool { return !helper(s.Name) }) {
		chosen = slices.DeleteFunc(chosen, func(s *stage) bool {
			if helper(s.Name) {
				left = append(left, s.Name)
			}
			return helper(s.Name)
		})
	}
	if len(chosen) == 0 {
		chosen = ends[len(ends)-1:]
	}
	left = slices.DeleteFunc(left, func(name string) bool { return r.find(name) == chosen[0] })
	if len(left) > 0 {
		d.leave("stages that are not released", "%s: %s", r.path, listed(left))
	}
	return chosen
}

// builds reports whether a build is of a stage, or may be.
func (r *recipe) builds(b dockerBuild, s *stage) bool {
	switch {
	case b.target == "":
		return s == r.last()
	case !shell.Unknown(b.target):
		return r.find(b.target) == s && (b.rank == publishes || !helper(s.Name))
	}
	ok, _ := path.Match(strings.ToLower(pattern(b.target)), strings.ToLower(s.Name))
	return ok && !helper(s.Name) && slices.Contains(r.ends(), s)
}

// family are the stages of one image for one operating system: one, or one for each Windows
// release.
type family struct {
	from   *recipe
	os     string
	name   string // the stage's, without words for systems
	stages []*stage
}

// families puts stages together that are one image: those for each Windows release.
func families(r *recipe, chosen []*stage) (list []family) {
	for _, s := range chosen {
		os, name, word := platform.Linux, s.Name, ""
		if r.windows(s) {
			os, word = platform.Windows, windowsWord(s.Name)
			name = strings.Replace(strings.ToLower(name), word, "", 1)
		}
		name = withoutOS(name)
		same := slices.IndexFunc(list, func(f family) bool {
			return f.os == os && f.name == name && word != "" && windowsWord(f.stages[0].Name) != ""
		})
		if same >= 0 {
			list[same].stages = append(list[same].stages, s)
			continue
		}
		list = append(list, family{r, os, name, []*stage{s}})
	}
	return list
}

// windowsWord returns the part of a stage's name that is a Windows release, "" if none is.
func windowsWord(name string) string {
	for _, w := range wordsOf(name) {
		if platform.TagVersion(w) != "" {
			return w
		}
	}
	return ""
}
