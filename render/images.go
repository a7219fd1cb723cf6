package render

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// mention is a place in a text that names a repository of ours: rest is what follows it.
type mention struct {
	image lock.CatalogImage
	rest  string
}

// mentions finds our repositories in a text, such as a flag or a configuration file in a ConfigMap.
func mentions(list lock.Catalog, text string) []mention {
	var found []mention
	for _, i := range list {
		if !i.Product {
			continue
		}
		repo, _, _ := strings.Cut(i.Reference, "@")
		for at := 0; ; {
			n := strings.Index(text[at:], repo)
			if n < 0 {
				break
			}
			start, end := at+n, at+n+len(repo)
			at = end
			if (start == 0 || !inName(text[start-1])) && (end == len(text) || !inName(text[end])) {
				found = append(found, mention{i, text[end:]})
			}
		}
	}
	return found
}

// inName reports whether a byte next to a repository's name makes it another name.
func inName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("._-/", b) >= 0
}

// pinned reports whether a text is a reference with a digest.
func pinned(text string) bool {
	_, err := name.NewDigest(text)
	return err == nil
}

// imageName reports whether a name says that its value is an image: BUILD_INIT_IMAGE, image,
// initImage.
func imageName(s string) bool {
	w := words(s)
	return len(w) > 0 && w[len(w)-1] == "image"
}

// windowsName reports whether a name has the word windows.
func windowsName(s string) bool { return slices.Contains(words(s), platform.Windows) }

// words splits a name into its words, in lower case: at what is no letter or digit, and where an
// upper-case letter follows a lower-case one.
func words(s string) []string {
	var list []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	lower := false
	for _, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		upper := r >= 'A' && r <= 'Z'
		if !letter && !upper || upper && lower {
			end()
		}
		if letter || upper {
			word.WriteRune(r)
		}
		lower = letter
	}
	end()
	return list
}
