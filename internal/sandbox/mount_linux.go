package sandbox

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/disk"
)

// systemDirs are what programs of the system need besides themselves: libraries and their list. Of
// /etc nothing else is there.
var systemDirs = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
}

// devices are those of the tree.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// bind is a file or directory in the tree.
type bind struct {
	path     string
	writable bool
}

// mount makes a tree with nothing but what the policy names, and makes it the root.
func (p *policy) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("slipway", p.Root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=1m,mode=755"); err != nil {
		return fmt.Errorf("mounting a tmpfs: %w", err)
	}
	for _, b := range p.binds() {
		if err := p.bind(b); err != nil {
			return fmt.Errorf("mounting %s: %w", b.path, err)
		}
	}
	proc := filepath.Join(p.Root, "proc")
	if err := disk.MkdirAll(proc); err != nil {
		return err
	}
	// Where parts of /proc are hidden, as in containers, the kernel permits no other one. The
	// go command and compilers can do without.
	unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "") //nolint:errcheck // see above
	if err := os.Chdir(p.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil { // the old root is now over the new one
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the old root: %w", err)
	}
	return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "")
}

// binds lists the contents of the tree, outer directories first.
func (p *policy) binds() (all []bind) {
	for _, path := range p.Read {
		all = append(all, bind{path, false})
	}
	for _, path := range p.Write {
		all = append(all, bind{path, true})
	}
	for _, path := range slices.Concat(p.System, devices) {
		if _, err := os.Lstat(path); err == nil {
			all = append(all, bind{path, slices.Contains(devices, path)})
		}
	}
	slices.SortStableFunc(all, func(a, b bind) int {
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	return slices.CompactFunc(all, func(a, b bind) bool { return a == b })
}

// bind mounts a file or directory in the tree. A link of the root directory, such as /lib, is one
// there, too; others are followed.
func (p *policy) bind(b bind) error {
	to := filepath.Join(p.Root, b.path)
	fi, err := os.Lstat(b.path)
	if err != nil {
		return err
	}
	if fi.Mode()&fs.ModeSymlink != 0 && filepath.Dir(b.path) == "/" {
		target, err := os.Readlink(b.path)
		if err == nil {
			err = os.Symlink(target, to)
		}
		return err
	}
	if fi, err = os.Stat(b.path); err != nil {
		return err
	}
	if err := place(to, fi.IsDir()); err != nil {
		return err
	}
	if err := unix.Mount(b.path, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !slices.Contains(devices, b.path) {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !b.writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return unix.MountSetattr(unix.AT_FDCWD, to, unix.AT_RECURSIVE, &attr)
}

// place makes the file or directory that is mounted on, unless it is in one that was mounted.
func place(to string, dir bool) error {
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if dir {
		return disk.MkdirAll(to)
	}
	if err := disk.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	return unix.Mknod(to, unix.S_IFREG|0o644, 0)
}
