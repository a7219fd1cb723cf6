package airgap

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// names returns what a bundle calls an image that is written ref and has digest h:
// registry/repository:tag, since k3s and RKE2 look images up by tag, and
// registry/repository@digest. A reference with neither tag nor digest stands for latest. One with
// a digest alone gets the tag sha256-HEX, which no other image can have.
func names(ref string, h v1.Hash) (tagged, pinned string, err error) {
	base, _, hasDigest := strings.Cut(ref, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", ref, err)
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
	repository := registry + "/" + t.RepositoryStr()
	// go-containerregistry takes .. for a part of a name
	if err := imagename.Check(repository + ":" + tag); err != nil {
		return "", "", fmt.Errorf("%s: %w", ref, err)
	}
	return repository + ":" + tag, repository + "@" + h.String(), nil
}
