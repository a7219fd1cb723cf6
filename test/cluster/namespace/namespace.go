// Package namespace is a namespace in which a test runs servers at their usual addresses without
// meeting anybody else's. Nothing in it reaches a network, and it vanishes with the test, however
// that ends.
package namespace

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"

	"golang.org/x/sys/unix"
)

// Namespace is a thread of this process that lives in a network and a mount namespace of its own.
// Sockets and processes that are made on that thread belong there; sockets can be used from
// everywhere. When the thread ends, the kernel kills the processes that it started (Pdeathsig)
// and removes the namespace: also where the test is killed.
type Namespace struct {
	work   chan func()   // never closed: whoever comes late must find no one there, not a panic
	quit   chan struct{} // closed to end the thread
	done   chan struct{} // closed when it has ended
	thread int           // its ID
}

// New makes a namespace in which only the loopback interface is up, with addresses (192.0.2.1/24)
// besides 127.0.0.1. CAP_SYS_ADMIN is needed: errors.Is(err, unix.EPERM) where that is lacking.
func New(addresses ...string) (*Namespace, error) {
	n := &Namespace{work: make(chan func()), quit: make(chan struct{}), done: make(chan struct{})}
	made := make(chan error)
	go n.live(addresses, made)
	if err := <-made; err != nil {
		return nil, err
	}
	return n, nil
}

// live is the thread, which stays locked when it ends, which makes the Go runtime throw the
// thread away.
func (n *Namespace) live(addresses []string, made chan<- error) {
	runtime.LockOSThread()
	defer close(n.done)
	n.thread = unix.Gettid()
	err := enter(addresses)
	made <- err
	if err != nil {
		return
	}
	for {
		select {
		case f := <-n.work:
			f()
		case <-n.quit:
			return
		}
	}
}

func enter(addresses []string) error {
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("making a namespace: %w", err)
	}
	// Mounts in this namespace are not seen elsewhere.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	return up("lo", addresses...)
}

// Do runs f on the namespace's thread, one after the other. Calls are allowed at any time: once
// the namespace is closed, they return an error.
func (n *Namespace) Do(f func() error) error {
	errs := make(chan error, 1)
	select {
	case n.work <- func() { errs <- f() }:
		return <-errs
	case <-n.done:
		return errors.New("the namespace is closed")
	}
}

// Dial connects to an IP address in the namespace.
func (n *Namespace) Dial(ctx context.Context, network, address string) (c net.Conn, err error) {
	err = n.Do(func() error {
		c, err = new(net.Dialer).DialContext(ctx, network, address)
		return err
	})
	return c, err
}

// Listen listens on a TCP address in the namespace.
func (n *Namespace) Listen(ctx context.Context, address string) (l net.Listener, err error) {
	err = n.Do(func() error {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", address)
		return err
	})
	return l, err
}

// Mount puts a directory where only processes of the namespace see it.
func (n *Namespace) Mount(dir, at string) error {
	return n.Do(func() error {
		if err := unix.Mount(dir, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s at %s: %w", dir, at, err)
		}
		return nil
	})
}

// MountFile puts a file where only processes of the namespace see it, at a path below a root
// directory. As container runtimes do it, the path is resolved with that directory as its root,
// whatever links are on the way, and where the last element is not there it is made.
func (n *Namespace) MountFile(file, root, path string) error {
	return n.Do(func() error {
		dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("opening %s: %w", root, err)
		}
		defer unix.Close(dir) //nolint:errcheck // only a path
		at, err := unix.Openat2(dir, path, &unix.OpenHow{
			Flags: unix.O_CREAT | unix.O_RDONLY | unix.O_CLOEXEC, Mode: 0o644,
			Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
		})
		if err != nil {
			return fmt.Errorf("making %s below %s: %w", path, root, err)
		}
		defer unix.Close(at) //nolint:errcheck // nothing was written
		if err := unix.Mount(file, fmt.Sprintf("/proc/thread-self/fd/%d", at), "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s at %s below %s: %w", file, path, root, err)
		}
		return nil
	})
}

// Close ends the thread, and with it all that lives in the namespace.
func (n *Namespace) Close() {
	close(n.quit)
	<-n.done
}
