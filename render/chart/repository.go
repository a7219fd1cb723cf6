package chart

import (
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// splitTag splits a reference without a digest at its tag.
func splitTag(base string) (repository, tag string) {
	if i := strings.LastIndexByte(base, ':'); i >= 0 && !strings.Contains(base[i:], "/") {
		return base[:i], base[i+1:]
	}
	return base, ""
}

// sameRepository reports whether two texts name one repository.
func sameRepository(a, b string) bool {
	one, err1 := name.NewRepository(a)
	two, err2 := name.NewRepository(b)
	return err1 == nil && err2 == nil && one.Name() == two.Name()
}
