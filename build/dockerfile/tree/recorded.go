package tree

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/layer"
)

// recorded is a file of an archive that the store remembers: also what only packages ask for.
type recorded struct {
	tarEntry
	Type  byte   `json:"type"`
	User  string `json:"user,omitempty"`
	Group string `json:"group,omitempty"`
	PAX   bool   `json:"pax,omitempty"`
}

const recordedFormat = "packed 1 " // another form of recorded has another number

// EachOnce is Each for archives that many builds use: the store remembers the list of files, and
// unpacks the archive again only where a content is read that is no longer there. Of the headers
// do gets names, types, modes, owners, and whether there was a PAX header.
func (a *Archives) EachOnce(
	ctx context.Context, c layer.Content, open func() (io.ReadCloser, error), do func(h *tar.Header, n *Node) error,
) error {
	var all []recorded
	found, err := a.store.Recall(Kind, recordedFormat+c.Digest.String(), &all)
	if err != nil {
		return err
	}
	if !found {
		if all, err = a.record(ctx, c, open); err != nil {
			return err
		}
	}
	file := func() (string, error) {
		k, err := a.spool(ctx, c.Digest, open)
		if err != nil {
			return "", err
		}
		return a.store.PathKept(k), nil
	}
	for _, e := range all {
		h := &tar.Header{
			Typeflag: e.Type, Name: e.Name, Linkname: e.Link, Size: e.Size, Mode: int64(e.Mode.Perm()),
			Uid: e.UID, Gid: e.GID, Uname: e.User, Gname: e.Group,
		}
		if e.PAX {
			h.Format = tar.FormatPAX
		}
		if err := do(h, e.node(a.store, file)); err != nil {
			return err
		}
	}
	return nil
}

// Aside returns Archives of the same store for one goroutine, whose budget counts by itself.
func (a *Archives) Aside() *Archives { return NewArchives(a.store, a.limits) }

// Join takes over what others have unpacked.
func (a *Archives) Join(others ...*Archives) {
	for _, o := range others {
		a.spooled = append(a.spooled, o.spooled...)
	}
}

// record lists the files of an archive while it unpacks it, and remembers the list.
func (a *Archives) record(
	ctx context.Context, c layer.Content, open func() (io.ReadCloser, error),
) ([]recorded, error) {
	file, err := a.spoolFile(c.Digest)
	if err != nil {
		return nil, err
	}
	r, err := open()
	if err != nil {
		return nil, cmp.Or(Verify(ctx, c), err)
	}
	defer r.Close()
	all := []recorded{}
	_, err = a.spoolTo(file, a.Budget.unpack(r), func(r io.Reader) error {
		return scan(ctx, r, func(e tarEntry, h *tar.Header) error {
			if len(all) == a.Budget.Files {
				return tooMany(a.Budget.Files)
			}
			all = append(all, recorded{e, h.Typeflag, h.Uname, h.Gname, h.Format&tar.FormatPAX != 0})
			return nil
		})
	}, v1.Hash{})
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		return nil, limit
	}
	if err != nil {
		return nil, cmp.Or(Verify(ctx, c), err)
	}
	return all, a.store.Record(Kind, recordedFormat+c.Digest.String(), all)
}
