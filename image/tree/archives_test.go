package tree_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestArchiveUnread: a file that cannot be read is not one that is no archive.
func TestArchiveUnread(t *testing.T) {
	broken := errors.New("the disk is gone")
	a := tree.NewArchives(storetest.Open(t), tree.Limits{})
	for _, before := range []string{"", "plain text", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "BZh9", "\xfd7zXZ\x00"} {
		for _, err := range []error{broken, nil} {
			c := layer.Content{Size: 100, Open: func() (io.ReadCloser, error) {
				var rest io.Reader = strings.NewReader("")
				if err != nil {
					rest = iotest.ErrReader(err)
				}
				return io.NopCloser(io.MultiReader(strings.NewReader(before), rest)), nil
			}}
			if open, got := a.Tar(t.Context(), c, false); open != nil || !errors.Is(got, err) {
				t.Errorf("%q, then %v: %v", before, err, got)
			}
		}
	}
}
