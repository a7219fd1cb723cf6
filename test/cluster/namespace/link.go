package namespace

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
)

// bridge joins a namespace with those of its pods.
const bridge = "bridge0"

// Bridge gives the namespace an address (192.0.2.1/24) at which its pods find it.
func (n *Namespace) Bridge(address string) error {
	return n.Do(func() error {
		if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bridge}}); err != nil {
			return fmt.Errorf("making %s: %w", bridge, err)
		}
		return up(bridge, address)
	})
}

// Pod makes a namespace for a pod with an address (192.0.2.7/24) on the bridge, whose address is
// the way to all others.
func (n *Namespace) Pod(address, gateway string) (*Namespace, error) {
	pod, err := New()
	if err != nil {
		return nil, err
	}
	ours, theirs := fmt.Sprintf("pod%d", pod.thread), "eth0"
	err = n.Do(func() error {
		b, err := netlink.LinkByName(bridge)
		if err != nil {
			return err
		}
		return errors.Join(
			netlink.LinkAdd(&netlink.Veth{
				LinkAttrs: netlink.LinkAttrs{Name: ours, MasterIndex: b.Attrs().Index},
				PeerName:  theirs, PeerNamespace: netlink.NsPid(pod.thread),
			}),
			up(ours))
	})
	if err == nil {
		err = pod.Do(func() error {
			if err := up(theirs, address); err != nil {
				return err
			}
			via, err := netlink.ParseAddr(gateway + "/32")
			if err != nil {
				return err
			}
			return netlink.RouteAdd(&netlink.Route{Gw: via.IP})
		})
	}
	if err != nil {
		pod.Close()
		return nil, fmt.Errorf("connecting a pod at %s: %w", address, err)
	}
	return pod, nil
}

// up gives an interface of this thread's namespace addresses and sets it up.
func up(name string, addresses ...string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("finding %s: %w", name, err)
	}
	for _, address := range addresses {
		a, err := netlink.ParseAddr(address)
		if err == nil {
			err = netlink.AddrAdd(link, a)
		}
		if err != nil {
			return fmt.Errorf("adding %s to %s: %w", address, name, err)
		}
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("setting %s up: %w", name, err)
	}
	return nil
}
