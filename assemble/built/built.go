// Package built models what build passes to publish: images by digest, which have no names in a
// registry yet. The package imports no build code, so that publish and its tests do not need any.
package built

import (
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
)

// Result lists the images and artifacts of a product, or of selected platforms and images.
type Result struct {
	BuildVersion int       `json:"buildVersion"` // of the file's format
	Name         string    `json:"name"`         // the product's
	Version      string    `json:"version"`      // the product's
	Created      time.Time `json:"created"`      // as in the lock
	Go           string    `json:"go,omitempty"` // the toolchain that compiled the programs
	// Selected lists the platforms and images that -platforms and -images selected; nil if all of
	// the product was built.
	Selected  []string        `json:"selected,omitempty"`
	Sources   []lock.Source   `json:"sources"`
	Images    []Image         `json:"images"` // in the order of slipway.yaml
	Artifacts []lock.Artifact `json:"artifacts,omitempty"`
	Compilers []lock.Compiler `json:"compilers,omitempty"` // this and what follows are as in the lock
	Prebuilt  []lock.Prebuilt `json:"prebuilt,omitempty"`
	// Inventory lists the contents of the images and artifacts.
	Inventory *lock.Inventory `json:"inventory,omitempty"`
	Materials []lock.Material `json:"materials,omitempty"` // sorted
}

// Image is an image in the store: an index with one child per platform, or a single manifest.
type Image struct {
	Name      string          `json:"name"` // as in slipway.yaml
	Kind      string          `json:"kind"`
	MediaType types.MediaType `json:"mediaType"`
	Digest    v1.Hash         `json:"digest"` // of the index or manifest
	Size      int64           `json:"size"`   // bytes of that index or manifest
	Children  []lock.Child    `json:"children"`
}

// Image returns the image with the given name.
func (r *Result) Image(name string) (Image, bool) {
	if n := slices.IndexFunc(r.Images, func(i Image) bool { return i.Name == name }); n >= 0 {
		return r.Images[n], true
	}
	return Image{}, false
}

// Write writes the result to a file that appears only when it is complete. The caller must have
// locked its directory.
func (r *Result) Write(path string) error { return stagefile.Build.Write(path, r) }

// Read reads a file that [Result.Write] wrote.
func Read(path string) (*Result, error) {
	var r Result
	if err := stagefile.Build.Read(path, &r); err != nil {
		return nil, err
	}
	for _, i := range r.Images {
		err := lock.CheckChildren(i.Children)
		if err == nil && i.Digest == (v1.Hash{}) {
			err = errors.New("the digest is missing")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, stagefile.Build.Invalid(fmt.Errorf("image %q: %w", i.Name, err)))
		}
	}
	return &r, nil
}
