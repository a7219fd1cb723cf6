package provenance_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/evidence/provenance"
)

func statement() *provenance.Statement {
	digest := func(c string) provenance.Digest { return provenance.Digest{SHA256: strings.Repeat(c, 64)} }
	return &provenance.Statement{
		Type: provenance.StatementType, PredicateType: provenance.PredicateType,
		Subjects: []provenance.Subject{
			{Name: "release.yaml", Digest: digest("1"), Annotations: provenance.Annotations{Kind: "file"}},
			{
				Name: "ghcr.io/me/app:1.0.0", Digest: digest("2"),
				Annotations: provenance.Annotations{Kind: "index", Names: []string{"ghcr.io/me/app:1.0.0"}},
			},
		},
		Predicate: provenance.Predicate{
			BuildDefinition: provenance.BuildDefinition{
				BuildType: provenance.BuildType,
				ExternalParameters: provenance.Parameters{
					Name:    "app",
					Version: "1.0.0", Created: time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC),
					Registries: []string{"ghcr.io/me"}, Inputs: "app-1.0.0.inputs.tar.gz",
				},
				ResolvedDependencies: []provenance.Dependency{{URI: "app-1.0.0.inputs.tar.gz", Digest: digest("3")}},
			},
			RunDetails: provenance.RunDetails{Builder: provenance.Builder{ID: "https://example.com/me?a=b&c"}},
		},
	}
}

func TestRoundTrip(t *testing.T) {
	want := statement()
	text, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `\u0026`) {
		t.Errorf("it is escaped for HTML: %s", text)
	}
	got, err := provenance.Decode(text)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	if s, ok := got.Subject(strings.Repeat("2", 64)); !ok || s.Name != "ghcr.io/me/app:1.0.0" {
		t.Errorf("subject 2 is %+v, %v", s, ok)
	}
	if _, ok := got.Subject(strings.Repeat("4", 64)); ok {
		t.Error("there is a subject 4")
	}
}

// TestDecodeFaults reads statements that Encode does not write.
func TestDecodeFaults(t *testing.T) {
	text, err := statement().Encode()
	if err != nil {
		t.Fatal(err)
	}
	one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
	for _, c := range []struct{ old, to, want string }{
		{`{"_type"`, `["_type"`, "not JSON"},
		{`in-toto.io/Statement/v1`, `in-toto.io/Statement/v0.1`, "not an in-toto statement v1"},
		{`"https://slsa.dev/provenance/v1"`, `"https://slsa.dev/provenance/v0.2"`, "not SLSA provenance v1"},
		{provenance.BuildType, "https://example.com/other", "its buildType is another"},
		{`"name":"release.yaml"`, `"name":"release.yaml","name":"other"`, "given twice"},
		{`"name":"release.yaml"`, `"name":"release.yaml","uri":"x"`, "a field is unknown"},
		{"\n", "\n\n", "written in another way"},
		{one, "short", "subject 1 of the provenance has no SHA-256"},
		{one, strings.Repeat("A", 64), "subject 1 of the provenance has no SHA-256"},
		{one, two, "not in the order of digests, or is there twice"},
		{one, strings.Repeat("f", 64), "not in the order of digests"},
	} {
		changed := strings.Replace(string(text), c.old, c.to, 1)
		if changed == string(text) {
			t.Fatalf("no %s in\n%s", c.old, text)
		}
		if _, err := provenance.Decode([]byte(changed)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.to, c.old, err, c.want)
		}
	}
	none := statement()
	none.Subjects = []provenance.Subject{}
	if text, err = none.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := provenance.Decode(text); err == nil || !strings.Contains(err.Error(), "has 0 subjects") {
		t.Errorf("no subjects: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	text, err := statement().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := provenance.Decode(text)
		if err != nil {
			return
		}
		again, err := s.Encode()
		if err != nil || string(again) != string(text) {
			t.Errorf("%v: %q is written as %q", err, text, again)
		}
	})
}
