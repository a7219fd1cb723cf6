package stagefile_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/stagefile"
)

type part struct {
	PartVersion int    `json:"partVersion"`
	Name        string `json:"name"`
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), stagefile.Part.Name)
	want := part{stagefile.Part.Version, "<a> & b"}
	if err := stagefile.Part.Write(path, want); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "{\n  \"partVersion\": 1,\n  \"name\": \"<a> & b\"\n}\n" {
		t.Errorf("written as %q, %v", text, err)
	}
	var got part
	if err := stagefile.Part.Read(path, &got); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestWrongFile reads what is not a part of a release: the error says what the file is, and what to
// do.
func TestWrongFile(t *testing.T) {
	for text, want := range map[string]string{
		`{"partVersion": 2, "name": "a", "new": 1}`: "partVersion 2 is newer than 1, " +
			"which this slipway reads: use a newer slipway",
		`{"schemaVersion": 1}`: "this is the lock of a release: " +
			"name a part of a release, a release.part.json",
		`{"buildVersion": 1}`:                          "this is what slipway stage build made: run slipway stage publish first",
		`{"name": "a"}`:                                "not a part of a release: partVersion is missing",
		`{"partVersion": 0}`:                           "not a part of a release: partVersion is missing",
		`{"partVersion": -1, "schemaVersion": -1}`:     "not a part of a release: partVersion is missing",
		`{"partVersion": 1, "other": 2}`:               `not a part of a release: json: unknown field "other"`,
		`{"partVersion": 1, "name": "a", "name": "b"}`: `not a part of a release: the key "name" is there twice, at byte 38`,
		`{"partVersion": 1, "Name": "a"}`:              `not a part of a release: the key "Name" at byte 25 differs from "name" by case`,
		`{"partVersion": 1} {}`: "not a part of a release: more than one value is in it, " +
			"from byte 19 on",
		`{"partVersion": 1, "name": 1}`: "not a part of a release: json: " +
			"cannot unmarshal number into Go struct field part.name of type string",
		`[`:        "not a part of a release: it ends in the middle, after 1 bytes",
		"\ufeff{}": "not a part of a release: it begins with a byte order mark: save it as UTF-8 without one",
	} {
		var p part
		if err := stagefile.Part.Decode(strings.NewReader(text), &p); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	if err := stagefile.Build.Decode(strings.NewReader(`{"partVersion": 1}`), new(part)); err == nil ||
		err.Error() != "this is a part of a release: join all parts with slipway merge first" {
		t.Errorf("a part in place of what build made: %v", err)
	}
}

// TestNotAFile reads paths without a text: none of them blocks or is read whole.
func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:         dir + " is a directory: name the release.lock.json of a release",
		os.DevNull:  os.DevNull + " is a device: name the release.lock.json of a release",
		empty:       empty + " is empty: name the release.lock.json of a release",
		dir + "/no": "no such file",
	} {
		reads := []func(string, any) error{stagefile.Lock.Read}
		if path != os.DevNull { // it is the standard input of a test
			reads = append(reads, stagefile.Lock.ReadGiven)
		}
		for _, read := range reads {
			if err := read(path, new(part)); err == nil || !strings.HasPrefix(err.Error(),
				"reading the lock of a release: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v", path, err)
			}
		}
	}
	endless := io.MultiReader(strings.NewReader(`{"partVersion": 1, "name": "`), endless{})
	if err := stagefile.Part.Decode(endless, new(part)); err == nil ||
		err.Error() != "the file is larger than 64 MiB: it is not a part of a release" {
		t.Errorf("an endless text: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("a"), len(p))), nil }
