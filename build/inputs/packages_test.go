package inputs_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/inputs"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// none takes no package.
func none(h v1.Hash, _ io.Reader) error {
	return errors.New("there is no package in it: " + h.String())
}

// TestPackages archives the package of a distribution and unpacks it into a store, which refuses
// one that has not the digest.
func TestPackages(t *testing.T) {
	for text, wrong := range map[string]string{"package": "", "another": "arrived with digest sha256:"} {
		dir := t.TempDir()
		write(t, dir, project)
		_, set := archive(t, dir, false)
		digest, _, err := v1.SHA256(strings.NewReader("package"))
		must(t, err)
		content := layer.Bytes([]byte(text))
		content.Digest = digest
		set.AddPackage("greet_1.0_amd64.deb", content)
		var b bytes.Buffer
		_, err = set.Write(t.Context(), &b, io.Discard, nil)
		must(t, err)
		if entry := "packages/" + digest.Hex + "/greet_1.0_amd64.deb"; !slices.Contains(names(t, b.Bytes()), entry) {
			t.Errorf("the archive lacks %s: %s", entry, names(t, b.Bytes()))
		}
		st, to := storetest.Open(t), t.TempDir()
		err = inputs.Extract(&b, to, st.Put)
		switch {
		case wrong == "" && (err != nil || !st.Has(digest)):
			t.Errorf("it is not in the store: %v", err)
		case wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong) || st.Has(digest)):
			t.Errorf("got %v, want %s", err, wrong)
		}
		if _, err := os.Stat(filepath.Join(to, "packages")); err == nil {
			t.Error("it is among the files, too")
		}
	}
}
