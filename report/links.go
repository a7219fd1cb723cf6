package report

import (
	goversion "go/version"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// forges are the repositories of modules whose paths do not name them. Of a name below one of
// these, the repository has the first element: golang.org/x/sys is github.com/golang/sys.
var forges = map[string]string{
	"golang.org/x/": "github.com/golang/",
	"k8s.io/":       "github.com/kubernetes/",
	"sigs.k8s.io/":  "github.com/kubernetes-sigs/",
}

// moduleLink returns where a person reads what changed between two versions of a module: the
// difference at its forge, or the page of the new version; "" if the texts are not of a module.
func moduleLink(path, old, now string) string {
	if path == "stdlib" || module.CheckPath(path) != nil || now == "" || module.Check(path, now) != nil {
		return ""
	}
	versions := "https://pkg.go.dev/" + path + "@" + now
	at := path
	for prefix, forge := range forges {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			at = forge + rest
		}
	}
	if old == "" || module.Check(path, old) != nil || !strings.HasPrefix(at, "github.com/") {
		return versions
	}
	at, _, _ = module.SplitPathVersion(at)
	parts := strings.SplitN(at, "/", 4)
	if len(parts) < 3 {
		return versions
	}
	dir := ""
	if len(parts) == 4 {
		dir = parts[3] + "/"
	}
	return compareLink("https://"+strings.Join(parts[:3], "/"), revision(dir, old), revision(dir, now))
}

// revision is the tag or the commit of a version of a module in a directory of its repository.
func revision(dir, v string) string {
	if module.IsPseudoVersion(v) {
		rev, _ := module.PseudoVersionRev(v) // it is one
		return rev
	}
	return dir + strings.TrimSuffix(v, "+incompatible")
}

// repository is an address of a repository at GitHub, and commit a revision that may be in a link.
var (
	repository = lazyregexp.New(`^https://github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+$`)
	commit     = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+/-]{0,200}$`)
)

// compareLink returns the page of the difference of two revisions; "" if the address is not one
// of which that is known.
func compareLink(url, old, now string) string {
	url = strings.TrimSuffix(strings.TrimSuffix(url, "/"), ".git")
	if !repository.MatchString(url) || !commit.MatchString(old) || !commit.MatchString(now) || old == now {
		return ""
	}
	return url + "/compare/" + old + "..." + now
}

// direction states where a version of a module has moved.
func direction(path, old, now string) string {
	switch {
	case old == "":
		return "new"
	case now == "":
		return "gone"
	case path == "stdlib" && goversion.IsValid("go"+old) && goversion.IsValid("go"+now):
		if goversion.Compare("go"+old, "go"+now) < 0 {
			return "up"
		}
		return "down"
	case !semver.IsValid(old) || !semver.IsValid(now):
		return "changed"
	case semver.Compare(old, now) < 0:
		return "up"
	}
	return "down"
}
