package dpkg

import (
	"slices"

	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

// state is how far a package is installed. dpkg compares them by their order.
type state uint8

const (
	notInstalled state = iota
	configFiles
	halfInstalled
	unpacked
	halfConfigured
	triggersAwaited
	triggersPending
	installed
)

var stateNames = []string{
	"not-installed", "config-files", "half-installed", "unpacked", "half-configured",
	"triggers-awaited", "triggers-pending", "installed",
}

func (s state) String() string { return stateNames[s] }

// The first word of Status: what is wanted of a package.
const (
	wantUnknown   = "unknown"
	wantInstall   = "install"
	wantHold      = "hold"
	wantDeinstall = "deinstall"
	wantPurge     = "purge"
)

var wantNames = []string{wantUnknown, wantInstall, wantHold, wantDeinstall, wantPurge}

// pkgset is all packages of one name, of each architecture one.
type pkgset struct {
	name    string
	created int // the order of sets with equal hashes
	pkgs    []*pkg
	// possibilities of other packages that name this one, those that came last at the end
	dependers []*possibility
}

// instances returns how many packages of the set are installed.
func (s *pkgset) instances() int {
	n := 0
	for _, p := range s.pkgs {
		if p.state != notInstalled {
			n++
		}
	}
	return n
}

// pkg is a package of the database.
type pkg struct {
	set               *pkgset
	want              string
	reinstall         bool // reinstreq
	state             state
	section, priority string
	configVersion     control.Version
	// what is installed, and what is being unpacked
	installed, available binary

	files  []*file
	listed bool // files is as the list has it

	// names of pending triggers, the latest first
	pending []string
	// packages whose triggers it awaits, and those that await its own; the latest last
	awaits, awaiters []*pkg

	toBe      toBe
	queued    bool
	deferred  bool // for its triggers
	black     bool // findCycle has been there
	replacing uint8
}

// toBe is what the current run does with a package.
type toBe uint8

const (
	toBeNormal toBe = iota
	toBeRemoved
	toBeInstalled
	toBeDeconfigured
)

// binary is what a control file says of a package.
type binary struct {
	arch, multiArch      string
	essential, protected bool
	version              control.Version
	// texts of the fields that dpkg knows and does not read: Maintainer, Description
	texts     map[string]string
	depends   []*dependency
	conffiles []conffile
	more      []control.Field // fields that dpkg does not know
}

// dependency is a group of alternatives, of which one is needed, or what is in Breaks, Conflicts,
// Provides and Replaces.
type dependency struct {
	up    *pkg
	field string
	list  []*possibility
}

// possibility is one alternative of a dependency.
type possibility struct {
	control.Relation
	up       *dependency
	set      *pkgset
	arch     string // what its Arch means; any for every one
	implicit bool   // it has no Arch
	broken   bool   // ignored, to break a cycle
}

// conffile is a configuration file of a package.
type conffile struct {
	name, hash      string
	obsolete        bool
	removeOnUpgrade bool
}

// Hashes of conffiles that are none.
const (
	hashNew     = "newconffile"
	hashMissing = "nonexistent"
	hashEmpty   = "-"
)

const same = "same"

// needs reports whether a dependency has to be fulfilled for a package to work.
func (d *dependency) needs() bool { return d.field == "Depends" || d.field == "Pre-Depends" }

// satisfies reports whether a package has a version and architecture that are asked for.
func (db *database) satisfies(b *binary, p *possibility) bool {
	return db.satisfiesArch(b, b.arch, p) && p.Op.Satisfied(b.version, p.Version)
}

func (db *database) satisfiesArch(b *binary, arch string, p *possibility) bool {
	if p.implicit && b.multiArch == "foreign" {
		return true
	}
	if p.arch == "any" && (b.multiArch == "allowed" ||
		slices.Contains([]string{"Conflicts", "Replaces", "Breaks"}, p.up.field)) {
		return true
	}
	native := func(arch string) string {
		if arch == "" || arch == "all" {
			return db.arch
		}
		return arch
	}
	return native(p.arch) == native(arch)
}

// satisfiesVirtual reports whether what a package provides is in a version that is asked for.
func satisfiesVirtual(p, provided *possibility) bool {
	if provided.Op != "" && provided.Op != "=" || provided.Op == "" && p.Op != "" {
		return false
	}
	return p.Op.Satisfied(provided.Version, p.Version)
}

// providers returns the possibilities of a set by which other packages provide it, the latest
// first.
func (s *pkgset) providers() []*possibility { return s.reverse("Provides") }

// reverse returns the possibilities of other packages in some fields, the latest first.
func (s *pkgset) reverse(fields ...string) []*possibility {
	var found []*possibility
	for _, p := range slices.Backward(s.dependers) {
		if slices.Contains(fields, p.up.field) {
			found = append(found, p)
		}
	}
	return found
}

// label returns the name of a package, with its architecture where the name alone may mean
// another.
func (db *database) label(p *pkg, b *binary) string {
	if b.multiArch == same || b.arch != "" && b.arch != "all" && b.arch != db.arch {
		return p.set.name + ":" + b.arch
	}
	return p.set.name
}

// sameLabel is the name of a package, with its architecture where others may be installed beside
// it.
func sameLabel(p *pkg, b *binary) string {
	if b.multiArch == same {
		return p.set.name + ":" + b.arch
	}
	return p.set.name
}
