package publish

import (
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image is one name to be pushed, with all that stands below it.
type Image struct {
	Name string         // as messages call it
	Ref  name.Reference // repository:tag, or repository@digest for what has no tag
	// Top is what Ref stands for, an index or the manifest of a single platform. Without Raw,
	// only Children are pushed.
	Top      Manifest
	Children []Manifest // of an index: those that are at hand
	// Missing are manifests of the index that are not at hand. Many registries take the index
	// only once they have all of them.
	Missing []v1.Descriptor
	// Referrer says that it is about another image. It is put after all images, and one at a time
	// in the order of the list: for registries that cannot list referrers, the client keeps a
	// list there, which it reads and writes.
	Referrer bool
}

// Manifest is a document as registries keep it.
type Manifest struct {
	Descriptor v1.Descriptor
	Raw        []byte          // byte for byte
	Blobs      []v1.Descriptor // of a single platform: the configuration and the layers
	// an image of the same registry that may have some of the blobs, or nil
	Base name.Reference
}

// RawManifest returns the document; together with MediaType it makes a [remote.Taggable].
func (m Manifest) RawManifest() ([]byte, error) { return m.Raw, nil }

// MediaType tells remote how to label the document.
func (m Manifest) MediaType() (types.MediaType, error) { return m.Descriptor.MediaType, nil }

// Source gives the blobs that are to be pushed.
type Source struct {
	// Open opens a blob. The reader fails, at the latest where it ends, if the bytes do not have
	// the digest: the registry then never learns that the blob was complete.
	Open func(v1.Hash) (io.ReadCloser, error)
	// Lacks says which blobs Open cannot give; nil is none. The registry must have them: they are
	// looked for before anything is sent, and where one is not there, the error of Open says why.
	Lacks func(v1.Hash) bool
}

// Result says what a push did.
type Result struct {
	Blobs int64 // how many were sent
	Bytes int64 // of those blobs
	// Outcomes has one element per image.
	Outcomes []Outcome
}

// Outcome says what became of one image.
type Outcome struct {
	There bool // the registry had it all before
	// it was not pushed: the registry, or another image of the push, has signatures under its tag
	// that it lacks
	Left bool
	// those of Missing that the registry does not have either: the index there is sparse
	Lacking []v1.Descriptor
}
