// Package environment reads the variables of an image: the list Env of its configuration, whose
// names have no case on Windows, and what ENV and ARG add to it.
package environment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Variables are variables with their values, in the order of the configuration, as BuildKit's
// shell.EnvGetter reads them.
type Variables struct {
	keys     []string
	values   map[string]string // by folded key
	caseless bool              // as on Windows: Path and PATH are one variable
	Unread   string            // a base whose variables are not known, empty for none
	declared map[string]bool   // by ARG without a value
}

// isGolang reports whether an image is golang's own of Docker Hub. A name without a tag or a
// registry may be that of a base in slipway.yaml.
func isGolang(image string) bool {
	ref, err := name.ParseReference(image)
	return err == nil && strings.ContainsAny(image, "/:@") && ref.Context().Name() == "index.docker.io/library/golang"
}

// mayBeOfGolang reports whether an image of golang's, of whatever system and version, may set a
// variable: https://github.com/docker-library/golang has all its Dockerfiles.
func mayBeOfGolang(key string) bool {
	key = strings.ToUpper(key)
	return strings.HasPrefix(key, "GO") || strings.HasPrefix(key, "GIT_") || key == "PATH"
}

// Known returns an error for a variable that only a base could set which is not read.
func (e *Variables) Known(key string) error {
	if _, ok := e.values[e.key(key)]; ok || e.Unread == "" || e.declared[e.key(key)] ||
		!variableName.MatchString(key) || isGolang(e.Unread) && !mayBeOfGolang(key) {
		return nil
	}
	return fmt.Errorf("nothing here sets the variable %s, and the base %s, which may, is not read, "+
		"since the stage compiles programs: write ARG %s with a value above it", key, e.Unread, key)
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Declare notes that ARG names a variable without a value.
func (e *Variables) Declare(key string) {
	if e.declared == nil {
		e.declared = map[string]bool{}
	}
	e.declared[e.key(key)] = true
}

// WithoutCase makes names that differ only in case one variable.
func (e *Variables) WithoutCase() *Variables {
	c := New(nil)
	c.caseless, c.Unread = true, e.Unread
	for _, k := range e.keys {
		c.Set(k, e.values[e.key(k)])
	}
	for k := range e.declared {
		c.Declare(k)
	}
	return c
}

func (e *Variables) key(k string) string {
	if e.caseless {
		return strings.ToUpper(k)
	}
	return k
}

// New makes variables of NAME=value.
func New(vars []string) *Variables {
	e := &Variables{values: map[string]string{}}
	for _, v := range vars {
		key, value, _ := strings.Cut(v, "=")
		e.Set(key, value)
	}
	return e
}

// Get returns a variable's value and whether it is set.
func (e *Variables) Get(key string) (string, bool) {
	v, ok := e.values[e.key(key)]
	return v, ok
}

// Keys returns the names of all variables.
func (e *Variables) Keys() []string { return e.keys }

// Set sets a variable.
func (e *Variables) Set(key, value string) {
	if _, ok := e.values[e.key(key)]; !ok {
		e.keys = append(e.keys, key)
	}
	e.values[e.key(key)] = value
}

// Clone returns a copy.
func (e *Variables) Clone() *Variables {
	c := *e
	c.keys, c.values, c.declared = slices.Clone(e.keys), maps.Clone(e.values), maps.Clone(e.declared)
	return &c
}
