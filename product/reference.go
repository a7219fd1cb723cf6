package product

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/output"
)

const referenceForms = "write repository:tag, repository@sha256:…, or repository:tag@sha256:…"

// parseReference reads an image reference, which must have a tag, a digest or both, and returns
// the tag of a reference with a digest, too. An image without a registry is one of Docker Hub, as
// usual.
func parseReference(s string) (ref name.Reference, tag string, err error) {
	bad := func(why string) (name.Reference, string, error) {
		return nil, "", fmt.Errorf("malformed image reference %s: %s", s, why)
	}
	if output.Account(s) {
		return nil, "", errors.New("the image reference " + imagename.NoAccount)
	}
	if imagename.IsFile(s) {
		return nil, "", fmt.Errorf("%s is in a file, which prebuilt and bases can name: here, %s", s, referenceForms)
	}
	if strings.Contains(s, "://") {
		return bad("take the scheme out, and " + referenceForms)
	}
	base, digest, pinned := strings.Cut(s, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		return bad(reason(err) + ": " + referenceForms)
	}
	if !imagename.IsHost(t.RegistryStr()) {
		return bad(fmt.Sprintf("%q is not a host: %s", t.RegistryStr(), referenceForms))
	}
	for _, part := range strings.Split(t.RepositoryStr(), "/") {
		if !repositoryForm.MatchString(part) {
			return bad(fmt.Sprintf("%q is not part of a repository's name: %s", part, repositoryForm.remedy))
		}
	}
	if !pinned {
		if t.TagStr() == "" {
			return bad("it has neither tag nor digest: " + referenceForms)
		}
		return t, "", nil
	}
	d, err := name.NewDigest(s, name.WithDefaultTag(""))
	if err != nil || !strings.HasPrefix(digest, "sha256:") {
		return bad("a digest is sha256: and 64 hexadecimal digits: copy all of it")
	}
	return d, t.TagStr(), nil
}

// reason returns the message of go-containerregistry without its fixed prefix.
func reason(err error) string {
	if bad := (*name.ErrBadName)(nil); errors.As(err, &bad) {
		return strings.TrimPrefix(bad.Error(), "could not parse reference: ")
	}
	return err.Error()
}

// sameName is equal for references that name one image: its repository and tag, or its digest
// without a tag.
func sameName(ref name.Reference, tag string) string {
	if d, ok := ref.(name.Digest); ok && tag != "" {
		return d.Context().Tag(tag).Name()
	}
	return ref.Name()
}
