package product

import (
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// PackagesLock is the name of the file next to slipway.yaml that has the packages that Dockerfiles
// install.
const PackagesLock = "packages.lock.yaml"

// LockedPackages is an entry of packages.lock.yaml: what one command of a Dockerfile does to the
// packages of one stage, for one platform, or the packages of a base.
type LockedPackages struct {
	Image    string // name in slipway.yaml; empty for a base
	Stage    string // its name in the Dockerfile, or its number; the name of a base
	Platform platform.Platform
	// Command are the words of the command, without what does not decide: apt-get install curl.
	// Those of a base are of [BasePackages.String].
	Command string
	// Installed identifies the packages that were installed before the command: the SHA-256 of a
	// list.
	Installed string
	Packages  []LockedPackage
	Pos       yamlfile.Pos
}

// LockedRepository is an index of packages at one time.
type LockedRepository struct {
	URL    string    // as sources.list has it: http://deb.debian.org/debian
	Suite  string    // bookworm, bookworm-security; a directory that ends in / for a flat repository
	Date   time.Time // that its Release states
	SHA256 string    // of InRelease, in hexadecimal digits
	Key    string    // fingerprint of the OpenPGP key that signed it; empty for an unsigned repository
}

// Actions of packages.lock.yaml.
const (
	ActionInstall = "install" // also of another version than was installed before
	ActionRemove  = "remove"
	ActionPurge   = "purge"
)

// LockedPackage is one package that a command adds, changes or removes.
type LockedPackage struct {
	Action     string // one of the Action constants
	Name       string
	Version    string
	Arch       string           // of the package: amd64, all
	Repository LockedRepository // none for one that is removed, or is a file of the stage
	Path       string           // below the repository's URL; the path in the stage for a local file
	Size       int64            // bytes
	SHA256     v1.Hash
	Why        string // the package that depends on it or recommends it; empty if the command names it
	Was        string // the version that was installed before; empty for none
	Auto       bool   // apt removes it when nothing needs it any more
	Priority   string // in the index, by which apt orders packages; empty for optional
}

// packagesLockYAML is what slipway pin writes beside slipway.yaml: the packages that Dockerfiles
// install, and those of bases, by hash.
type packagesLockYAML struct {
	// The format of this file: slipway/v1.
	APIVersion string `yaml:"apiVersion" jsonschema:"required"`
	// The indexes that the packages were chosen from.
	Repositories []lockedRepositoryYAML `yaml:"repositories" jsonschema:"required"`
	// What each command does, by base, or by image and stage, and platform, in the order of the
	// Dockerfile.
	Commands []lockedPackagesYAML `yaml:"commands" jsonschema:"required"`
}

// lockedRepositoryYAML is an index at one time.
type lockedRepositoryYAML struct {
	// What packages of this file call it.
	Name string `yaml:"name" jsonschema:"required"`
	// The address, as in sources.list.
	URL string `yaml:"url" jsonschema:"required"`
	// The suite, as in sources.list.
	Suite string `yaml:"suite" jsonschema:"required"`
	// When the index was made, according to its Release.
	Date string `yaml:"date" jsonschema:"required"`
	// The SHA-256 of InRelease.
	SHA256 string `yaml:"sha256" jsonschema:"required"`
	// The fingerprint of the OpenPGP key that signed it. Empty for a repository without a signature.
	Key string `yaml:"key,omitempty"`
}

// lockedPackagesYAML is what one command does.
type lockedPackagesYAML struct {
	// The base in slipway.yaml that consists of the packages.
	Base string `yaml:"base,omitempty"`
	// The image in slipway.yaml, whose Dockerfile has the command.
	Image string `yaml:"image,omitempty"`
	// The stage's name in the Dockerfile, or its number.
	Stage string `yaml:"stage,omitempty"`
	// The platform.
	Platform string `yaml:"platform" jsonschema:"required"`
	// The command, without options that do not decide which packages it takes. For a base, what
	// slipway.yaml says of it.
	Command string `yaml:"command" jsonschema:"required"`
	// The SHA-256 of the list of packages that were installed before.
	Installed string `yaml:"installed" jsonschema:"required"`
	// The packages that it adds, changes or removes, in this order.
	Packages []lockedPackageYAML `yaml:"packages" jsonschema:"required"`
}

// lockedPackageYAML is one package.
type lockedPackageYAML struct {
	// The name.
	Name string `yaml:"name" jsonschema:"required"`
	// The version. For a package that is removed, the one that was installed.
	Version string `yaml:"version" jsonschema:"required"`
	// The architecture: amd64, all.
	Arch string `yaml:"arch" jsonschema:"required"`
	// What happens to it. The default is install.
	Action string `yaml:"action,omitempty" jsonschema:"enum=install,enum=remove,enum=purge"`
	// The version that was installed before, if another one was.
	Was string `yaml:"was,omitempty"`
	// The repository, by its name in this file. A file of the stage has none.
	From string `yaml:"from,omitempty"`
	// The path below the repository's address, or that of a file of the stage.
	Path string `yaml:"path,omitempty"`
	// The size in bytes.
	Size int `yaml:"size,omitempty"`
	// The SHA-256 of the .deb file.
	SHA256 string `yaml:"sha256,omitempty"`
	// The package that needs it. Without one, the command names it.
	Why string `yaml:"why,omitempty"`
	// Whether apt removes it when nothing needs it any more.
	Auto bool `yaml:"auto,omitempty"`
	// Its priority in the index, by which apt orders packages. The default is optional.
	Priority string `yaml:"priority,omitempty" jsonschema:"enum=required,enum=important,enum=standard,enum=extra"`
}

// MarshalYAML writes a package as one line, so that a diff has a line for each.
func (p lockedPackageYAML) MarshalYAML() (any, error) {
	type plain lockedPackageYAML
	var n yaml.Node
	if err := n.Encode(plain(p)); err != nil {
		return nil, err
	}
	n.Style = yaml.FlowStyle
	return &n, nil
}

var packagesLock = lockFile[packagesLockYAML, LockedPackages]{
	name: PackagesLock, content: "The packages of Dockerfiles and bases", command: "pin",
	version: func(f *packagesLockYAML) *string { return &f.APIVersion },
	read:    readPackages,
	written: writtenPackages,
}

func readPackages(d *yamlfile.Document, in *packagesLockYAML) (list []LockedPackages) {
	repositories := map[string]LockedRepository{}
	for i := range in.Repositories {
		r := &in.Repositories[i]
		if _, ok := repositories[r.Name]; ok {
			d.Errorf(&r.Name, "repository %s is listed twice: run %s", r.Name, howto.Run("pin"))
		}
		repositories[r.Name] = lockedRepository(d, r)
	}
	for i := range in.Commands {
		c := &in.Commands[i]
		e := LockedPackages{
			Image: c.Image, Stage: c.Stage + c.Base, Command: c.Command, Installed: c.Installed, Pos: d.Pos(c),
			Packages: []LockedPackage{},
		}
		if (c.Base == "") != (c.Image != "" && c.Stage != "") || c.Base != "" && c.Image+c.Stage != "" {
			d.Errorf(c, "a command is of a base, or of an image and a stage: run %s", howto.Run("pin"))
		}
		var err error
		if e.Platform, err = platform.Parse(c.Platform); err != nil {
			d.Errorf(&c.Platform, "%v", err)
			continue
		}
		if !hexadecimal(c.Installed) {
			d.Errorf(&c.Installed, "a SHA-256 has 64 hexadecimal digits: run %s", howto.Run("pin"))
		}
		for n := range c.Packages {
			e.Packages = append(e.Packages, lockedPackage(d, &c.Packages[n], repositories))
		}
		list = append(list, e)
	}
	return list
}

func lockedRepository(d *yamlfile.Document, in *lockedRepositoryYAML) LockedRepository {
	r := LockedRepository{URL: in.URL, Suite: in.Suite, SHA256: in.SHA256, Key: in.Key}
	var err error
	if r.Date, err = time.Parse(time.RFC3339, in.Date); err != nil {
		d.Errorf(&in.Date, "%q is not a time such as 2025-01-16T21:57:50Z: run %s", in.Date, howto.Run("pin"))
	}
	if !hexadecimal(in.SHA256) {
		d.Errorf(&in.SHA256, "a SHA-256 has 64 hexadecimal digits: run %s", howto.Run("pin"))
	}
	return r
}

// lockedPackage reads an entry. Its path becomes part of an address, and so may not lead out of
// the repository.
func lockedPackage(d *yamlfile.Document, in *lockedPackageYAML,
	repositories map[string]LockedRepository,
) LockedPackage {
	p := LockedPackage{
		Action: in.Action, Name: in.Name, Version: in.Version, Arch: in.Arch, Path: in.Path, Size: int64(in.Size),
		Why: in.Why, Was: in.Was, Auto: in.Auto, Priority: in.Priority,
	}
	if p.Action == "" {
		p.Action = ActionInstall
	}
	if !slices.Contains([]string{ActionInstall, ActionRemove, ActionPurge}, p.Action) {
		d.Errorf(&in.Action, "action is install, remove or purge, not %q: run %s", in.Action, howto.Run("pin"))
	}
	if p.Action != ActionInstall {
		return p
	}
	if in.Path == "" || in.Size <= 0 || in.SHA256 == "" {
		d.Errorf(&in.Name, "package %s lacks its path, size or sha256: run %s", in.Name, howto.Run("pin"))
		return p
	}
	var ok bool
	if p.Repository, ok = repositories[in.From]; !ok && in.From != "" {
		d.Errorf(&in.From, "%s is not one of the repositories of this file: run %s", in.From, howto.Run("pin"))
	}
	local := in.From == ""
	if path.Clean("/"+in.Path) != "/"+strings.TrimPrefix(in.Path, "/") ||
		path.IsAbs(in.Path) != local || strings.ContainsAny(in.Path, "\\\x00\n") {
		d.Errorf(&in.Path, "%q is not a path of a package: run %s", in.Path, howto.Run("pin"))
	}
	if !hexadecimal(in.SHA256) {
		d.Errorf(&in.SHA256, "a SHA-256 has 64 hexadecimal digits: run %s", howto.Run("pin"))
	}
	p.SHA256 = v1.Hash{Algorithm: "sha256", Hex: in.SHA256}
	return p
}

// hexadecimal reports whether s is a SHA-256.
func hexadecimal(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && s == strings.ToLower(s)
}

func writtenPackages(list []LockedPackages) packagesLockYAML {
	out := packagesLockYAML{Repositories: []lockedRepositoryYAML{}, Commands: []lockedPackagesYAML{}}
	names := map[LockedRepository]string{}
	for _, e := range list {
		c := lockedPackagesYAML{
			Image: e.Image, Stage: e.Stage, Platform: e.Platform.String(), Command: e.Command, Installed: e.Installed,
			Packages: []lockedPackageYAML{},
		}
		if e.Image == "" {
			c.Base, c.Stage = e.Stage, ""
		}
		for _, p := range e.Packages {
			y := lockedPackageYAML{
				Name: p.Name, Version: p.Version, Arch: p.Arch, Was: p.Was, Path: p.Path, Size: int(p.Size),
				SHA256: p.SHA256.Hex, Why: p.Why, Auto: p.Auto, Priority: p.Priority,
			}
			if p.Action != ActionInstall {
				y.Action = p.Action
			}
			if r := p.Repository; r.URL != "" {
				y.From = out.name(names, r)
			}
			c.Packages = append(c.Packages, y)
		}
		out.Commands = append(out.Commands, c)
	}
	return out
}

// name returns what the file calls a repository, which it adds.
func (f *packagesLockYAML) name(names map[LockedRepository]string, r LockedRepository) string {
	if known, ok := names[r]; ok {
		return known
	}
	name := strings.Trim(r.Suite, "/")
	for n := 2; slices.ContainsFunc(f.Repositories, func(o lockedRepositoryYAML) bool { return o.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", strings.Trim(r.Suite, "/"), n)
	}
	names[r] = name
	f.Repositories = append(f.Repositories, lockedRepositoryYAML{
		name, r.URL, r.Suite, r.Date.UTC().Format(time.RFC3339), r.SHA256, r.Key,
	})
	return name
}

// EncodePackages returns the bytes of packages.lock.yaml.
func EncodePackages(list []LockedPackages) ([]byte, error) { return packagesLock.encode(list) }
