package publish

import (
	"fmt"
	"net"
	"strings"

	"github.com/slipway-dev/slipway/lock"
)

// refuseStandIns keeps images that cannot run out of registries where somebody would run them.
func refuseStandIns(l *lock.Lock) error {
	host, _, _ := strings.Cut(l.Registry, "/")
	if l.Snapshot || Loopback(host) {
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

// Loopback reports whether host[:port] is this machine.
func Loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
