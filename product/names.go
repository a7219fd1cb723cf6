package product

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// form is the form of a text and the remedy for texts that do not have it.
type form struct {
	*lazyregexp.Regexp

	remedy string
}

var (
	// repositoryForm is one component of a repository, as
	// https://github.com/opencontainers/distribution-spec has it.
	repositoryForm = form{
		lazyregexp.New(`^` + imagename.Part + `$`),
		"use lower case letters and digits, with . _ or - between them, since it becomes part of a repository's name",
	}
	destinationForm = form{
		lazyregexp.New(`^[a-z0-9][a-z0-9-]*$`),
		"use lower case letters, digits and -, so that it does not name a host",
	}
	fileForm = form{
		lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`),
		"start with a letter or digit and use letters, digits, . _ and -, since it becomes a file name",
	}
)

// maxName bounds names in characters; file systems take 255 with all suffixes.
const maxName = 100

// checkForm reports a text that does not have its form.
func (c *checker) checkForm(s *string, what string, f form) {
	switch {
	case *s == "":
	case !f.MatchString(*s):
		c.Errorf(s, "%s %q is malformed: %s", what, *s, f.remedy)
	case len(*s) > maxName:
		c.Errorf(s, "%s has more than %d characters: shorten it", what, maxName)
	}
}

// names are the names of one kind of thing.
type names struct {
	kind string
	list []string
	// open means that there may be more, because some could not be read.
	open bool
}

// each returns the addresses of a field of all elements.
func each[T any](list []T, field func(*T) *string) []*string {
	all := make([]*string, 0, len(list))
	for i := range list {
		all = append(all, field(&list[i]))
	}
	return all
}

// collect gathers names and reports those that are malformed or duplicates. of is the address of
// the list they come from.
func (c *checker) collect(kind string, of any, all []*string, f form) names {
	n := names{kind: kind, open: c.Bad(of)}
	for _, s := range all {
		switch {
		case *s == "":
			n.open = true
		case slices.Contains(n.list, *s):
			c.Errorf(s, "there are two of %s %s: rename one", kind, *s)
		default:
			c.checkForm(s, kind, f)
			n.list = append(n.list, *s)
		}
	}
	return n
}

// refer reports whether a name exists; an unknown one is an error.
func (c *checker) refer(s *string, n names) bool {
	if *s == "" {
		return false
	}
	why := n.unknown(*s)
	if why != "" {
		c.Errorf(s, "%s", why)
	}
	return why == "" && slices.Contains(n.list, *s)
}

// unknown returns an error text for a name that does not exist; "" if it does or may.
func (n names) unknown(s string) string {
	if n.open || slices.Contains(n.list, s) {
		return ""
	}
	what := "unknown " + n.kind + " " + s + ": "
	if len(n.list) == 0 {
		return what + "there are none, add it under " + n.kind + "s"
	}
	return what + yamlfile.Suggest(s, n.list)
}

// once reports the duplicates of a list.
func (c *checker) once(list []string) {
	for i := range list {
		if list[i] != "" && slices.Contains(list[:i], list[i]) {
			c.Errorf(&list[i], "%s is listed twice: keep one", list[i])
		}
	}
}

// isOS reports whether s is an operating system that slipway builds for.
func isOS(s string) bool { return s == "linux" || s == "windows" }

// assigned reports a list of environment variables that are not NAME=value.
func (c *checker) assigned(list []string) {
	for i := range list {
		k, _, ok := strings.Cut(list[i], "=")
		switch {
		case list[i] == "":
		case !ok || k == "":
			c.Errorf(&list[i], "%q is not a variable: write NAME=value", list[i])
		case k == "GOOS" || k == "GOARCH":
			c.Errorf(&list[i],
				"%s comes from the platform that is built for: take it out, or restrict the program with os", k)
		}
	}
}
