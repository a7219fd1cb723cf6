package network

import (
	"net/netip"
	"testing"
)

// TestReachable checks which addresses a registry at another one may name.
func TestReachable(t *testing.T) {
	for _, tc := range []struct {
		address, registry string // of none, a proxy has answered
		want              bool
	}{
		{"1.2.3.4", "5.6.7.8", true},
		{"2600::1", "10.0.0.1", true},
		{"1.2.3.4", "", true},
		{"127.0.0.1", "5.6.7.8", false},
		{"127.0.0.1", "", false},
		{"127.0.0.1", "10.0.0.1", false},
		{"127.0.0.1", "127.0.0.2", true},
		{"::1", "127.0.0.1", true},
		{"::ffff:127.0.0.1", "5.6.7.8", false},
		{"0.0.0.0", "5.6.7.8", false},
		{"::", "5.6.7.8", false},
		{"10.1.2.3", "5.6.7.8", false},
		{"10.1.2.3", "", false},
		{"10.1.2.3", "192.168.1.1", true},
		{"172.16.0.1", "127.0.0.1", false},
		{"100.64.0.1", "5.6.7.8", false},
		{"fd00::1", "5.6.7.8", false},
		{"169.254.169.254", "10.0.0.1", false},
		{"fe80::1", "5.6.7.8", false},
		{"224.0.0.1", "5.6.7.8", false},
		{"64:ff9b::7f00:1", "5.6.7.8", false},
		{"64:ff9b::102:304", "5.6.7.8", true},
	} {
		registry, _ := netip.ParseAddr(tc.registry)
		if err := reachable(netip.MustParseAddr(tc.address), registry); (err == nil) != tc.want {
			t.Errorf("%s of a registry at %s: %v", tc.address, tc.registry, err)
		}
	}
}
