// Package impersonate replaces a client of Google, which knows who signs.
package impersonate

import (
	"context"
	"errors"

	"golang.org/x/oauth2"
)

// IDTokenConfig is a configuration.
type IDTokenConfig struct {
	Audience, TargetPrincipal string
	IncludeEmail              bool
}

// IDTokenSource fails.
func IDTokenSource(context.Context, IDTokenConfig) (oauth2.TokenSource, error) {
	return nil, errors.New("this program was built without Google's identities")
}
