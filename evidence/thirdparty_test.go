package evidence_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
)

// TestThirdPartyNames gives third-party images other names than the release does. A list names
// them by digest alone, by tag alone or by both, and has two of one repository.
func TestThirdPartyNames(t *testing.T) {
	w := newWorld(t)
	pause, tool := w.l.ThirdParty[0], w.l.ThirdParty[1]
	w.l.ThirdParty = nil
	add := func(reference string, t lock.ThirdParty) string {
		t.Reference = reference
		w.l.ThirdParty = append(w.l.ThirdParty, t)
		return reference
	}
	alone := add("third.example/alone@"+tool.Digest.String(), tool)
	tagged := add("third.example/tagged:1", pause)
	both := add("third.example/both:1@"+tool.Digest.String(), tool)
	first := add("third.example/two:1", pause)
	second := add("third.example/two@"+tool.Digest.String(), tool)
	untagged := add("third.example/latest", pause)
	text := bundletest.Encoded(t, bundletest.Statement(t, w.l))
	w.attach(t, bundletest.SignedStatement(t, w.key, text))
	good := bundletest.Headers(t, w.pack(t))
	digest := strings.NewReplacer(pause.Digest.String(), "", tool.Digest.String(), "")
	for _, tc := range []struct{ what, from, to string }{
		{"a tag added to a digest", alone, "third.example/alone:2.0@" + tool.Digest.String()},
		{"a tag in place of a digest", alone, "third.example/alone:2.0"},
		{"the default tag in place of a digest", alone, "third.example/alone"},
		{"a tag added to a digest, of the other image", second, "third.example/two:2@" + tool.Digest.String()},
		{"a tag moved", tagged, "third.example/tagged:2"},
		{"a tag next to a digest moved", both, "third.example/both:2@" + tool.Digest.String()},
		{"a tag of two moved", first, "third.example/two:2"},
		{"a tag removed", tagged, "third.example/tagged@" + pause.Digest.String()},
		{"a tag next to a digest removed", both, "third.example/both@" + tool.Digest.String()},
		{"the default tag removed", untagged, "third.example/latest@" + pause.Digest.String()},
		{"the default tag moved", untagged, "third.example/latest:2"},
		{"another repository of a digest", alone, "third.example/other@" + tool.Digest.String()},
		{"another repository of a tag", tagged, "third.example/other:1"},
		{"another repository of both", both, "third.example/other:1@" + tool.Digest.String()},
		{"another registry", tagged, "evil.example/tagged:1"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			of := tool.Digest
			if tc.from == tagged || tc.from == first || tc.from == untagged {
				of = pause.Digest
			}
			from, err := imagename.Bundled(tc.from, of)
			if err != nil {
				t.Fatal(err)
			}
			to, err := imagename.Bundled(tc.to, of)
			if err != nil {
				t.Fatal(err)
			}
			e := bundletest.Clone(good)
			for n := range 3 { // manifest.json, oci-layout, index.json
				for _, r := range [][2]string{{from, to}, {tc.from, tc.to}} {
					e[n].Data = bytes.ReplaceAll(e[n].Data, []byte(`"`+r[0]+`"`), []byte(`"`+r[1]+`"`))
				}
			}
			if bytes.Equal(e[2].Data, good[2].Data) {
				t.Fatalf("index.json does not have %s", digest.Replace(from))
			}
			_, err = verify(t, policy(w.key), bundletest.Write(t, bundletest.Forge(t, e)))
			bundletest.Says(t, err, "the name was changed")
		})
	}
	if _, err := verify(t, policy(w.key), bundletest.Write(t, bundletest.Forge(t, bundletest.Clone(good)))); err != nil {
		t.Errorf("the release itself: %v", err)
	}
}
