package network

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// refusals are the statuses by which registries answer that they do not take a manifest: its form,
// its subject, its size, or a tag that is there and does not move. Registries choose among them
// freely; 412 is Harbor's for an immutable tag.
var refusals = []int{
	http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusConflict,
	http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
	http.StatusUnprocessableEntity,
}

// faults are the codes of answers that are about something else than the manifest: an earlier
// upload is lost, the manifest was damaged on its way, or the client may not do this now.
var faults = []transport.ErrorCode{
	transport.BlobUnknownErrorCode, transport.ManifestBlobUnknownErrorCode, transport.ManifestUnknownErrorCode,
	transport.NameUnknownErrorCode, transport.DigestInvalidErrorCode, transport.SizeInvalidErrorCode,
	transport.UnauthorizedErrorCode, transport.DeniedErrorCode, transport.TooManyRequestsErrorCode,
	transport.UnavailableErrorCode,
}

// Refuses reports whether err is the answer of a registry that does not take a manifest, or does
// not let the tag move that lists it among the referrers of its subject. Everything else is a
// failure, which says nothing about the manifest: a connection that breaks, a login, a limit, an
// error of the server. 403 refuses only such a tag: the registry has just taken a manifest in the
// same repository.
func Refuses(err error) bool {
	var e *transport.Error
	if !errors.As(err, &e) || e.Request == nil || e.Request.Method != http.MethodPut ||
		!strings.Contains(e.Request.URL.Path, "/manifests/") {
		return false
	}
	if e.StatusCode == http.StatusForbidden {
		return Unlisted(err)
	}
	return slices.Contains(refusals, e.StatusCode) &&
		!slices.ContainsFunc(e.Errors, func(d transport.Diagnostic) bool { return slices.Contains(faults, d.Code) })
}

// Unlisted reports whether err is about the tag that lists a manifest that the registry has taken.
func Unlisted(err error) bool { return errors.As(err, new(*unlisted)) }

// unlisted is the error about the list of referrers that the client keeps under a tag, where the
// registry has taken the manifest.
type unlisted struct {
	tag string
	error
}

func (u *unlisted) Error() string {
	return fmt.Sprintf("the registry took it, and not the tag %s, which lists it: %v", u.tag, u.error)
}

func (u *unlisted) Unwrap() error { return u.error }
