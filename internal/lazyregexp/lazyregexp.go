// Package lazyregexp compiles a package's regular expressions when they are first used. Every
// command starts with all packages of the program, and most commands match few expressions.
//
// Go's own tools do the same, in a package of the same name.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that its first use compiles.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns an expression in the syntax of [regexp]. Like [regexp.MustCompile] it panics if the
// expression is malformed: at once in a test program, elsewhere when it is first used.
func New(expr string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
	if inTest {
		r.compiled()
	}
	return r
}

var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")
