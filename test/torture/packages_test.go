//go:build linux && amd64

package torture

import (
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/debtest"
	"github.com/slipway-dev/slipway/platform"
)

// described are the packages of the repository.
const described = `Package: greet
Architecture: any
Depends: libgreet
File: /usr/bin/greet hello
Fill: /usr/share/greet 20000
Postinst: #!/bin/sh
 set -e
 adduser --system --quiet --no-create-home --group greet

Package: libgreet
Architecture: any
File: /lib/libgreet.so.1 lib

Package: old
Version: 1.1
Suite: bookworm-security
File: /usr/share/old newer
`

// packagesLock is what slipway pin writes.
const packagesLock = "src/packages.lock.yaml"

// newArchive makes a repository of Debian packages, whose address is that of the registry.
func newArchive(host string) *debtest.Repository {
	r := debtest.Serve()
	r.Publish(described, []string{"amd64"}, debtest.Wrong{})
	r.URL = "http://" + host + "/debian"
	return r
}

// beside answers for a repository of packages and a registry.
func beside(r *debtest.Repository, registry http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/debian/") {
			r.ServeHTTP(w, q)
		} else {
			registry.ServeHTTP(w, q)
		}
	})
}

// seedDebian pushes a base whose packages come from the repository.
func seedDebian(host string, r *debtest.Repository) error {
	ref, err := name.NewTag(host + "/debian:1")
	if err != nil {
		return err
	}
	return remote.WriteIndex(ref, debtest.Base(r, []platform.Platform{{OS: "linux", Architecture: "amd64"}}))
}
