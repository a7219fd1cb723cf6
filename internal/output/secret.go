package output

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Redacted replaces a secret.
const Redacted = "[redacted]"

const (
	minSecret = 4 // bytes; shorter values would redact common words
	minPart   = 8 // bytes; shorter values are redacted only as words: "test" is a password, and a part of many names
)

// secrets are the registered values in all their forms, the longest first, since one may contain
// another.
var secrets struct {
	sync.RWMutex
	forms []string
}

// Secret registers values that must not be printed: passwords, tokens, credentials. Values are
// redacted in the forms that protocols give them, too: base64, URL-escaped, JSON. Those of fewer
// than 4 bytes are ignored.
func Secret(values ...string) {
	secrets.Lock()
	defer secrets.Unlock()
	for _, v := range values {
		for _, f := range forms(v) {
			if len(f) >= minSecret && !slices.Contains(secrets.forms, f) {
				secrets.forms = append(secrets.forms, f)
			}
		}
	}
	slices.SortStableFunc(secrets.forms, func(a, b string) int { return len(b) - len(a) })
}

// Login registers the credentials of an account: the password, and user and password as HTTP
// sends them. The user's name alone is not a secret.
func Login(user, password string) {
	Secret(password)
	if len(password) >= minSecret {
		Secret(user + ":" + password)
	}
}

// forms lists how a secret may be written. A Writer sees lines, so the lines of a longer secret,
// such as a key in PEM or JSON, are secrets, too.
func forms(v string) []string {
	v = strings.TrimSpace(v)
	if len(v) < minSecret {
		return nil
	}
	all := []string{v, url.QueryEscape(v), url.PathEscape(v), url.UserPassword("", v).String()[1:]}
	for _, e := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
		base64.RawURLEncoding,
	} {
		all = append(all, e.EncodeToString([]byte(v)))
	}
	if quoted, err := json.Marshal(v); err == nil {
		all = append(all, string(quoted[1:len(quoted)-1]))
	}
	for line := range strings.Lines(v) {
		if line = strings.TrimSpace(line); len(line) >= minPart {
			all = append(all, line)
		}
	}
	return all
}

// redactKnown redacts the registered secrets in s.
func redactKnown(s string) string {
	secrets.RLock()
	defer secrets.RUnlock()
	for _, f := range secrets.forms {
		s = without(s, f)
	}
	return s
}

// without replaces secret in s; a short one only if it is a word.
func without(s, secret string) string {
	if len(secret) >= minPart {
		return strings.ReplaceAll(s, secret, Redacted)
	}
	var b strings.Builder
	rest := s
	for {
		at := strings.Index(rest, secret)
		if at < 0 {
			break
		}
		before, _ := utf8.DecodeLastRuneInString(s[:len(s)-len(rest)+at])
		after, _ := utf8.DecodeRuneInString(rest[at+len(secret):])
		b.WriteString(rest[:at])
		if inWord(before) || inWord(after) {
			b.WriteString(secret)
		} else {
			b.WriteString(Redacted)
		}
		rest = rest[at+len(secret):]
	}
	return b.String() + rest
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
