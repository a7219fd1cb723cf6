package verifiers

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample writes a policy of docs/samples/policies to dir, for another key and registry than those
// that it has, and returns its path. Replaced are pairs of what else is other than in the file.
func sample(t *testing.T, file, key, registry, dir string, replaced ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../docs/samples/policies", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	replaced = append(replaced, "registry.example.com", registry)
	if key != "" {
		pem, err := os.ReadFile(key)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("-----BEGIN PUBLIC KEY-----\n", "", "\n-----END PUBLIC KEY-----",
			"", "\n", "\n"+strings.Repeat(" ", keyIndent(b))).Replace(strings.TrimSpace(string(pem)))
		replaced = append(replaced, "/etc/containers/release.pub", key, "REPLACE-WITH-YOUR-KEY",
			strings.TrimSpace(text))
	}
	text := strings.NewReplacer(replaced...).Replace(string(b))
	if !strings.Contains(text, registry) {
		t.Fatalf("%s does not name registry.example.com", file)
	}
	path := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// keyIndent is the indentation of the key in a YAML file.
func keyIndent(text []byte) int {
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("REPLACE-WITH-YOUR-KEY")) {
			return len(line) - len(bytes.TrimLeft(line, " "))
		}
	}
	return 0
}
