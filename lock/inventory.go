package lock

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Inventory lists the contents of the images and artifacts of a release, as the build knows them.
// [Part] has it, [Lock] does not: bills of materials are made from both.
type Inventory struct {
	Contents []Content   `json:"contents,omitempty"` // sorted by digest, each once
	Programs []Program   `json:"programs,omitempty"` // sorted by digest, each once
	Bases    []BaseFacts `json:"bases,omitempty"`    // sorted by digest, each once
}

// Content lists the files that a manifest has in its own layers, or that an artifact contains.
type Content struct {
	// Digest is that of a [Child] or of an [Artifact].
	Digest v1.Hash `json:"digest"`
	SHA512 string  `json:"sha512,omitempty"` // of an artifact, in hex
	// Source is the name of the [Source] that an image is labeled with.
	Source string `json:"source,omitempty"`
	// Version is that of an image which has another one than the product.
	Version string `json:"version,omitempty"`
	Files   []File `json:"files,omitempty"` // sorted by path
	// Packages are those of a Linux distribution that are installed, in the order of
	// [ComparePackages]. Files that came with them are not listed in Files.
	Packages []Package `json:"packages,omitempty"`
}

// File is a regular file, as it is found in a container or in an unpacked archive. What a later
// layer replaces or removes is not listed.
type File struct {
	Path   string  `json:"path"` // absolute; relative in an archive
	Digest v1.Hash `json:"digest"`
	Size   int64   `json:"size"`
	// Executable reports whether its mode lets any user execute it.
	Executable bool `json:"executable,omitempty"`
	// Builtin reports whether a built-in base has it, so that it is known what it consists of.
	Builtin bool `json:"builtin,omitempty"`
}

// Program is a file that a system starts or loads: ELF, PE or Mach-O.
type Program struct {
	Digest       v1.Hash `json:"digest"`
	SHA512       string  `json:"sha512"` // hex
	Size         int64   `json:"size"`
	Format       string  `json:"format"` // "ELF", "PE", "Mach-O", "XCOFF" or "a.out"
	OS           string  `json:"os"`     // as GOOS
	Architecture string  `json:"architecture"`
	// Source is the name of the [Source] that it was compiled from; "" if this release did not
	// compile it.
	Source string `json:"source,omitempty"`
	// Go is the toolchain that the program names ("go1.26.8"). Without build information of Go this
	// and the following fields are empty.
	Go       string    `json:"go,omitempty"`
	Package  string    `json:"package,omitempty"` // import path of the main package
	Main     Module    `json:"main,omitzero"`
	Modules  []Module  `json:"modules,omitempty"` // in the order of the build information
	Settings []Setting `json:"settings,omitempty"`
}

// Module is a Go module that a program contains packages of.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version,omitempty"` // "(devel)" for a directory
	Sum     string `json:"sum,omitempty"`     // h1: hash, as in go.sum
	// Replace is the module whose packages the program has instead. Without a version, its path is
	// a directory.
	Replace *Module `json:"replace,omitempty"`
}

// Setting is a setting that a program was compiled with, such as GOOS or -tags.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// BaseFacts are what a base states by its labels.
type BaseFacts struct {
	Digest   v1.Hash `json:"digest"`             // as in [Base]
	Version  string  `json:"version,omitempty"`  // org.opencontainers.image.version
	Licenses string  `json:"licenses,omitempty"` // org.opencontainers.image.licenses
}

func (c Content) digest() v1.Hash   { return c.Digest }
func (p Program) digest() v1.Hash   { return p.Digest }
func (b BaseFacts) digest() v1.Hash { return b.Digest }

// byDigest is an element of a list of an inventory.
type byDigest interface{ digest() v1.Hash }

func compare[E byDigest](e E, h v1.Hash) int { return cmp.Compare(e.digest().String(), h.String()) }

func find[E byDigest](all []E, h v1.Hash) (found E, ok bool) {
	at, ok := slices.BinarySearchFunc(all, h, compare[E])
	if ok {
		found = all[at]
	}
	return found, ok
}

// Content returns the contents of the manifest or artifact of a digest.
func (v *Inventory) Content(h v1.Hash) (Content, bool) { return find(v.Contents, h) }

// Program returns the program of a digest.
func (v *Inventory) Program(h v1.Hash) (Program, bool) { return find(v.Programs, h) }

// Base returns the facts of the base of a digest.
func (v *Inventory) Base(h v1.Hash) (BaseFacts, bool) { return find(v.Bases, h) }

// Add adds the elements of another inventory. What both have must be equal.
func (v *Inventory) Add(o *Inventory) error {
	if o == nil {
		return nil
	}
	return errors.Join(add(&v.Contents, o.Contents), add(&v.Programs, o.Programs), add(&v.Bases, o.Bases))
}

func add[E byDigest](to *[]E, list []E) error {
	for _, e := range list {
		at, ok := slices.BinarySearchFunc(*to, e.digest(), compare[E])
		switch {
		case !ok:
			*to = slices.Insert(*to, at, e)
		case !reflect.DeepEqual((*to)[at], e):
			return fmt.Errorf("the parts describe the contents of %s differently: "+
				"build all of them with the same slipway", e.digest())
		}
	}
	return nil
}

// Only returns the contents whose digests keep selects, with their programs, and the bases of
// children.
func (v *Inventory) Only(keep func(v1.Hash) bool) *Inventory {
	if v == nil {
		return nil
	}
	out := &Inventory{Bases: v.Bases}
	used := map[v1.Hash]bool{}
	for _, c := range v.Contents {
		if !keep(c.Digest) {
			continue
		}
		out.Contents = append(out.Contents, c)
		used[c.Digest] = true // an artifact may be a program
		for _, f := range c.Files {
			used[f.Digest] = true
		}
	}
	for _, p := range v.Programs {
		if used[p.Digest] {
			out.Programs = append(out.Programs, p)
		}
	}
	return out
}

// check returns an error if an element has no digest, or if a list is not in order.
func (v *Inventory) check() error {
	if v == nil {
		return nil
	}
	return errors.Join(inOrder(v.Contents), inOrder(v.Programs), inOrder(v.Bases), checkContents(v.Contents))
}

func inOrder[E byDigest](all []E) error {
	for n, e := range all {
		if e.digest() == (v1.Hash{}) {
			return errMissing
		}
		if n > 0 && compare(all[n-1], e.digest()) >= 0 {
			return fmt.Errorf("its inventory is not in the order of digests at %s", e.digest())
		}
	}
	return nil
}
