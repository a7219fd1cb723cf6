package apt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/product"
)

// statusFile is where dpkg keeps what is installed.
const statusFile = "/var/lib/dpkg/status"

// transact carries out an operation that changes packages.
func (m *Manager) transact(ctx context.Context, c packages.Call, o operation) error {
	entry, err := m.entry(ctx, c, o)
	if err != nil {
		return err
	}
	debs, err := m.take(ctx, c, entry.Packages)
	if err != nil {
		return err
	}
	if o.verb == download {
		return downloaded(c, entry.Packages, debs)
	}
	return m.install(ctx, c, o, entry, debs)
}

// entry returns what an operation does: as packages.lock.yaml has it, or as decided anew.
func (m *Manager) entry(ctx context.Context, c packages.Call, o operation) (product.LockedPackages, error) {
	status, err := tree.ReadText(c.Tree, statusFile)
	if err != nil {
		return product.LockedPackages{}, err
	}
	if status == nil {
		return product.LockedPackages{},
			fmt.Errorf("the stage has no %s: its base is not made of Debian packages", statusFile)
	}
	on := identity(string(status))
	entry, err := m.locked(c, o, on)
	if m.Pin == nil {
		return entry, err
	}
	if absent := (packages.AbsentError{}); err != nil && !errors.As(err, &absent) {
		return entry, err
	}
	d := decision{call: c, operation: o, on: on, status: string(status)}
	return m.Pin.decide(ctx, m, d, entry, err == nil)
}

// identity returns the SHA-256 of the list of packages that a status file has: a line for each,
// with name, architecture, version and state, sorted.
func identity(status string) string {
	var lines []string
	for paragraph := range strings.SplitSeq(status, "\n\n") {
		if name := field(paragraph, "Package"); name != "" {
			lines = append(lines, strings.Join([]string{
				name, field(paragraph, "Architecture"), field(paragraph, "Version"), field(paragraph, "Status"),
			}, " "))
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
