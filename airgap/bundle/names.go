package bundle

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagename"
)

// Name returns what a bundle calls an image that is written ref and has digest h:
// registry/repository:tag, since k3s and RKE2 look images up by tag. The tag of a reference with
// neither tag nor digest is latest. That of one with a digest alone is sha256-HEX, which no other
// image can have.
func Name(ref string, h v1.Hash) (string, error) {
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
	if err := imagename.Check(tagged); err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	return tagged, nil
}

// repository returns a tagged name without its tag.
func repository(tagged string) string { return tagged[:strings.LastIndex(tagged, ":")] }

// isNamed reports whether ref names the image: by tag, by digest or by both.
func (i Image) isNamed(ref string) bool {
	base, digest, pinned := strings.Cut(ref, "@")
	tagged, err := Name(ref, i.Digest())
	if err != nil || pinned && digest != i.Digest().String() {
		return false
	}
	hasTag := strings.Contains(base[strings.LastIndex(base, "/")+1:], ":")
	return tagged == i.Name || pinned && !hasTag && repository(tagged) == repository(i.Name)
}

func listCommand() string { return howto.Run("airgap list") }
