package tree

import (
	"bytes"
	"errors"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// unlabeled returns an error for a layer that is compressed, and whose media type says that it is
// not: nodes unpack it as it is. In the other direction they look at its first bytes.
func unlabeled(l v1.Layer) error {
	t, err := l.MediaType()
	if err != nil || !slices.Contains([]types.MediaType{
		types.OCIUncompressedLayer, types.OCIUncompressedRestrictedLayer, types.DockerUncompressedLayer,
	}, t) {
		return err
	}
	r, err := l.Compressed()
	if err != nil {
		return err
	}
	defer r.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) || bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return errors.New("it is compressed, and its media type says that it is not, so that nodes do not unpack it: " +
			"build the image anew")
	}
	return nil
}
