package lock_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// TestMergeArtifacts checks that a merge has the artifacts of all parts, each once, and that
// two of one name must be the same file.
func TestMergeArtifacts(t *testing.T) {
	linux, windows := parts()
	exe := lock.Artifact{File: "kp.windows-amd64.exe", Platform: platform.Platform{
		OS:           "windows",
		Architecture: "amd64",
	}, Digest: hash("6"), Size: 72, Executable: true}
	windows.Artifacts = []lock.Artifact{linux.Artifacts[1], exe}
	got, err := lock.Merge(linux, windows)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(append(example().Artifacts, exe), got.Artifacts); d != "" {
		t.Error(d)
	}
	windows.Artifacts[0].Digest = hash("5")
	if _, err := lock.Merge(linux, windows); err == nil ||
		!strings.Contains(err.Error(), "merging parts: kp.linux-amd64.tar.gz: it is "+hash("0").String()+
			" in one part and "+hash("5").String()+" in another") {
		t.Errorf("two files of one name: %v", err)
	}
}

// TestArtifactNames checks that a lock cannot make release write outside its directory.
func TestArtifactNames(t *testing.T) {
	for _, name := range []string{"", "../kp", "/etc/kp", "bin/kp", `bin\kp`, ".kp", ".."} {
		l := example()
		l.Artifacts[0].File = name
		b, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lock.Decode(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), "not a file name") {
			t.Errorf("an artifact %q: %v", name, err)
		}
	}
}

func TestChildStubs(t *testing.T) {
	c := example().Images[0].Children[1]
	if got, want := c.Stubs(), []string{c.Base.Name, c.CopiedFrom[0].Name}; !slices.Equal(got, want) {
		t.Errorf("a stub base and files of a stub: %q, not %q", got, want)
	}
	c.Base = nil
	if got, want := c.Stubs(), []string{c.CopiedFrom[0].Name}; !slices.Equal(got, want) {
		t.Errorf("files of a stub: %q, not %q", got, want)
	}
	c.CopiedFrom[0].Stub = false
	if got := c.Stubs(); got != nil {
		t.Errorf("everything is real: %q", got)
	}
}

// TestMergePrebuilt checks that a merge has the prebuilt programs of all parts, sorted, and that
// two for one platform must have the same digest.
func TestMergePrebuilt(t *testing.T) {
	linux, windows := parts()
	elf := lock.Prebuilt{
		Name: "wins", Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
		Digest: hash("1"), Size: 1, From: "bin/wins",
	}
	exe := elf
	exe.Platform.OS, exe.From, exe.Member, exe.ArchiveDigest = "windows", "https://example.com/wins.zip",
		"wins.exe", hash("2")
	linux.Prebuilt, windows.Prebuilt = []lock.Prebuilt{elf}, []lock.Prebuilt{exe, elf}
	got, err := lock.Merge(windows, linux)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]lock.Prebuilt{elf, exe}, got.Lock(nil).Prebuilt); d != "" {
		t.Error(d)
	}
	if got, want := exe.String(), "wins for windows/amd64 from wins.exe in https://example.com/wins.zip"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
	elf.Digest = hash("3")
	linux.Prebuilt = []lock.Prebuilt{elf}
	if _, err := lock.Merge(linux, windows); err == nil || !strings.Contains(err.Error(),
		"program wins for linux/amd64 is "+hash("3").String()+" in one part and "+hash("1").String()+" in another") {
		t.Errorf("two digests: %v", err)
	}
	l := example()
	l.Prebuilt = []lock.Prebuilt{{Digest: hash("1")}}
	b, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Decode(bytes.NewReader(b)); err == nil ||
		!strings.Contains(err.Error(), `program "": its name or digest is missing`) {
		t.Errorf("without a name: %v", err)
	}
}
