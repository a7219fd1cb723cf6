package tree

import (
	"errors"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// labeled returns an error for a layer that is compressed, and whose media type says that it is
// not: nodes unpack it as it is. In the other direction they look at its first bytes.
func labeled(l v1.Layer, diffID v1.Hash) error {
	t, err := l.MediaType()
	if err != nil || !slices.Contains([]types.MediaType{
		types.OCIUncompressedLayer, types.OCIUncompressedRestrictedLayer, types.DockerUncompressedLayer,
	}, t) {
		return err
	}
	d, err := l.Digest()
	if err == nil && d != diffID {
		err = errors.New("it is compressed, and its media type says that it is not, so that nodes do not unpack it: " +
			"build the image anew")
	}
	return err
}
