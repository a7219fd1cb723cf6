//go:build linux

package explore

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// replacing is a tar in which a file takes the place of a directory.
func replacing(t interface{ Fatal(args ...any) }) []byte {
	var b bytes.Buffer
	tw := tar.NewWriter(&b)
	must(t, tw.WriteHeader(&tar.Header{Name: "y/", Typeflag: tar.TypeDir, Mode: 0o755}))
	must(t, tw.WriteHeader(&tar.Header{Name: "q/", Typeflag: tar.TypeDir, Mode: 0o700}))
	must(t, tw.WriteHeader(&tar.Header{Name: "y", Typeflag: tar.TypeSymlink, Linkname: "a", Mode: 0o777}))
	must(t, tw.WriteHeader(&tar.Header{Name: "q/s", Typeflag: tar.TypeReg, Size: 2, Mode: 0o755}))
	_, err := tw.Write([]byte("q\n"))
	must(t, err)
	must(t, tw.Close())
	return b.Bytes()
}

// flatten returns the files of the first manifest that a build made, from its store.
func flatten(store, result string) (map[string]string, error) {
	var built struct {
		Images []struct{ Children []struct{ Digest string } }
	}
	text, err := os.ReadFile(result)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &built); err != nil {
		return nil, err
	}
	var manifest struct{ Layers []struct{ Digest string } }
	if text, err = os.ReadFile(blob(store, built.Images[0].Children[0].Digest)); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, l := range manifest.Layers {
		if err := unpack(blob(store, l.Digest), all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func blob(store, digest string) string {
	return filepath.Join(store, "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
}

// unpack applies a layer to files.
func unpack(layer string, all map[string]string) error {
	f, err := os.Open(layer)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	seen := map[string]bool{} // of this layer
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		dir, base := path.Split(name)
		if base == ".wh..wh..opq" {
			drop(all, seen, dir)
			continue
		}
		if gone, ok := strings.CutPrefix(base, ".wh."); ok {
			delete(all, dir+gone)
			delete(all, dir+gone+"/")
			drop(all, seen, dir+gone+"/")
			continue
		}
		info := h.FileInfo()
		switch h.Typeflag {
		case tar.TypeDir:
			delete(all, name)
			seen[name+"/"] = true
			all[name+"/"] = info.Mode().String()
		case tar.TypeSymlink:
			drop(all, seen, name+"/")
			delete(all, name+"/")
			seen[name] = true
			all[name] = "link " + h.Linkname
		default:
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			drop(all, seen, name+"/")
			delete(all, name+"/")
			seen[name] = true
			all[name] = fmt.Sprintf("%s %x", info.Mode(), sha256.Sum256(data))
		}
	}
}

// drop removes what lower layers have below a directory.
func drop(all map[string]string, seen map[string]bool, dir string) {
	for name := range all {
		if strings.HasPrefix(name, dir) && name != dir && !seen[name] {
			delete(all, name)
		}
	}
}
