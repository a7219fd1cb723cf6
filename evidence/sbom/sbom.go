// Package sbom writes bills of materials of a release from what the build knows, without a scanner:
// [SPDX] one document per image, and [CycloneDX] one for the release.
//
// Both are made from the lock, which has names, bases and digests, and from a [lock.Inventory],
// which has files and the build information of programs. Times are those of the release, and
// identifiers follow from the contents, without a clock or a random number, so that equal releases
// have equal documents.
//
// The documents claim only known facts. The hash of a Go module in go.sum ("h1:…") is a hash of a
// list of hashes: it is a reference of its own kind, never a SHA-256 of a file. Licenses are
// those that slipway.yaml, a base or the copyright file of a Debian package declares.
package sbom

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/slipway-dev/slipway/internal/plainjson"
)

// encode returns JSON without escaping for HTML, and with a final newline.
func encode(v any) ([]byte, error) {
	b, err := plainjson.Line(v)
	if err != nil {
		return nil, fmt.Errorf("encoding a bill of materials: %w", err)
	}
	return b, nil
}

// identify returns a UUID of version 8 (RFC 9562), which follows from a document.
func identify(document any) (string, error) {
	b, err := encode(document)
	if err != nil {
		return "", err
	}
	u := sha256.Sum256(b)
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	s := hex.EncodeToString(u[:16])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:], nil
}
