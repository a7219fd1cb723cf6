// Package ecr replaces a credential helper of a cloud.
package ecr

import (
	"errors"
	"io"
)

// Option is an option.
type Option func()

// WithLogger returns an option.
func WithLogger(io.Writer) Option { return nil }

// ECRHelper has no credentials.
type ECRHelper struct{}

// NewECRHelper returns a helper.
func NewECRHelper(...Option) ECRHelper { return ECRHelper{} }

// Get fails.
func (ECRHelper) Get(string) (user, secret string, err error) {
	return "", "", errors.New("this program was built without credential helpers of clouds")
}
