package evidence

import "github.com/slipway-dev/slipway/internal/distfile"

// The names in dist/ of the statement and the checksums of a release, and of what a signed one has
// besides: the signatures of the checksums as a Sigstore bundle and for openssl, and the signed
// statement.
const (
	Provenance       = distfile.Provenance
	SumsName         = distfile.Sums
	SumsBundle       = distfile.SumsBundle
	SumsSignature    = distfile.SumsSignature
	SignedProvenance = distfile.SignedProvenance
)

// StatementSuffix ends the names of files with Sigstore bundles, such as signed statements.
const StatementSuffix = distfile.StatementSuffix
