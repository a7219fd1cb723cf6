package output

import (
	"slices"
	"strings"
	"unicode"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// pattern is a form that secrets have wherever they come from.
type pattern struct {
	marks []string // the expression is tried where a text has one of these, in lower case
	expr  *lazyregexp.Regexp
	by    func(groups []string) string
}

// all redacts the second group.
func all(g []string) string { return g[1] + Redacted + g[3] }

// patterns are the forms that redact looks for in addition to registered secrets.
var patterns = []pattern{
	// https://user:password@host, and https://token@host. A password may have unescaped slashes and
	// at signs. ssh://git@host is an account.
	{
		[]string{"://"},
		lazyregexp.New(
			`([a-zA-Z][a-zA-Z0-9+.-]*://)([^\s/:@"'<>]*:[^\s/@"'<>]*[^\s/@"'<>0-9][^\s"'<>]*|[^\s/"'<>]+)(@)`),
		userinfo,
	},
	{
		[]string{"authorization"},
		lazyregexp.New(
			`(?i)(authorization\\?["']?\s*[:=]\s*\[?\\?["']?(?:basic|bearer|digest|negotiate|token)\s+)([^\s"'\\,\[\]]+)()`), all,
	},
	{
		[]string{"authorization"},
		lazyregexp.New(`(?i)(authorization\\?["']?\s*[:=]\s*\[?\\?["']?)([^\s"'\\,\[\]]{8,})()`), encoded,
	},
	{[]string{"basic"}, lazyregexp.New(`(?i)(\bbasic\s+)([a-z0-9+/_-]{12,}=*)()`), encoded},
	{[]string{"bearer"}, lazyregexp.New(`(?i)(\bbearer\s+)([a-z0-9+/._~-]{16,}=*)()`), encoded},
	// The answer of a token service, and a body that repeats it, in quotes or in escaped quotes.
	{
		[]string{"token", "passw", "secret", "auth"},
		lazyregexp.New(
			`(?i)(\\?"(?:access_?token|refresh_?token|id_?token|identity_?token|registry_?token|token|password|passwd|client_?secret|secret|auth)\\?"\s*:\s*\\?")([^"\\]+)()`), all,
	},
	{[]string{"eyj"}, lazyregexp.New(`(\b)(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)()`), all},
	// a line of .netrc
	{[]string{"login"}, lazyregexp.New(`(?i)(\blogin\s+\S+\s+password\s+)(\S+)()`), all},
	// Signed URLs of S3, CloudFront, Google, Azure and of registries.
	{
		[]string{"="},
		lazyregexp.New(
			`(?i)([?&](?:x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|awsaccesskeyid|key-pair-id|policy|signature|sig|access_token|token|_state|password)=)([^&\s"'<>]+)()`), all,
	},
}

// userinfo redacts the account of a URL, unless it is only a user name for SSH.
func userinfo(g []string) string {
	if !strings.Contains(g[2], ":") && strings.HasSuffix(strings.ToLower(g[1]), "ssh://") {
		return g[0]
	}
	return g[1] + Redacted + g[3]
}

// encoded redacts what follows Basic or Bearer unless it is a word of a sentence.
func encoded(g []string) string {
	for i, r := range g[2] {
		if unicode.IsDigit(r) || i > 0 && unicode.IsUpper(r) || r == '=' {
			return g[1] + Redacted
		}
	}
	return g[0]
}

// redact returns s without registered secrets, and without text that has the form of one: the
// account in a URL, an Authorization header, a token, the signature of a URL.
func redact(s string) string {
	s = redactKnown(s)
	lower := strings.ToLower(s)
	for _, p := range patterns {
		if !slices.ContainsFunc(p.marks, func(m string) bool { return strings.Contains(lower, m) }) {
			continue
		}
		s = p.expr.ReplaceAllStringFunc(s, func(found string) string { return p.by(p.expr.FindStringSubmatch(found)) })
	}
	return s
}

// account matches host names with credentials before them, as people write them by mistake:
// user:password@host.
var account = lazyregexp.New(`^(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?([^:@/]*):(.+)@[^@]+$`)

// Account registers the credentials in [scheme://]user:password@host[/path] as secrets and
// reports whether there are any. A reference such as repository:tag@sha256:… does not have any.
func Account(text string) bool {
	m := account.FindStringSubmatch(text)
	if m == nil || digest.MatchString(text) {
		return false
	}
	Login(m[1], m[2])
	return true
}

// digest ends a reference.
var digest = lazyregexp.New(`@sha\d+:[^@]*$`)
