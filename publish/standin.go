package publish

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
)

// refuseStubs keeps images that cannot run out of registries where somebody would run them.
func refuseStubs(l *lock.Part) error {
	host, _, _ := strings.Cut(l.Registry, "/")
	if l.Snapshot || network.Loopback(host) {
		return nil
	}
	for _, i := range l.Images {
		for _, c := range i.Children {
			if name := c.StandIn(); name != "" {
				return fmt.Errorf("publishing %s: %s stands on %s, a stand-in of snapshots that cannot run: pin the real base in slipway.yaml and build with -registry %s",
					i.Name, c.Platform, name, l.Registry)
			}
		}
	}
	return nil
}
