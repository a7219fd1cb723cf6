package evidence

// The names in dist/ of the statement and the checksums of a release, and of what a signed one has
// besides: the signatures of the checksums as a Sigstore bundle and for openssl, and the signed
// statement.
const (
	Provenance       = "provenance.json"
	SumsName         = "SHA256SUMS"
	SumsBundle       = SumsName + StatementSuffix
	SumsSignature    = SumsName + ".sig"
	SignedProvenance = "provenance" + StatementSuffix
)

// StatementSuffix ends the names of files with Sigstore bundles, such as signed statements.
const StatementSuffix = ".sigstore.json"
