package network

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// maxReferrers is how many manifests may have one subject. Verifiers read far less: Kyverno 50.
const maxReferrers = 1000

// withoutAPI are the answers of registries without the referrers API. By the specification it is
// 404; others answer so to a path that they do not know.
var withoutAPI = []int{
	http.StatusNotFound, http.StatusBadRequest, http.StatusMethodNotAllowed,
	http.StatusNotAcceptable, http.StatusNotImplemented,
}

// Referrers lists the manifests that have a subject, by the referrers API, or by the tag that
// replaces it
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#unavailable-referrers-api).
func (s *Session) Referrers(ctx context.Context, subject name.Digest) (list []v1.Descriptor, err error) {
	list, ok, err := s.byAPI(ctx, subject)
	if err != nil || ok {
		return list, err
	}
	return s.byTag(ctx, subject)
}

// Referrers lists the manifests that have a subject as [Session.Referrers] does. Without tagged
// the tag that replaces the referrers API is not asked for, since the caller knows that it is not
// there.
func (c *Client) Referrers(ctx context.Context, subject name.Digest, tagged bool) ([]v1.Descriptor, error) {
	s, err := c.Session(ctx, subject.Context(), subject.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	if tagged {
		return s.Referrers(ctx, subject)
	}
	list, _, err := s.byAPI(ctx, subject)
	return list, err
}

// PutReferrer puts a manifest with a subject. Unless listed, the registry does not say that it
// lists it among the referrers of the subject: [Session.ListReferrers] does, for all that were put.
// [Refuses] tells an answer of the registry that refuses the manifest, or the list, from a failure.
func (s *Session) PutReferrer(ctx context.Context, ref name.Reference, mt types.MediaType, raw []byte,
) (listed bool, err error) {
	answer, err := s.put(ctx, ref, mt, raw)
	return err == nil && answer.Get("OCI-Subject") != "", err
}

// ListReferrers adds manifests to the list under the tag of their subject, where the registry has
// no list of its own. The tag is written once, since some registries let no tag move. Two calls
// for one subject must not run at a time.
func (s *Session) ListReferrers(ctx context.Context, subject name.Digest, add []v1.Descriptor) error {
	_, ok, err := s.byAPI(ctx, subject)
	if err != nil || ok { // the registry lists them later, or does not at all: who puts them looks once more
		return err
	}
	list, err := s.byTag(ctx, subject)
	if err != nil {
		return err
	}
	had := len(list)
	for _, d := range add {
		if !slices.ContainsFunc(list, func(o v1.Descriptor) bool { return o.Digest == d.Digest }) {
			list = append(list, d)
		}
	}
	if len(list) == had {
		return nil
	}
	slices.SortFunc(list, func(a, b v1.Descriptor) int { return strings.Compare(a.Digest.String(), b.Digest.String()) })
	text, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: list})
	if err != nil {
		return err
	}
	if _, err = s.put(ctx, fallback(subject), types.OCIImageIndex, text); err != nil {
		return &unlisted{fallback(subject).TagStr(), err}
	}
	return nil
}

// fallback is the tag that replaces the referrers API.
func fallback(subject name.Digest) name.Tag {
	return subject.Context().Tag(strings.Replace(subject.DigestStr(), ":", "-", 1))
}

// Put puts a document without a subject under a reference.
func (s *Session) Put(ctx context.Context, ref name.Reference, mt types.MediaType, raw []byte) error {
	_, err := s.put(ctx, ref, mt, raw)
	return err
}

func (s *Session) put(ctx context.Context, ref name.Reference, mt types.MediaType, raw []byte) (http.Header, error) {
	header := http.Header{"Content-Type": {string(mt)}}
	a, err := s.do(ctx, http.MethodPut, s.url("manifests/"+ref.Identifier()), header, raw, http.StatusOK,
		http.StatusCreated, http.StatusAccepted)
	if err != nil {
		return nil, err
	}
	return a.Header, a.Body.Close()
}

// byAPI lists referrers by the API, page by page. ok is false if the registry does not have the
// API.
func (s *Session) byAPI(ctx context.Context, subject name.Digest) (list []v1.Descriptor, ok bool, err error) {
	at := s.url("referrers/" + subject.DigestStr())
	var bound pages
	for at != "" {
		raw, status, header, err := s.read(ctx, at, append(withoutAPI, http.StatusOK)...)
		if err != nil {
			return nil, false, err
		}
		mt, _, _ := strings.Cut(header.Get("Content-Type"), ";")
		if status != http.StatusOK || types.MediaType(strings.TrimSpace(mt)) != types.OCIImageIndex {
			return nil, false, nil
		}
		page, err := listed(raw)
		if err != nil { // no digest proves that it is what the registry has
			return nil, false, outage{fmt.Errorf("the referrers of %s: %w", subject, err)}
		}
		if list = append(list, page...); len(list) > maxReferrers {
			return nil, false, tooMany(subject)
		}
		var entries []string
		for _, d := range page {
			entries = append(entries, d.Digest.String())
		}
		if err := bound.add(entries); err != nil {
			return nil, false, fmt.Errorf("the referrers of %s: %w", subject, err)
		}
		if at, err = Next(at, header.Get("Link")); err != nil {
			return nil, false, err
		}
	}
	return list, true, nil
}

func tooMany(subject name.Digest) error {
	return outcome.Damage(fmt.Errorf("more than %d artifacts refer to %s: remove those that are not needed",
		maxReferrers, subject))
}

// byTag reads the list under the tag of the subject. GitLab answers with the subject itself,
// whose children are not referrers.
func (s *Session) byTag(ctx context.Context, subject name.Digest) ([]v1.Descriptor, error) {
	raw, _, _, err := s.read(ctx, s.url("manifests/"+fallback(subject).TagStr()), http.StatusOK)
	switch outcome.Of(err) {
	case outcome.Absent:
		return nil, nil
	case outcome.Broken, outcome.Unread, outcome.Unasked:
		return nil, err
	case outcome.There:
	}
	h, _, err := v1.SHA256(bytes.NewReader(raw))
	if err != nil || h.String() == subject.DigestStr() {
		return nil, err
	}
	list, err := listed(raw)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s, which should list the referrers of %s: %w", fallback(subject), subject, err)
	case len(list) > maxReferrers:
		return nil, tooMany(subject)
	}
	return list, nil
}

// listed returns the descriptors of an index.
func listed(raw []byte) ([]v1.Descriptor, error) {
	t, err := oci.Parse(v1.Descriptor{MediaType: types.OCIImageIndex}, raw)
	if err != nil {
		return nil, err
	}
	if !t.Desc.MediaType.IsIndex() {
		return nil, outcome.Damage(errors.New("it is not an index"))
	}
	var list []v1.Descriptor
	for _, c := range t.Children {
		list = append(list, c.Desc)
	}
	return list, nil
}

// read reads a document of at most [oci.MaxManifest] bytes, again if its body breaks off.
func (s *Session) read(ctx context.Context, at string,
	statuses ...int,
) (raw []byte, status int, header http.Header, err error) {
	err = s.o.retry(ctx, func() error {
		a, err := s.do(ctx, http.MethodGet, at, http.Header{"Accept": {string(types.OCIImageIndex)}}, nil, statuses...)
		if err != nil {
			return err
		}
		defer a.Body.Close()
		status, header = a.StatusCode, a.Header
		raw, err = io.ReadAll(io.LimitReader(a.Body, oci.MaxManifest+1))
		if err == nil && len(raw) > oci.MaxManifest {
			return fmt.Errorf("%s: the list has more than %d MiB", redactURL(a.Request.URL),
				oci.MaxManifest>>20)
		}
		if err == nil && status == http.StatusOK {
			err = notManifest(a.Request.URL.Host, raw)
		}
		return err
	})
	return raw, status, header, err
}
