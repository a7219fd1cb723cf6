package platform

import (
	"regexp"
	"sync"
)

// expression returns a function that compiles a regular expression when it is first called: all
// commands start with this package, and few match its expressions.
func expression(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
