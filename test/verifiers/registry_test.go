package verifiers

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/sirupsen/logrus"

	embedded "github.com/slipway-dev/slipway/registry"
	"github.com/slipway-dev/slipway/store"
)

// software is a registry that the release is in. They serve until the process ends.
type software struct{ name, host string }

// configurationType is the registry whose referrers API gives the media type of the configuration
// as the type of an artifact. ghcr.io did so with its lists.
const configurationType = "go-containerregistry's referrers API"

// registries returns ours and go-containerregistry's, which have the referrers API, and two that
// lack it: there the list of referrers is a tag.
var registries = sync.OnceValue(func() []software {
	quiet := registry.Logger(log.New(io.Discard, "", 0))
	logrus.SetOutput(io.Discard)
	c := &configuration.Configuration{
		Storage: configuration.Storage{"filesystem": {"rootdirectory": filepath.Join(workDir, "distribution")}},
	}
	c.HTTP.Secret = "for a test"
	c.Catalog.MaxEntries = 100
	return []software{
		ours(),
		serve(configurationType, registry.New(quiet, registry.WithReferrersSupport(true))),
		serve("go-containerregistry's, without the referrers API", registry.New(quiet)),
		serve("distribution 3", handlers.NewApp(context.Background(), c)),
	}
})

// ours returns an empty embedded registry.
func ours() software {
	dir, err := os.MkdirTemp(workDir, "store")
	if err != nil {
		panic(err)
	}
	st, err := store.Open(dir)
	if err != nil {
		panic(err)
	}
	return serve("ours", embedded.New(st, nil))
}

func serve(name string, h http.Handler) software {
	s := httptest.NewServer(h)
	return software{name, s.Listener.Addr().String()}
}
