package layer_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestWhiteout checks that an entry which removes a file is written under the name that OCI
// gives it.
func TestWhiteout(t *testing.T) {
	for os, want := range map[string]string{"linux": "dir/.wh.file", "windows": "Files/dir/.wh.file"} {
		st := storetest.Open(t)
		l := write(t, st, []layer.Entry{{Path: "/dir/file", Type: layer.Whiteout}}, layer.Options{OS: os})
		if got := listing(t, untar(t, st, l)); !strings.Contains(got, want) {
			t.Errorf("%s: the layer has\n%s\nwant %s", os, got, want)
		}
	}
}
