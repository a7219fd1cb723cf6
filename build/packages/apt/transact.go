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
)

// statusFile is where dpkg keeps what is installed.
const statusFile = "/var/lib/dpkg/status"

// transact carries out an operation that changes packages: as packages.lock.yaml has it, or as
// decided anew.
func (m *Manager) transact(ctx context.Context, c packages.Call, o operation) error {
	status, err := tree.ReadText(c.Tree, statusFile)
	if err != nil {
		return err
	}
	if status == nil {
		return fmt.Errorf("the stage has no %s: its base is not made of Debian packages", statusFile)
	}
	on := identity(string(status))
	entry, err := m.locked(c, o, on)
	if m.Pin != nil {
		absent := packages.AbsentError{}
		if err != nil && !errors.As(err, &absent) {
			return err
		}
		d := decision{call: c, operation: o, on: on, status: string(status)}
		entry, err = m.Pin.decide(ctx, m, d, entry, err == nil)
	}
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
