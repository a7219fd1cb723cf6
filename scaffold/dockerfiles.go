package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// notReleased are the words by which projects call Dockerfiles, their directories and stages that
// are not images of a release.
var notReleased = []string{
	"dev", "devel", "develop", "development", "devcontainer", "debug", "test", "tests", "testing",
	"e2e", "lint", "fuzz", "fuzzing", "coverage", "cover", "local", "ci", "builder", "buildx",
	"dapper", "artifact", "artifacts", "validate", "validation", "website", "docs", "hugo", "bench",
	"benchmark", "tilt", "export", "unit", "integration",
}

// noDockerfile are endings of files that are called like Dockerfiles and are not.
var noDockerfile = []string{
	"dockerignore", "txt", "md", "tmpl", "template", "orig", "j2", "in",
	"go", "sh", "yaml", "yml", "json",
}

// wordsOf splits a name at characters that are not letters or digits.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// helper reports whether a name has a word of what is not released.
func helper(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(w string) bool { return slices.Contains(notReleased, w) })
}

// released are the directories of [aside] whose Dockerfiles count where a build names them.
var released = []string{"hack", "tools"}

// dockerfileNames lists the Dockerfiles of images, and those that are not released. What a build
// names comes first, then what is nearest to the root.
func (d *Draft) dockerfileNames() (list, others []string) {
	for _, f := range d.tree.files {
		variant, ok := variantOf(f)
		if !ok {
			continue
		}
		dir := path.Dir(f)
		named := slices.ContainsFunc(d.buildsOf(f), func(b dockerBuild) bool { return b.counts() })
		inside := slices.DeleteFunc(strings.Split(dir, "/"), func(s string) bool {
			return named && slices.Contains(released, s)
		})
		if helper(variant) || helper(dir) || isAside(path.Join(inside...)) || strings.HasPrefix(f, ".") {
			others = append(others, f)
			continue
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b string) int { return d.rank(a) - d.rank(b) })
	return list, others
}

// rank orders Dockerfiles: those that a build names before others, and then by depth.
func (d *Draft) rank(f string) int {
	const unnamed = 1000
	n := strings.Count(f, "/")
	if len(d.buildsOf(f)) == 0 {
		n += unnamed
	}
	return n
}

// variantOf returns the rest of a Dockerfile's name: windows of Dockerfile.Windows and
// windows.Dockerfile.
func variantOf(p string) (string, bool) {
	name := strings.ToLower(path.Base(p))
	var variant string
	switch {
	case name == "dockerfile" || name == "containerfile":
		return "", true
	case strings.HasSuffix(name, ".dockerfile"):
		variant = strings.TrimSuffix(name, ".dockerfile")
	case strings.HasPrefix(name, "dockerfile.") || strings.HasPrefix(name, "dockerfile-") ||
		strings.HasPrefix(name, "dockerfile_"):
		variant = name[len("dockerfile."):]
	case strings.HasPrefix(name, "containerfile."):
		variant = strings.TrimPrefix(name, "containerfile.")
	default:
		return "", false
	}
	return variant, !slices.Contains(noDockerfile, strings.TrimPrefix(path.Ext(p), "."))
}

var osWords = lazyregexp.New(
	`(?i)(?:^|[._-])(?:windows|linux|win|amd64|multiarch|build|ltsc[0-9]{4}|1809)(?:$|[._-])`)

// withoutOS takes the words of an operating system out of a name.
func withoutOS(s string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "windowshostprocess", "hostprocess")
	for osWords.MatchString(s) {
		s = osWords.ReplaceAllString(s, "-")
	}
	return strings.Trim(s, "._-")
}

// windows reports whether a stage is for Windows, through the stages that it starts from.
func (r *recipe) windows(s *stage) bool {
	if s.Platform != "" && strings.Contains(s.Platform, platform.Linux) ||
		strings.Contains(s.Platform, "BUILDPLATFORM") {
		return false
	}
	if isWindows.MatchString(s.base) || isWindows.MatchString(s.BaseName) || isWindows.MatchString(s.Name) ||
		isWindows.MatchString(path.Base(r.path)) {
		return true
	}
	from := r.find(s.base)
	return from != nil && from != s && !from.builder() && r.windows(from)
}

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

// targets returns the stages of a Dockerfile that are images, and the ends that are not. Builds
// name them; where they do not, all that are not helpers count.
func (d *Draft) targets(r *recipe) (chosen, others []*stage) {
	builds := d.buildsOf(r.path)
	ends := r.ends()
	whole, open := len(builds) == 0, len(builds) == 0
	for _, b := range builds {
		switch s := r.find(b.target); {
		case b.target == "":
			whole = true
		case s != nil && !helper(s.Name) && !slices.Contains(chosen, s):
			chosen = append(chosen, s)
		case s == nil && unknown(b.target):
			open = true
		}
	}
	for _, s := range ends {
		last := s == r.stages[len(r.stages)-1]
		switch {
		case slices.Contains(chosen, s):
		case helper(s.Name) && (len(ends) > 1 || !whole && !open):
			others = append(others, s)
		case open || whole && (last || helper(r.stages[len(r.stages)-1].Name)) || len(chosen) == 0 && len(ends) == 1:
			chosen = append(chosen, s)
		case whole && r.windows(s) != r.windows(r.stages[len(r.stages)-1]):
			chosen = append(chosen, s)
		default:
			others = append(others, s)
		}
	}
	if len(chosen) == 0 && (whole || open) {
		chosen, others = others, nil
	}
	slices.SortStableFunc(chosen, func(a, b *stage) int {
		return slices.Index(r.stages, a) - slices.Index(r.stages, b)
	})
	return chosen, others
}

// family are the stages of one image for one operating system: one, or one for each Windows
// release.
type family struct {
	from   *recipe
	os     string
	name   string // the stage's, without words for systems; "" if the file has one image for it
	stages []*stage
}

// families puts stages together that are one image: those for each Windows release.
func families(r *recipe, chosen []*stage) (list []family) {
	for _, s := range chosen {
		os, name := platform.Linux, s.Name
		if r.windows(s) {
			os = platform.Windows
			if w := windowsWord(s.Name); w != "" {
				name = strings.Replace(strings.ToLower(name), w, "", 1)
			}
		}
		name = withoutOS(name)
		same := slices.IndexFunc(list, func(f family) bool {
			return f.os == os && f.name == name && os == platform.Windows && windowsWord(s.Name) != "" &&
				windowsWord(f.stages[0].Name) != ""
		})
		if same >= 0 {
			list[same].stages = append(list[same].stages, s)
			continue
		}
		list = append(list, family{r, os, name, []*stage{s}})
	}
	return list
}
