package source

import (
	"context"
	"errors"
	goversion "go/version"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/product"
)

// ChoosesToolchain reports whether the user has set GOTOOLCHAIN, so that it also applies to
// third-party sources.
func ChoosesToolchain() bool { return lookup(Environ(), "GOTOOLCHAIN") != "" }

// HasCacheProgram reports whether the go command keeps what it compiles by another program.
func HasCacheProgram() bool { return lookup(Environ(), "GOCACHEPROG") != "" }

// Asks returns the least Go version that the go.mod of a source asks for: "go1.26.1". It is "" if
// the source has no go.mod of its own, and for a module that the module cache does not have.
func Asks(ctx context.Context, s product.Source) (string, error) {
	file := filepath.Join(s.Directory, "go.mod")
	if path, v, ok := strings.Cut(s.Module, "@"); ok {
		_, gomod, here := cached(ctx, path, v)
		if !here {
			return "", nil
		}
		file = gomod
	}
	text, err := regular.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	f, err := modfile.ParseLax(file, text, nil)
	if err != nil || f.Go == nil || !goversion.IsValid("go"+f.Go.Version) {
		return "", err
	}
	return "go" + f.Go.Version, nil
}
