package registries

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry"
)

// TestDocker lets docker pull a snapshot from the embedded registry, by tag and by digest. What
// it gets has the configuration's digest as its image ID.
func TestDocker(t *testing.T) {
	socket := testprog.Dockerd(t)
	p, st, l := cut(t)
	l, err := publish.Publish(t.Context(), p, st, storetest.Built(l), network.Options{})
	if err != nil {
		t.Fatal(err)
	}
	host := serve(t, registry.Handler(st, l))
	for _, i := range l.Images[:2] {
		repository := strings.Replace(i.Repository, "slipway.local", host, 1)
		for _, reference := range []string{repository + ":" + i.Tags[0], repository + "@" + i.Digest.String()} {
			testprog.Run(t, "docker", "-H", "unix://"+socket, "pull", "--quiet", reference)
			id := strings.TrimSpace(testprog.Run(t, "docker", "-H", "unix://"+socket, "image", "inspect",
				"--format", "{{.Id}}", reference))
			if id != i.Children[0].Config.String() {
				t.Errorf("%s has the ID %s, the lock says %s", reference, id, i.Children[0].Config)
			}
		}
	}
}
