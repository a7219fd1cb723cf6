package windows

import (
	"archive/tar"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// windowsLayers are all layers of the release that Windows unpacks, each once.
func windowsLayers(t *testing.T, r release) map[string]v1.Layer {
	t.Helper()
	all := map[string]v1.Layer{}
	add := func(name string, l v1.Layer) {
		h, err := l.Digest()
		if err != nil {
			t.Fatal(err)
		}
		all[h.String()] = l
		t.Logf("%s has %s", name, h)
	}
	for name, list := range r.children(t, platform.Windows) {
		for _, c := range list {
			layers, err := c.image.Layers()
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range layers {
				add(name+" "+c.Platform.String(), l)
			}
		}
	}
	_, l := r.lifecycle(t, platform.Windows)
	add("lifecycle", l)
	return all
}

// TestLayerRules checks the layers by what hcsshim's pkg/ociwclayer accepts (import.go, and
// internal/wclayer/legacy.go below it), and to the names that Windows has.
func TestLayerRules(t *testing.T) {
	for digest, l := range windowsLayers(t, open(t)) {
		t.Run(digest, func(t *testing.T) {
			var names []string
			seen, folded := map[string]byte{}, map[string]string{}
			each(t, l, func(h *tar.Header, _ io.Reader) {
				names = append(names, h.Name)
				if err := rules(h, seen); err != nil {
					t.Errorf("%s: %v", h.Name, err)
				}
				clean := path.Clean(h.Name)
				if other, ok := folded[strings.ToLower(clean)]; ok {
					t.Errorf("%s stands beside %s", h.Name, other)
				}
				folded[strings.ToLower(clean)] = h.Name
				seen[clean] = h.Typeflag
			})
			if len(names) < 3 || names[0] != "Files/" || names[1] != "Hives/" {
				t.Errorf("the layer begins with %q, want Files/ and Hives/", names[:min(2, len(names))])
			}
		})
	}
}

// TestRulesCatch checks that each rule finds what it is for.
func TestRulesCatch(t *testing.T) {
	seen := map[string]byte{"Files": tar.TypeDir, "Files/a": tar.TypeReg, "Files/d": tar.TypeDir}
	const sd = "AQAAgBQAAAAkAAAAAAAAAAAAAAABAgAAAAAABSAAAAAhAgAAAQIAAAAAAAUgAAAAIQIAAA=="
	file := func(change func(*tar.Header)) *tar.Header {
		h := &tar.Header{
			Name: "Files/d/f", Typeflag: tar.TypeReg,
			PAXRecords: map[string]string{"MSWINDOWS.fileattr": "32", "MSWINDOWS.rawsd": sd},
		}
		change(h)
		return h
	}
	if err := rules(file(func(*tar.Header) {}), seen); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*tar.Header){
		"outside Files/":        func(h *tar.Header) { h.Name = "cnb/f" },
		"no name":               func(h *tar.Header) { h.Name = "Files/d/con.txt" },
		"its directory":         func(h *tar.Header) { h.Name = "Files/e/f" },
		"its type":              func(h *tar.Header) { h.Typeflag = tar.TypeSymlink },
		"it links":              func(h *tar.Header) { h.Typeflag, h.Linkname = tar.TypeLink, "a" },
		"it links to \"Files/d": func(h *tar.Header) { h.Typeflag, h.Linkname = tar.TypeLink, "Files/d" },
		"fileattr":              func(h *tar.Header) { h.PAXRecords["MSWINDOWS.fileattr"] = "16" },
		"fileattr is \"\"":      func(h *tar.Header) { delete(h.PAXRecords, "MSWINDOWS.fileattr") },
		"rawsd is missing":      func(h *tar.Header) { delete(h.PAXRecords, "MSWINDOWS.rawsd") },
		"illegal base64":        func(h *tar.Header) { h.PAXRecords["MSWINDOWS.rawsd"] = "#" },
		"not self-relative": func(h *tar.Header) {
			h.PAXRecords["MSWINDOWS.rawsd"] = "AQAAABQAAAAkAAAAAAAAAAAAAAA="
		},
		"no owner": func(h *tar.Header) { h.PAXRecords["MSWINDOWS.rawsd"] = "AQAAgBQAAAAAAAAAAAAAAAAAAAA=" },
	} {
		if err := rules(file(change), seen); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the rules say %v, want %q", err, says)
		}
	}
}

var badNames = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?$|[<>:"\\|?*\x00-\x1f]|[. ]$`)

// rules says what is wrong with an entry; seen are the types of those before it.
func rules(h *tar.Header, seen map[string]byte) error {
	clean := path.Clean(h.Name)
	if clean == "Files" || clean == "Hives" {
		return nil
	}
	if !strings.HasPrefix(clean, "Files/") {
		return fmt.Errorf("it lies outside Files/")
	}
	for part := range strings.SplitSeq(clean, "/") {
		if badNames.MatchString(part) {
			return fmt.Errorf("Windows has no name %q", part)
		}
	}
	if parent := path.Dir(clean); seen[parent] != tar.TypeDir {
		return fmt.Errorf("its directory comes after it, or not at all")
	}
	switch h.Typeflag {
	case tar.TypeLink:
		if !strings.HasPrefix(h.Linkname, "Files/") || seen[path.Clean(h.Linkname)] != tar.TypeReg {
			return fmt.Errorf("it links to %q, which is no file before it under Files/", h.Linkname)
		}
		return nil
	case tar.TypeReg, tar.TypeDir:
	default:
		return fmt.Errorf("its type is %q", h.Typeflag)
	}
	if strings.HasPrefix(path.Base(clean), ".wh.") {
		return nil
	}
	const directory = 0x10
	attr, err := strconv.ParseUint(h.PAXRecords["MSWINDOWS.fileattr"], 10, 32)
	if err != nil || attr&directory != 0 != (h.Typeflag == tar.TypeDir) {
		return fmt.Errorf("MSWINDOWS.fileattr is %q", h.PAXRecords["MSWINDOWS.fileattr"])
	}
	sd, ok := h.PAXRecords["MSWINDOWS.rawsd"]
	if !ok {
		if h.Typeflag == tar.TypeDir {
			return nil // it keeps what it has
		}
		return fmt.Errorf("MSWINDOWS.rawsd is missing")
	}
	return selfRelative(sd)
}

// selfRelative checks a security descriptor in self-relative form
// (https://learn.microsoft.com/windows/win32/secauthz/absolute-and-self-relative-security-descriptors).
func selfRelative(text string) error {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("MSWINDOWS.rawsd: %w", err)
	}
	const (
		header   = 20
		selfFlag = 0x8000
	)
	if len(b) < header || b[0] != 1 || binary.LittleEndian.Uint16(b[2:])&selfFlag == 0 {
		return fmt.Errorf("MSWINDOWS.rawsd % x is not self-relative", b)
	}
	for i, what := range []string{"owner", "group"} {
		o := int(binary.LittleEndian.Uint32(b[4+4*i:]))
		if o < header || o+8 > len(b) || b[o] != 1 || o+8+4*int(b[o+1]) > len(b) {
			return fmt.Errorf("MSWINDOWS.rawsd % x has no %s", b, what)
		}
	}
	return nil
}
