package dockerfiletest

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/platform"
)

// Image makes an image from its description, for one platform:
//
//	config {"User":"nonroot"}          JSON of the OCI image configuration
//	layer                              the following lines are of a new layer
//	dir 1777 0:0 tmp
//	file 0644 0:0 etc/passwd "root:x:0:0::/root:/bin/sh\n"
//	link bin usr/bin                   a symbolic link
//	hard 755 0:0 usr/bin/b usr/bin/a   a hard link, with the metadata of its target
//	gone etc/motd                      a whiteout
//	opaque var
func Image(tb testing.TB, spec []byte, p platform.Platform) v1.Image {
	tb.Helper()
	prefix := ""
	if p.OS == platform.Windows {
		prefix = "Files/"
	}
	cf := &v1.ConfigFile{Architecture: p.Architecture, OS: p.OS, OSVersion: p.OSVersion, Variant: p.Variant}
	var layers []*bytes.Buffer
	var w *tar.Writer
	finish := func() {
		if w != nil {
			must(tb, w.Close())
		}
	}
	for _, line := range strings.Split(string(spec), "\n") {
		word := strings.Fields(line)
		if len(word) == 0 {
			continue
		}
		h := &tar.Header{Format: tar.FormatPAX}
		var content string
		switch word[0] {
		case "config":
			must(tb, json.Unmarshal([]byte(strings.TrimPrefix(line, "config ")), &cf.Config))
			continue
		case "layer":
			finish()
			layers = append(layers, &bytes.Buffer{})
			w = tar.NewWriter(layers[len(layers)-1])
			if prefix != "" {
				must(tb, w.WriteHeader(&tar.Header{Name: "Files", Typeflag: tar.TypeDir, Mode: 0o755}))
				must(tb, w.WriteHeader(&tar.Header{Name: "Hives", Typeflag: tar.TypeDir, Mode: 0o755}))
			}
			continue
		case "dir", "file":
			h.Typeflag, h.Name = tar.TypeDir, prefix+word[3]+"/"
			own(tb, h, word)
			if word[0] == "file" {
				var err error
				content, err = strconv.Unquote(strings.SplitN(line, " ", 5)[4])
				must(tb, err)
				h.Typeflag, h.Name, h.Size = tar.TypeReg, prefix+word[3], int64(len(content))
			}
		case "link":
			h.Typeflag, h.Name, h.Linkname, h.Mode = tar.TypeSymlink, prefix+word[1], word[2], 0o777
		case "hard":
			h.Typeflag, h.Name, h.Linkname = tar.TypeLink, prefix+word[3], prefix+word[4]
			own(tb, h, word)
		case "gone":
			i := strings.LastIndex(word[1], "/") + 1
			h.Typeflag, h.Name = tar.TypeReg, prefix+word[1][:i]+".wh."+word[1][i:]
		case "opaque":
			h.Typeflag, h.Name = tar.TypeReg, prefix+word[1]+"/.wh..wh..opq"
		default:
			tb.Fatalf("unknown line %q of an image", line)
		}
		if attr, ok := attributes[h.Typeflag]; ok && prefix != "" && word[0] != "gone" && word[0] != "opaque" {
			h.PAXRecords = map[string]string{"MSWINDOWS.fileattr": attr}
		}
		must(tb, w.WriteHeader(h))
		_, err := io.WriteString(w, content)
		must(tb, err)
	}
	finish()
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.ConfigFile(img, cf)
	must(tb, err)
	for _, b := range layers {
		l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(b.Bytes())), nil
		},
			tarball.WithMediaType(types.OCILayer))
		must(tb, err)
		img, err = mutate.AppendLayers(img, l)
		must(tb, err)
	}
	return img
}

// attributes are what Windows writes for each type of file.
var attributes = map[byte]string{tar.TypeReg: "32", tar.TypeDir: "16", tar.TypeSymlink: "1056"}

// own reads MODE UID:GID of a line.
func own(tb testing.TB, h *tar.Header, word []string) {
	tb.Helper()
	var err error
	h.Mode, err = strconv.ParseInt(word[1], 8, 64)
	must(tb, err)
	uid, gid, _ := strings.Cut(word[2], ":")
	h.Uid, err = strconv.Atoi(uid)
	must(tb, err)
	h.Gid, err = strconv.Atoi(gid)
	must(tb, err)
}
