package outcome_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	_ "github.com/slipway-dev/slipway/internal/network" // knows the errors of the registry client
	"github.com/slipway-dev/slipway/internal/outcome"
)

type answer int

func (a answer) Error() string { return fmt.Sprint(int(a)) }
func (a answer) Status() int   { return int(a) }

// TestOf: an error that is not known to be an answer means that nothing is known.
func TestOf(t *testing.T) {
	status := func(code int) error { return &transport.Error{StatusCode: code} }
	connection := &url.Error{Op: "Get", URL: "https://registry.example/v2/", Err: io.ErrUnexpectedEOF}
	for _, tc := range []struct {
		err    error
		want   outcome.Outcome
		failed bool
	}{
		{nil, outcome.There, false},
		{outcome.ErrAbsent, outcome.Absent, false},
		{fs.ErrNotExist, outcome.Absent, false},
		{status(http.StatusNotFound), outcome.Absent, false},
		{answer(http.StatusNotFound), outcome.Absent, false},
		{answer(http.StatusBadGateway), outcome.Unread, true},
		{status(http.StatusForbidden), outcome.Unread, true},
		{status(http.StatusTooManyRequests), outcome.Unread, true},
		{status(http.StatusServiceUnavailable), outcome.Unread, true},
		{status(http.StatusBadRequest), outcome.Unread, false},
		{connection, outcome.Unread, true},
		{&url.Error{Op: "Get", Err: status(http.StatusNotFound)}, outcome.Unread, true}, // a token server's
		{errors.Join(status(http.StatusNotFound), status(http.StatusBadGateway)), outcome.Unread, true},
		{&url.Error{Op: "Get", Err: context.Canceled}, outcome.Unread, false},
		{errors.New("anything"), outcome.Unread, false},
		{outcome.Damage(errors.New("another digest")), outcome.Broken, false},
		{errors.Join(errors.New("a finding"), connection), outcome.Unread, true},
	} {
		for _, err := range []error{tc.err, fmt.Errorf("reading: %w", tc.err)} {
			if tc.err == nil {
				err = nil
			}
			if got, failed := outcome.Of(err), outcome.Failed(err); got != tc.want || failed != tc.failed {
				t.Errorf("%v means %d, %t, want %d, %t", err, got, failed, tc.want, tc.failed)
			}
		}
	}
	if outcome.Damage(nil) != nil {
		t.Error("no error is damage")
	}
}
