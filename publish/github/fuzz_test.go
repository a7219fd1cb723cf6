package github

import (
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
)

// FuzzRefusal reads answers that refuse a request: what is printed of them is one short line
// without control characters.
func FuzzRefusal(f *testing.F) {
	for _, text := range []string{
		`{"message":"Validation Failed","errors":[{"resource":"ReleaseAsset","code":"already_exists","field":"name"}]}`,
		`{"message":"\u001b[31m\nx","errors":["plain",{"message":"\u202e"},7,null]}`, `<html>`, `[]`, `{"errors":{}}`,
	} {
		f.Add(422, []byte(text))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		g := &GitHub{repo: "me/product"}
		said := g.refusal(http.MethodPost, "/releases", &network.Answer{Status: status, Body: body}).Error()
		if len(said) > 2000 || !utf8.ValidString(said) ||
			strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("it says %q", said)
		}
	})
}

// FuzzNotes adds notes to those that people wrote in a browser: the mark is found again, and what
// they wrote stays, however often it is done.
func FuzzNotes(f *testing.F) {
	const other = "<!-- slipway sha256:1111111111111111111111111111111111111111111111111111111111111111 -->"
	for _, text := range []string{
		"", "written by hand\r\n", other, "a\n" + other + "\nold notes",
		"<!-- slipway sha256:12 -->", other + other,
	} {
		f.Add(text)
	}
	d := &Dist{Files: []File{{
		Name: "SHA256SUMS",
		Path: "SHA256SUMS", Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("2", 64)},
	}}}
	f.Fuzz(func(t *testing.T, was string) {
		once := d.body(was, "notes")
		if markOf(once) != d.Mark() {
			t.Errorf("the mark of %q is %q", once, markOf(once))
		}
		if again := d.body(once, "notes"); again != once {
			t.Errorf("%q becomes %q", once, again)
		}
		theirs := was
		if at := marked.FindStringIndex(was); at != nil {
			theirs = was[:at[0]]
		}
		if !strings.HasPrefix(once, strings.TrimRight(theirs, "\r\n ")) {
			t.Errorf("of %q there is %q", was, once)
		}
	})
}
