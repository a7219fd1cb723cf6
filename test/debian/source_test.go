package debian

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// unpack puts the files of a product into a directory: those of its Go module, else those of a Git
// directory OWNER+NAME/repo below SLIPWAY_SNAPSHOTS. A module lacks the modes of files: scripts
// get theirs.
func (u upstream) unpack(t *testing.T, dir string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", u.module)
	cmd.Dir = t.TempDir()  // so that no other go.mod is asked
	out, _ := cmd.Output() // Zip is empty then
	var m struct{ Zip string }
	if err := json.Unmarshal(out, &m); err == nil && m.Zip != "" {
		return unzip(m.Zip, u.module+"/", dir)
	}
	name, ref, _ := strings.Cut(u.repository, "@")
	repo := filepath.Join(os.Getenv("SLIPWAY_SNAPSHOTS"), strings.ReplaceAll(name, "/", "+"), "repo")
	if _, err := os.Stat(repo); os.Getenv("SLIPWAY_SNAPSHOTS") == "" || err != nil {
		return errNoSource
	}
	text, err := exec.CommandContext(t.Context(), "git", "-C", repo, "archive", ref).Output()
	if err != nil {
		return err
	}
	unpacked(t, dir, bytes.NewReader(text))
	return nil
}

// unzip unpacks a module.
func unzip(file, prefix, dir string) error {
	r, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was read
	for _, f := range r.File {
		rel := strings.TrimPrefix(f.Name, prefix)
		if strings.HasPrefix(rel, "vendor/") || strings.HasPrefix(rel, "charts/") || strings.HasSuffix(rel, "/") {
			continue
		}
		c, err := f.Open()
		if err != nil {
			return err
		}
		b, err := io.ReadAll(c)
		c.Close()
		if err != nil {
			return err
		}
		p, mode := filepath.Join(dir, filepath.FromSlash(path.Clean("/"+rel))), os.FileMode(0o644)
		if bytes.HasPrefix(b, []byte("#!")) {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, b, mode); err != nil {
			return err
		}
	}
	return nil
}
