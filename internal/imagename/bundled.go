package imagename

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Bundled returns what a bundle calls an image that is written ref and has digest h:
// registry/repository:tag, since k3s and RKE2 look images up by tag. The tag of a reference with
// neither tag nor digest is latest. That of one with a digest alone is sha256-HEX, which no other
// image can have.
func Bundled(ref string, h v1.Hash) (string, error) {
	base, _, hasDigest := strings.Cut(ref, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	tag := t.TagStr()
	switch {
	case tag == "" && hasDigest:
		tag = h.Algorithm + "-" + h.Hex
	case tag == "":
		tag = name.DefaultTag
	}
	registry := t.RegistryStr()
	if registry == name.DefaultRegistry {
		registry = "docker.io" // containerd and k3s know Docker Hub by this name only
	}
	tagged := registry + "/" + t.RepositoryStr() + ":" + tag
	// go-containerregistry accepts .. as a part of a name
	if err := Check(tagged); err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	return tagged, nil
}
