package bundletest

import (
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Digest is a made-up one.
func Digest(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }
