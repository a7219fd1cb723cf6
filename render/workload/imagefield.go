package workload

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// IsImageField reports whether a string of an object must be an image reference because of its
// place: the value of a key "image" outside of metadata and selectors, the reference of an image
// volume, and in a ConfigMap a value that is pinned by digest or whose key ends in the word image.
// What the controller of a custom resource fills in need not be one. Keys are those on the path of
// the string, with the names of list items in brackets.
func IsImageField(apiVersion, kind string, keys []string, value string) bool {
	n := len(keys)
	switch {
	case n == 0:
		return false
	case apiVersion == "v1" && kind == "ConfigMap":
		return n == 2 && keys[0] == "data" && IsImageVariable(keys[1], value)
	case keys[n-1] != "image" && (n == 1 || keys[n-1] != "reference" || keys[n-2] != "image"):
		return false
	case !isBuiltin(apiVersion) && filledIn.MatchString(value):
		return false
	}
	return !slices.ContainsFunc(keys, func(k string) bool {
		return k == "metadata" || k == "selector" || k == "matchLabels"
	})
}

// filledIn matches the variables of custom resources: $(params.image) of Tekton's,
// {{inputs.parameters.image}} of Argo's.
var filledIn = lazyregexp.New(`\$\([^()]+\)|\{\{\s*(=|[a-z]+\s*[.}])`)

// IsImageVariable reports whether the value of a variable must be an image reference: one that is
// pinned by digest or whose name ends in the word image (BUILD_INIT_IMAGE, initImage).
func IsImageVariable(variable, value string) bool {
	if w := Words(variable); len(w) > 0 && w[len(w)-1] == "image" {
		return true
	}
	_, err := name.NewDigest(value)
	return err == nil
}

// IsWindowsName reports whether one of the words of a name means Windows or one of its base
// images: windows, windows2022, nanoserver, servercore, ltsc2022.
func IsWindowsName(s string) bool {
	return slices.ContainsFunc(Words(s), func(w string) bool {
		return w == "nanoserver" || w == "servercore" || strings.HasPrefix(w, "windows") ||
			strings.HasPrefix(w, "ltsc20")
	})
}

// Words splits a name at characters that are neither letter nor digit, and before an upper-case
// letter that follows a lower-case one or a digit. The words are in lower case.
func Words(s string) []string {
	var list []string
	start, lower := -1, false
	for i, r := range s + " " {
		small := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		capital := r >= 'A' && r <= 'Z'
		if start >= 0 && (!small && !capital || capital && lower) {
			list = append(list, strings.ToLower(s[start:i]))
			start = -1
		}
		if start < 0 && (small || capital) {
			start = i
		}
		lower = small
	}
	return list
}
