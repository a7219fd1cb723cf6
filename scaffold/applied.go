package scaffold

import (
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"
	"github.com/slipway-dev/slipway/scaffold/makefile"
)

var (
	// appliedFile matches a manifest of a repository that a line names: by its path, or by an address
	// of GitHub with its branch or its tag.
	appliedFile = lazyregexp.New(
		`(?:https?://(?:raw\.githubusercontent\.com/[^/\s]+/[^/\s]+/(?:refs/(?:heads|tags)/)?[^/\s]+/|` +
			`github\.com/[^/\s]+/[^/\s]+/(?:raw|blob)/[^/\s]+/))?(?:\./)?([A-Za-z0-9_.-][A-Za-z0-9_./-]*\.ya?ml)`)
	// triedAlone are directories whose manifests are there to be tried.
	triedAlone = lazyregexp.New(`(?i)(?:^|/)(?:tests?|e2e|hack|examples?|samples?|demos?)/`)
)

// otherApplied says which manifests the documentation applies, that are in none of these
// directories.
func (d *Draft) otherApplied(homes []string) {
	said := map[string]bool{}
	for _, f := range d.tree.files {
		if path.Ext(f) != ".md" || triedAlone.MatchString(f) {
			continue
		}
		for n, line := range makefile.Lines(string(d.tree.text(f))) {
			if !applies.MatchString(line) {
				continue
			}
			for _, m := range appliedFile.FindAllStringSubmatch(line, -1) {
				at := path.Clean(m[1])
				released := slices.ContainsFunc(d.templates, func(e entry) bool { return e.path == at })
				if released || said[at] || below(at, homes) || triedAlone.MatchString(at) || !d.isObject(at) {
					continue
				}
				said[at] = true
				d.leave("manifests that the documentation applies, which templates of release would name",
					"%s (%s)", at, place{f, n})
			}
		}
	}
}

// isObject reports whether a file of the repository is a manifest of objects.
func (d *Draft) isObject(f string) bool {
	return workload.IsManifest(f) && d.tree.has(f) &&
		slices.ContainsFunc(d.yaml(f), func(n *yaml.Node) bool {
			return yamlfile.Text(n, "kind") != "" && yamlfile.Text(n, "apiVersion") != ""
		})
}
