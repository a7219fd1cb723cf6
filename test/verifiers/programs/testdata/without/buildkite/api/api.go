// Package api replaces a client of Buildkite, which knows who signs.
package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/buildkite/agent/v3/logger"
)

type (
	// Config is a configuration.
	Config struct{ Token, Endpoint string }
	// Client fails.
	Client struct{}
	// OIDCTokenRequest is a request.
	OIDCTokenRequest struct{ Audience, Job string }
	// OIDCToken does not occur.
	OIDCToken struct{ Token string }
	// Response does not occur.
	Response struct{ *http.Response }
)

// NewClient returns a client.
func NewClient(logger.Logger, Config) *Client { return &Client{} }

// OIDCToken fails.
func (*Client) OIDCToken(context.Context, *OIDCTokenRequest) (*OIDCToken, *Response, error) {
	return nil, nil, errors.New("this program was built without Buildkite")
}
