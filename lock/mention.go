package lock

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Mentions returns the image references in a text of a manifest, such as an argument, the value
// of a variable or a file in a ConfigMap. called is the name that the manifest gives the text.
// These references count:
//
//   - a name that ko resolves (ko://…), anywhere;
//   - a reference with a digest, anywhere;
//   - a reference to an image of the product, or with a tag to another image of the catalog,
//     anywhere;
//   - HOST/PATH:TAG as the only word of a value, if HOST has a dot or a port, unless the value is
//     called a tag, which names an image that is still to be made;
//   - PATH:TAG as the value of something that is called an image: --shell-image, FOO_IMAGE,
//     image.
//
// A value is the text, one of its lines, or what follows a name in a line: --flag=VALUE, key:
// VALUE. In comments, and in examples, which by convention are called _example, only names for
// ko count.
func (list Catalog) Mentions(called, text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if !strings.ContainsAny(line, ":@/") {
			continue
		}
		comment := called == "_example" || strings.HasPrefix(strings.TrimSpace(line), "#")
		for _, w := range wordsOf(line, called) {
			if ref := koName(w.text); ref != "" {
				found = append(found, ref)
			} else if !comment && list.counts(w) {
				found = append(found, w.text)
			}
		}
	}
	return found
}

// KoNames returns the names in a text that only ko resolves.
func KoNames(text string) []string {
	var found []string
	if !strings.Contains(text, ko) {
		return nil
	}
	for line := range strings.Lines(text) {
		for _, w := range wordsOf(line, "") {
			if ref := koName(w.text); ref != "" {
				found = append(found, ref)
			}
		}
	}
	return found
}

// word is a part of a text that may be a reference.
type word struct {
	text   string
	called string // "" if it does not follow a name
	only   bool   // it is the only word of a value
}

// wordForm matches a word: the characters of references without "=", which separates a name from
// its value.
var wordForm = lazyregexp.New("[^\\s\"'`,;(){}\\[\\]<>=|\\\\]+")

// wordsOf returns the words of a line.
func wordsOf(line, called string) []word {
	var list []word
	before, end := "", 0
	for _, at := range wordForm.FindAllStringIndex(line, -1) {
		text := line[at[0]:at[1]]
		if strings.Trim(text, "-:#") == "" {
			continue
		}
		w := word{text: strings.TrimPrefix(strings.TrimRight(text, ".:"), "docker://")}
		switch {
		case before == "":
			w.called, w.only = called, true
		case strings.TrimSpace(line[end:at[0]]) == ",":
			w.called = list[len(list)-1].called
		case strings.ContainsAny(line[end:at[0]], "=:") || strings.HasSuffix(before, ":") ||
			strings.HasPrefix(before, "-"):
			w.called, w.only = before, len(list) == 1
		}
		before, end = text, at[1]
		list = append(list, w)
	}
	for i := range list { // a word before another one is not the only one
		list[i].only = list[i].only && i == len(list)-1
	}
	return list
}

// koName returns the name in a word that ko resolves, or "".
func koName(word string) string {
	at := strings.Index(word, ko)
	if at < 0 || at > 0 && isLetter(word[at-1]) || len(word) == at+len(ko) {
		return ""
	}
	return word[at:]
}

const ko = "ko://"

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// referenceForm matches a reference. Its groups are the host, the path, the tag and the digest,
// as https://github.com/distribution/reference defines them.
var referenceForm = lazyregexp.New(`^(?:(` + hostForm + `)/)?(` + partForm + `(?:/` +
	partForm + `)*)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`)

const (
	hostForm = `localhost|[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+|[a-zA-Z0-9.-]+:[0-9]+|[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+:[0-9]+`
	partForm = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
)

// counts reports whether a word is a reference by the rules of [Catalog.Mentions].
func (list Catalog) counts(w word) bool {
	m := referenceForm.FindStringSubmatch(w.text)
	if m == nil {
		return false
	}
	host, tag, digest := m[1], m[3], m[4]
	if digest != "" {
		return true
	}
	if tag == "" && host == "" {
		return false
	}
	if r, err := name.ParseReference(w.text); err == nil {
		repository := r.Context().Name()
		if slices.ContainsFunc(list, func(k CatalogImage) bool {
			return (tag != "" || k.Product) && k.Repository.Name() == repository
		}) {
			return true
		}
	}
	switch {
	case tag == "":
		return false
	case isImage(w.called):
		return true
	}
	return w.only && host != "" && !value.MatchString(tag) && !strings.EqualFold(w.called, "tag")
}

// value matches a port or the value of a label. Either follows a colon, as a tag does.
var value = lazyregexp.New(`^(?:[0-9]+|true|false)$`)

// imageWord matches the word image in a name: shell-image, FOO_IMAGE, initImage, images.
var imageWord = lazyregexp.New(
	`(?:^|[^a-zA-Z]|[a-z])Images?(?:$|[^a-z])|(?:^|[^a-zA-Z])images?(?:$|[^a-z])|(?:^|[^a-zA-Z])IMAGES?(?:$|[^a-zA-Z])`)

func isImage(called string) bool { return imageWord.MatchString(called) }

// IsProduct reports whether a reference names a repository of the product.
func (list Catalog) IsProduct(ref string) bool {
	r, err := name.ParseReference(ref)
	return err == nil && slices.ContainsFunc(list, func(k CatalogImage) bool {
		return k.Product && k.Repository.Name() == r.Context().Name()
	})
}

// referenceEnd matches the tag and digest behind a repository.
var referenceEnd = lazyregexp.New(`^(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?`)

// ProductMentions returns every reference to an image of the product in a text, including its
// comments and URLs.
func (list Catalog) ProductMentions(text string) []string {
	var found []string
	seen := map[string]bool{} // images may share a repository
	for _, k := range list {
		repository, _, _ := strings.Cut(k.Reference, "@")
		if !k.Product || seen[repository] {
			continue
		}
		seen[repository] = true
		for at := 0; ; {
			n := strings.Index(text[at:], repository)
			if n < 0 {
				break
			}
			start, end := at+n, at+n+len(repository)
			at = end
			if (start == 0 || !inName(text[start-1])) && (end == len(text) || !inName(text[end])) {
				found = append(found, repository+strings.TrimRight(referenceEnd.FindString(text[end:]), ".:"))
			}
		}
	}
	return found
}

// inName reports whether a byte next to a repository's name makes it another name.
func inName(b byte) bool {
	return isLetter(b) || b >= '0' && b <= '9' || strings.IndexByte("._-/", b) >= 0
}
