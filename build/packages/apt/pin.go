package apt

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/debian"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Pin decides which packages commands take, from what their repositories have now.
type Pin struct {
	// Update decides anew what packages.lock.yaml has, too.
	Update bool
	// Security takes, with Update, newer versions from security suites only.
	Security bool
	// Now is when indexes must be valid.
	Now time.Time

	mu      sync.Mutex
	entries []product.LockedPackages
	indexes indexes
}

// Entries returns what was decided, in the order of the Dockerfiles, for packages.lock.yaml.
func (p *Pin) Entries() []product.LockedPackages { return p.entries }

// decision is one operation on what is installed.
type decision struct {
	call      packages.Call
	operation operation
	on        string // identifies what is installed
	status    string
}

// decide returns the packages of an operation, and keeps them. known reports whether old is what
// packages.lock.yaml has for it.
func (p *Pin) decide(ctx context.Context, m *Manager, d decision, old product.LockedPackages,
	known bool,
) (product.LockedPackages, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := func(e product.LockedPackages) bool {
		return e.Image == m.Image && e.Stage == d.call.Stage && e.Platform == d.call.Platform &&
			e.Command == d.operation.String() && e.Installed == d.on
	}
	if n := slices.IndexFunc(p.entries, same); n >= 0 {
		return p.entries[n], nil // of another platform of the image, or of a rehearsal
	}
	entry := old
	if !known || p.Update {
		var err error
		if entry, err = p.resolve(ctx, m, d); err != nil {
			return entry, err
		}
	}
	p.entries = append(p.entries, entry)
	return entry, nil
}

// resolve asks the repositories.
func (p *Pin) resolve(ctx context.Context, m *Manager, d decision) (product.LockedPackages, error) {
	entry := product.LockedPackages{
		Image: m.Image, Stage: d.call.Stage, Platform: d.call.Platform, Command: d.operation.String(),
		Installed: d.on, Packages: []product.LockedPackage{},
	}
	s, err := settings(d.call.Tree, d.operation)
	if err != nil {
		return entry, err
	}
	u, repositories, err := p.universe(ctx, m, d, s)
	if err != nil {
		return entry, err
	}
	pins, err := preferences(d.call.Tree)
	if err != nil {
		return entry, err
	}
	if before, ok := p.before(m, d); ok && p.Security {
		fixed, err := onlySecurity(u, before)
		if err != nil {
			return entry, err
		}
		pins = append(fixed, pins...)
	}
	r := debian.Request{Command: d.operation.verb, Settings: s, Pins: pins}
	locals := map[*debian.Package]layer.Content{}
	for _, name := range d.operation.names {
		if !isFile(name) {
			r.Names = append(r.Names, name)
			continue
		}
		one, content, err := addLocal(u, d.call, name)
		if err != nil {
			return entry, err
		}
		r.Local, locals[one] = append(r.Local, one), content
	}
	if d.operation.verb == download {
		r.Command, r.Settings.Reinstall = debian.CommandInstall, true
	}
	if d.operation.has("--auto-remove") && r.Command == debian.CommandRemove {
		r.Command = debian.CommandAutoRemove
	}
	plan, err := u.Resolve(r)
	if err != nil {
		return entry, err
	}
	for _, change := range plan.Changes {
		if d.operation.verb == download && !change.Why.Asked {
			continue
		}
		l := lockedPackage(change, repositories)
		if content, ok := locals[change.Package]; ok {
			l.Path, l.Size, l.SHA256 = localPath(d.call, change.Package.File()), content.Size, content.Digest
		}
		entry.Packages = append(entry.Packages, l)
	}
	return entry, nil
}

// before returns the packages that packages.lock.yaml has for a command, whatever it was on, and
// whether it has the command.
func (p *Pin) before(m *Manager, d decision) ([]product.LockedPackage, bool) {
	for _, e := range m.Locked {
		if e.Image == m.Image && e.Stage == d.call.Stage && platform.Same(e.Platform, d.call.Platform) &&
			e.Command == d.operation.String() {
			return e.Packages, true
		}
	}
	return nil, false
}

// lockedPackage is a change in the form of packages.lock.yaml.
func lockedPackage(c debian.Change,
	repositories map[*debian.Repository]product.LockedRepository,
) product.LockedPackage {
	l := product.LockedPackage{
		Action: product.ActionInstall, Name: c.Name, Arch: c.Arch, Version: c.New, Was: c.Old, Auto: c.Auto,
	}
	if c.Why.By != nil {
		l.Why = c.Why.By.Name
	}
	switch c.Action {
	case debian.Remove:
		l.Action, l.Version, l.Was = product.ActionRemove, c.Old, ""
		return l
	case debian.Purge:
		l.Action, l.Version, l.Was = product.ActionPurge, c.Old, ""
		return l
	}
	l.Repository = repositories[c.Package.Repository()]
	l.Path, l.Size = strings.TrimPrefix(c.Package.Filename(), "./"), c.Package.Size()
	l.SHA256.Algorithm, l.SHA256.Hex = "sha256", c.Package.SHA256()
	if l.Repository.URL != "" {
		l.Priority = c.Package.Priority()
	}
	return l
}
