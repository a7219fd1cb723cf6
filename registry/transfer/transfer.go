// Package transfer moves sets of images between stores, bundles and registries.
//
// [Client.Push] pushes images whose blobs a [Source] gives, in an order that never leaves a name
// for something incomplete: it resolves every tag; then sends each blob once, to one repository;
// mounts it from there into the others; then puts the manifests of single platforms by digest,
// then the indexes, then the referrers; and last the tags. A tag that names another digest stops
// it before anything is sent. [Client.PushAll] does so for several destinations at once, and
// reads each blob once.
//
// A floating tag moves by [Client.Move], where [Client.Decide] allows it: [Client.Current]
// reports what the tag names now, and [Forward] which image is newer.
//
// [Client.Fetch] brings images into a store, [Client.Pull] everything that a lock names, and
// [Client.FetchReferrers] the referrers of images. [Client.Check] and [Client.Platforms] only
// ask. To copy from registry to registry, [Client.Read] and [Client.ReadReferrers] read the
// documents, and [Client.FromRegistry] gives the blobs.
//
// Package network makes the requests below it, and has the rules for credentials, plain HTTP and
// retries.
package transfer

import (
	"context"
	"io"
	"net/http"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Client talks to registries. Several goroutines may use it.
type Client struct {
	*network.Client
	o network.Options
}

// New returns a client for the registries that references name.
func New(o network.Options) *Client {
	o = o.Defaults()
	return &Client{network.New(o), o}
}

// Local returns a client that sends every request to rt, whatever host a reference names.
func Local(o network.Options, rt http.RoundTripper) *Client {
	o = o.Defaults()
	return &Client{network.Local(o, rt), o}
}

// Each calls f for every element and its index, as many at a time as the options allow, until the
// first error, which it returns.
func Each[T any](ctx context.Context, c *Client, list []T, f func(ctx context.Context, n int, e T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c.o.Jobs)
	for n, e := range list {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			return f(ctx, n, e)
		})
	}
	return g.Wait()
}

// Image is one name to be pushed, with everything below it.
type Image struct {
	Name string         // in messages
	Ref  name.Reference // repository:tag, or repository@digest for what has no tag
	// Tree is what Ref will name: an index or the manifest of a single platform. Children of the
	// index that are not included are not pushed; many registries accept the index only if they
	// have these.
	Tree *oci.Tree
	// Bases are, by digest of a manifest, images that may have some of its layers: they are
	// mounted, if the registry is the same.
	Bases map[v1.Hash]name.Reference
	// ByDigest pushes the manifests of single platforms alone, by digest, and names nothing.
	ByDigest bool
	// Referrer marks one document that refers to another image, or a part of such. Referrers are
	// put after all images and before their tags, one at a time in the order of the list: for
	// registries that cannot list referrers, the client keeps a list there, which it reads and
	// writes.
	Referrer bool
	// Required marks a referrer that the registry must have whatever [PushOptions.Referrers] says.
	Required bool
}

// ReferrerName returns the name that a referrer has in a repository: its tag of cosign, or its
// digest.
func ReferrerName(repo name.Repository, r oci.Referrer) name.Reference {
	if r.Tag != "" {
		return repo.Tag(r.Tag)
	}
	return repo.Digest(r.Digest.String())
}

// Referrer returns the images of a referrer that has the name ref: the documents below it, which
// have no other name than their digest, and the referrer as the last.
func Referrer(of string, ref name.Reference, t *oci.Tree, required bool) []Image {
	var all []Image
	for d := range t.All() {
		all = append(all, Image{
			Name: of, Ref: ref.Context().Digest(d.Desc.Digest.String()), Tree: d, Referrer: true, Required: required,
		})
	}
	all[len(all)-1].Ref = ref
	return all
}

// manifests returns the documents that are pushed by digest.
func (i Image) manifests() []*oci.Tree {
	if i.ByDigest && !i.Tree.Desc.MediaType.IsIndex() {
		return []*oci.Tree{i.Tree}
	}
	var all []*oci.Tree
	for _, c := range i.Tree.Children {
		if c.Presence == oci.Included && !i.Referrer {
			all = append(all, c)
		}
	}
	return all
}

// documents returns all documents that are pushed.
func (i Image) documents() []*oci.Tree {
	if i.ByDigest {
		return i.manifests()
	}
	return append(i.manifests(), i.Tree)
}

// notIncluded returns the manifests of the index that are not pushed.
func (i Image) notIncluded() []v1.Descriptor {
	var all []v1.Descriptor
	for _, c := range i.Tree.Children {
		if c.Presence != oci.Included && !i.Referrer && !i.ByDigest {
			all = append(all, c.Desc)
		}
	}
	return all
}

// Source gives the blobs that are to be pushed.
type Source struct {
	// Open opens a blob. The reader fails, at the latest at its end, if the bytes do not have the
	// digest: the registry then never learns that the blob was complete.
	Open func(v1.Hash) (io.ReadCloser, error)
	// Has reports whether Open can give a blob; nil means that it can give all. The registry must
	// have the others: they are looked for before anything is sent, and for one that is missing,
	// the error of Open states why.
	Has func(v1.Hash) bool
}

// Result reports what a push did.
type Result struct {
	Blobs int64 // how many were sent
	Bytes int64 // of those blobs
	// Outcomes has one element per image.
	Outcomes []Outcome
	// Omitted lists the referrers that were omitted by [PushOptions.Referrers].
	Omitted []OmittedReferrer
}

// Outcome is the result for one image.
type Outcome struct {
	Existed bool // the registry had all of it before
	// Skipped is set if it was not pushed: the registry, or another image of the push, has
	// signatures under its tag that it lacks, or it is a referrer that was omitted.
	Skipped bool
	// NotInRegistry are children of the index that neither the push includes nor the registry
	// has: the index is sparse there.
	NotInRegistry []v1.Descriptor
}
