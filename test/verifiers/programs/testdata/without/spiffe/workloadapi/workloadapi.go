// Package workloadapi replaces a client of SPIFFE, which knows who signs.
package workloadapi

import (
	"context"
	"errors"

	"github.com/spiffe/go-spiffe/v2/svid/jwtsvid"
)

var errWithout = errors.New("this program was built without SPIFFE")

// Client does not occur.
type Client struct{}

// Option is an option.
type Option func()

// WithAddr returns an option.
func WithAddr(string) Option { return nil }

// New fails.
func New(context.Context, ...Option) (*Client, error) { return nil, errWithout }

// Close does nothing.
func (*Client) Close() error { return nil }

// FetchJWTSVID fails.
func (*Client) FetchJWTSVID(context.Context, jwtsvid.Params) (*jwtsvid.SVID, error) {
	return nil, errWithout
}
