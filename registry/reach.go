package registry

import (
	"fmt"
	"net"
)

// Reach returns the host by which this machine pulls from a server at an address, and a
// warning if others can reach it too.
func Reach(at net.Addr) (host, warning string) {
	tcp, ok := at.(*net.TCPAddr)
	switch {
	case !ok || tcp.IP.IsLoopback():
		return at.String(), ""
	case tcp.IP.IsUnspecified():
		return fmt.Sprintf("localhost:%d", tcp.Port),
			fmt.Sprintf("warning: listening on all interfaces: whoever reaches port %d of this machine can pull these "+
				"images, without a password; -addr=127.0.0.1:%d is for this machine alone", tcp.Port, tcp.Port)
	}
	return at.String(), fmt.Sprintf("warning: listening on %s: whoever reaches it can pull these images, "+
		"without a password; -addr=127.0.0.1:%d is for this machine alone", at, tcp.Port)
}
