package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
)

// refuseStubs refuses to publish images on stub bases, which cannot run, but on this machine.
func refuseStubs(l *lock.Part) error {
	n := slices.IndexFunc(l.Registries(), func(registry string) bool {
		host, _, _ := strings.Cut(registry, "/")
		return !network.Loopback(host)
	})
	if l.Snapshot || n < 0 {
		return nil
	}
	for _, i := range l.Images {
		for _, c := range i.Children {
			if stubs := c.Stubs(); len(stubs) > 0 {
				return fmt.Errorf("publishing %s: %s has the base %s, a stub base of snapshots that cannot run: pin the real base in slipway.yaml and build with -registry %s",
					i.Name, c.Platform, stubs[0], l.Registry)
			}
		}
	}
	return nil
}
