package engine

import (
	"strings"
	"text/template"
	"time"
)

// certificate has the fields of Sprig's.
type certificate struct{ Cert, Key string }

// fixed are the functions of templates whose results are random or the time, with results that
// never change: so two renderings differ only in the changes made between them.
var fixed = template.FuncMap{
	"now":                      func() time.Time { return time.Unix(0, 0).UTC() },
	"ago":                      func(any) string { return "0s" },
	"uuidv4":                   func() string { return "00000000-0000-4000-8000-000000000000" },
	"shuffle":                  func(s string) string { return s },
	"randAlphaNum":             letters,
	"randAlpha":                letters,
	"randAscii":                letters,
	"randNumeric":              func(n int) string { return strings.Repeat("1", max(n, 0)) },
	"randBytes":                letters,
	"randInt":                  func(low, _ int) int { return low },
	"bcrypt":                   func(string) string { return "bcrypt" },
	"htpasswd":                 func(user string, _ ...string) string { return user + ":htpasswd" },
	"encryptAES":               func(_, text string) string { return text },
	"genPrivateKey":            func(string) string { return "key" },
	"genCA":                    made,
	"genCAWithKey":             made,
	"genSelfSignedCert":        made,
	"genSelfSignedCertWithKey": made,
	"genSignedCert":            made,
	"genSignedCertWithKey":     made,
	"buildCustomCert":          made,
}

func letters(n int) string { return strings.Repeat("a", max(n, 0)) }

func made(...any) certificate { return certificate{"certificate", "key"} }
