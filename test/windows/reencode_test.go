package windows

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/store"
)

// TestReencode passes the Windows layers of the release through go-winio's own code, with which
// Windows imports and exports them: they come back as they were, byte for byte.
func TestReencode(t *testing.T) {
	layers := windowsLayers(t, open(t))
	w := newDrive(t)
	w.compile(t, "reencode")
	for name, l := range layers {
		t.Run(name, func(t *testing.T) { w.reencode(t, l) })
	}
}

// TestReencodeEverything does the same with all that a Windows layer can have.
func TestReencodeEverything(t *testing.T) {
	w := newDrive(t)
	w.compile(t, "reencode")
	for _, at := range []time.Time{layer.Epoch, time.Date(2025, 1, 16, 21, 57, 50, 123456789, time.UTC)} {
		t.Run(at.Format(time.RFC3339), func(t *testing.T) { w.reencode(t, everything(t, at)) })
	}
}

func (w drive) reencode(t *testing.T, l v1.Layer) {
	t.Helper()
	var descriptors []string
	each(t, l, func(h *tar.Header, _ io.Reader) {
		if h.Typeflag == tar.TypeLink || strings.HasPrefix(filepath.Base(h.Name), ".wh.") {
			return
		}
		sddl := "-"
		if h.PAXRecords["MSWINDOWS.rawsd"] != "" {
			sddl = "O:BUG:BU"
		}
		descriptors = append(descriptors, fmt.Sprintf("%q %s", h.Name, sddl))
	})
	u, err := l.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	out, said, err := w.RunWith(t, u, nil, `C:\reencode.exe`, `C:\layer.tar`)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if got := lines(out); !slices.Equal(got, descriptors) {
		t.Errorf("go-winio reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(descriptors, "\n"))
	}
	again := filepath.Join(w.Dir, "layer.tar")
	f, err := os.Open(again)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		t.Fatal(err)
	}
	diff, err := l.DiffID()
	if err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != diff.Hex {
		t.Error("go-winio writes other bytes")
		compareHeaders(t, l, again)
	}
}

// compareHeaders says which headers are the cause.
func compareHeaders(t *testing.T, l v1.Layer, again string) {
	t.Helper()
	other, err := tarball.LayerFromFile(again)
	if err != nil {
		t.Fatal(err)
	}
	list := func(l v1.Layer) (all []string) {
		each(t, l, func(h *tar.Header, _ io.Reader) { all = append(all, fmt.Sprintf("%+v", *h)) })
		return all
	}
	ours, theirs := list(l), list(other)
	for n := range min(len(ours), len(theirs)) {
		if ours[n] != theirs[n] {
			t.Errorf("ours     %s\ngo-winio %s", ours[n], theirs[n])
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d entries are ours, %d go-winio's", len(ours), len(theirs))
	}
}

// everything is a layer with every kind of entry that a Windows layer can have.
func everything(t *testing.T, at time.Time) v1.Layer {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), ".slipway"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) layer.Content { return layer.Bytes([]byte(s)) }
	deep := strings.Repeat("/"+strings.Repeat("d", 250), 8)
	l, err := layer.Write(t.Context(), st, []layer.Entry{
		{Path: "/app", Type: layer.Dir, Mode: 0o755},
		{Path: "/app/program.exe", Mode: 0o555, Content: text("MZ")},
		{Path: "/app/read-only", Mode: 0o444, Content: text("r")},
		{Path: "/app/setuid", Mode: 0o755 | os.ModeSetuid | os.ModeSetgid | os.ModeSticky, Content: text("s")},
		{Path: "/app/empty", Mode: 0o644},
		{Path: "/app/dated", Mode: 0o644, ModTime: time.Date(1999, 12, 31, 23, 59, 59, 999999900, time.UTC)},
		{Path: "/app/big", Mode: 0o644, Content: text(strings.Repeat("0123456789abcdef", 100_000))},
		{Path: "/app/blocks", Mode: 0o644, Content: text(strings.Repeat("b", 1024))},
		{Path: "/app/link", Type: layer.Hardlink, Linkname: "/app/read-only"},
		{Path: "/app/again.exe", Type: layer.Hardlink, Linkname: "/app/program.exe"},
		{Path: "/app/to-file", Type: layer.Symlink, Linkname: "program.exe"},
		{Path: "/app/to-root", Type: layer.Symlink, Linkname: "/app/empty"},
		{Path: "/app/to-directory", Type: layer.Symlink, Linkname: "../implied/below"},
		{Path: "/app/to-nothing", Type: layer.Symlink, Linkname: `C:\Windows`},
		{Path: "/implied/below/file", Mode: 0o600, Content: text("f")},
		{Path: deep + "/file", Mode: 0o644, Content: text("d")},
		{Path: deep + "/linked", Type: layer.Hardlink, Linkname: deep + "/file"},
		{Path: "/Grüße/日本語/😀.txt", Mode: 0o644, Content: text("u")},
		{Path: "/Grüße/again", Type: layer.Hardlink, Linkname: "/Grüße/日本語/😀.txt"},
		{Path: "/Grüße/link", Type: layer.Symlink, Linkname: "日本語"},
		{Path: "/" + strings.Repeat("ß", 255), Type: layer.Dir, Mode: 0o700},
		{Path: "/name with spaces & (signs) [1] {2} %3% 'q' ~1 =, ;+!@#$^`.x", Mode: 0o644, Content: text("n")},
	}, layer.Options{OS: "windows", ModTime: at})
	if err != nil {
		t.Fatal(err)
	}
	file, err := tarball.LayerFromFile(st.Path(l.Digest))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := file.DiffID(); err != nil || got != l.DiffID {
		t.Fatalf("the layer reads as %s (%v), want %s", got, err, l.DiffID)
	}
	return file
}

// TestFold checks that names are equal for us where they are for Windows: wine has the table that NTFS has.
func TestFold(t *testing.T) {
	w := newDrive(t)
	w.compile(t, "upcase")
	out, said, err := w.RunWith(t, nil, nil, `C:\upcase.exe`)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	table := map[rune]rune{}
	for _, l := range lines(out) {
		var from, to rune
		if _, err := fmt.Sscanf(l, "%x %x", &from, &to); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		table[from] = to
	}
	if len(table) < 1000 {
		t.Fatalf("the table has %d letters", len(table))
	}
	for c := rune(0); c <= 0xffff; c++ {
		if c >= 0xd800 && c < 0xe000 {
			continue // half a character
		}
		want, ok := table[c]
		if !ok {
			want = c
		}
		if got := layer.Fold(string(c)); got != string(want) {
			t.Errorf("%U %q folds to %q, on Windows to %q", c, c, got, want)
		}
	}
}

// compile builds one of the programs of this module onto the drive.
func (w drive) compile(t *testing.T, name string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", filepath.Join(w.Dir, name+".exe"),
		"./"+name)
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func lines(out string) (all []string) {
	for l := range strings.Lines(strings.ReplaceAll(out, "\r", "")) {
		all = append(all, strings.TrimSuffix(l, "\n"))
	}
	return all
}
