package output

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"✓ built agent: 3 × 4 → ok …":  "✓ built agent: 3 × 4 → ok …",
		"a\tb\nc\n":                    "a\tb\nc\n",
		"größe 大きさ\u3000حجم e\u0301":   "größe 大きさ\u3000حجم e\u0301",
		"\x1b]0;owned\a":               `\x1b]0;owned\x07`,
		"\x1b[2J\x1b[31mred":           `\x1b[2J\x1b[31mred`,
		"over\rwritten\b":              `over\rwritten\x08`,
		"\x00\x7f\u0085\u009b31m":      `\x00\u007f\u0085\u009b31m`,
		"bad \xff\xc0\x80 bytes":       `bad \xff\xc0\x80 bytes`,
		"\u202etxt.exe\u2066\u200f":    `\u202etxt.exe\u2066\u200f`,
		"zero\u200bwidth\ufeff\u2060":  `zero\u200bwidth\ufeff\u2060`,
		"line\u2028paragraph\u2029":    `line\u2028paragraph\u2029`,
		"tag \U000e0041 fill \u3164":   `tag \udb40\udc41 fill \u3164`,
		`C:\temp\new and \x1b as such`: `C:\temp\new and \x1b as such`,
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Line("one\n\x1b\ttwo"); got != `one\n\x1b\ttwo` {
		t.Errorf("Line = %q", got)
	}
}

func TestExcerpt(t *testing.T) {
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{" short\n", 10, "short"},
		{"two\nlines", 20, `two\nlines`},
		{strings.Repeat("ä", 10), 5, "ää…"},
		// and never a part of the password
		{"see https://me:hunter2secret@host", 21, "see https://[redacted…"},
	} {
		if got := Excerpt(test.in, test.n); got != test.want {
			t.Errorf("Excerpt(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}

// FuzzText: the result is printable, changes no more, and inside a JSON string it stands for the
// same text.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"plain", "\x1b[31m", "\u202e\xff", "https://u:p@h", "\U000e0041",
		"Authorization: Basic dXNlcjpwYXNzd29yZA==",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) ||
			strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && !visible(r) }) {
			t.Fatalf("Text(%q) = %q is not printable", s, got)
		}
		if line := Line(s); strings.ContainsAny(line, "\n\t") {
			t.Fatalf("Line(%q) = %q", s, line)
		}
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want, back string
		if err := json.Unmarshal(encoded, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(printable(string(encoded), "")), &back); err != nil || back != want {
			t.Fatalf("%q in JSON became %q: %v", want, back, err)
		}
	})
}
