package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// notReleased are the words by which projects call Dockerfiles, their directories and stages that
// are not images of a release.
var notReleased = []string{
	"dev", "devel", "develop", "development", "devcontainer", "debug", "test", "tests", "testing",
	"e2e", "lint", "fuzz", "fuzzing", "coverage", "cover", "local", "ci", "builder", "buildx",
	"dapper", "artifact", "artifacts", "validate", "validation", "website", "docs", "hugo", "mkdocs", "bench",
	"benchmark", "tilt", "export", "unit", "integration", "tooling", "regression", "cross",
}

// noDockerfile are endings of files that are called like Dockerfiles and are not.
var noDockerfile = []string{
	"dockerignore", "txt", "md", "tmpl", "template", "orig", "j2", "in", "go", "sh", "yaml", "yml", "json",
	"wasm", "tpl", "gotmpl", "py", "js", "ts", "toml", "rb", "lock", "bak", "patch", "diff", "html", "rst", "adoc",
	"erb", "jinja", "jinja2", "mustache", "gz", "zip", "svg", "png",
}

// wordsOf splits a name at characters that are not letters or digits.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// helper reports whether a name has a word of programs that are not released.
func helper(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(w string) bool { return slices.Contains(notReleased, w) })
}

// helper reports whether a name has a word of programs that are not released, which the product's
// name does not have.
func (d *Draft) helper(name string) bool {
	own := wordsOf(d.repositoryName())
	for _, m := range d.mains {
		own = append(own, wordsOf(m.name)...)
	}
	return slices.ContainsFunc(wordsOf(name), func(w string) bool {
		return slices.Contains(notReleased, w) && !slices.Contains(own, w)
	})
}

// counted are the directories of [aside] whose Dockerfiles count where a build names them.
var counted = []string{"hack", "tools"}

// chooseDockerfiles decides which Dockerfiles a release is made from: those that something which
// publishes builds. Others, and one that is called like what developers use, are a question.
func (d *Draft) chooseDockerfiles() {
	var sure, open, odd, others []string
	released := d.published && !d.unmapped || slices.ContainsFunc(d.koBuilt, claim.published)
	for _, f := range d.tree.files {
		variant, ok := variantOf(f)
		if !ok {
			continue
		}
		dir, published := path.Dir(f), d.publishedBy(f)
		named := slices.ContainsFunc(d.buildsOf(f), dockerBuild.counts)
		inside := slices.DeleteFunc(strings.Split(dir, "/"), func(s string) bool {
			return named && slices.Contains(counted, s)
		})
		r := readDockerfile(f, d.tree.text(f))
		aside := !published && r != nil && len(d.buildsOf(f)) > 0 && d.onlyHelpers(r) || d.helper(variant) ||
			d.helper(dir) || isAside(path.Join(inside...)) || strings.HasPrefix(f, ".")
		switch {
		case published && (aside || slices.Contains(counted, topOf(f)) || d.forTags && d.ofBranchesAlone(f)):
			odd = append(odd, f)
		case published:
			sure = append(sure, f)
		case aside:
			others = append(others, f)
		case released && !d.unmapped:
			d.leave("Dockerfiles that nothing which publishes builds", "%s", f)
		default:
			open = append(open, f)
		}
	}
	if len(sure)+len(open)+len(odd) == 0 && !released {
		odd = slices.DeleteFunc(slices.Clone(others), isAside) // the only ones
		others = slices.DeleteFunc(others, func(f string) bool { return slices.Contains(odd, f) })
	}
	if len(others) > 0 {
		d.leave("Dockerfiles that are not released, by their names", "%s", listed(others))
	}
	d.files = sure
	if len(open)+len(odd) > 0 {
		d.files = d.decideFiles(sure, open, odd)
	}
	slices.SortStableFunc(d.files, func(a, b string) int { return d.order(a) - d.order(b) })
	for _, f := range sure { // what they run makes the release, too
		if r := readDockerfile(f, d.tree.text(f)); r != nil {
			for _, s := range r.stages {
				for c := range instructionsIn[*instructions.RunCommand](s) {
					d.runs(strings.Join(c.CmdLine, " "))
				}
			}
		}
	}
}

// ofBranchesAlone reports whether what publishes builds a Dockerfile for branches, and not for tags.
func (d *Draft) ofBranchesAlone(f string) bool {
	return !slices.ContainsFunc(d.buildsOf(f), func(b dockerBuild) bool { return !b.ofBranches })
}

// onlyHelpers reports whether all builds of a Dockerfile are of stages that are not released.
func (d *Draft) onlyHelpers(r *recipe) bool {
	return !slices.ContainsFunc(d.buildsOf(r.path), func(b dockerBuild) bool {
		s := r.find(b.target)
		return s == nil || !helper(s.Name)
	})
}

// decideFiles asks for the Dockerfiles of a release.
func (d *Draft) decideFiles(sure, open, odd []string) []string {
	var all []claim
	add := func(files []string) {
		if len(files) == 0 {
			return
		}
		value := strings.Join(slices.Sorted(slices.Values(files)), ", ")
		all = append(all, claim{value: value, rank: develops})
		for _, f := range files {
			if builds := d.buildsOf(f); len(builds) > 0 {
				all = append(all, claim{value, develops, builds[0].at})
			}
		}
	}
	add(slices.Concat(sure, open))
	add(slices.Concat(sure, open, odd))
	add(sure)
	for _, f := range open {
		add(slices.Concat(sure, []string{f}))
	}
	all = append(all, claim{value: none})
	what := "the Dockerfiles that the images of a release are made from: what publishes builds %s"
	if len(open) > 0 {
		what = "the Dockerfiles that the images of a release are made from: nothing that publishes builds %s"
	}
	what = strings.Replace(what, "%s", listed(append(open, odd...)), 1)
	value := d.decide("images", what, all)
	if value == none {
		return nil
	}
	return strings.Split(value, ", ")
}

// order orders Dockerfiles: those that a build names before others, and then by depth.
func (d *Draft) order(f string) int {
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
	for _, base := range []string{"dockerfile", "containerfile"} {
		if name == base {
			return "", true
		}
		for _, by := range []string{".", "-", "_"} {
			if variant, ok := strings.CutPrefix(name, base+by); ok {
				return variant, !slices.Contains(noDockerfile, strings.TrimPrefix(path.Ext(p), "."))
			}
		}
		if variant, ok := strings.CutSuffix(name, "."+base); ok {
			return variant, true
		}
	}
	return "", false
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
