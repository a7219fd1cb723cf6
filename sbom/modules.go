package sbom

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// maxRead bounds in bytes a bill of materials that is read.
const maxRead = 256 << 20

// Modules returns the versions of the Go modules in the programs of a release, by module path and
// sorted. It reads the document that [CycloneDX] makes.
func Modules(path string) (map[string][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(text) > maxRead {
		return nil, fmt.Errorf("%s has more than %d MiB, which no bill of materials has", path, maxRead>>20)
	}
	all, err := modules(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a bill of materials in CycloneDX: %w", path, err)
	}
	return all, nil
}

// modules reads the modules of a document.
func modules(text []byte) (map[string][]string, error) {
	var doc cdxDocument
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Format != "CycloneDX" {
		return nil, fmt.Errorf("its bomFormat is %.40q", doc.Format)
	}
	all := map[string][]string{}
	for _, c := range doc.Components {
		if c.Type == cdxTypes[module] && strings.HasPrefix(c.Purl, "pkg:golang/") && !slices.Contains(all[c.Name], c.Version) {
			all[c.Name] = append(all[c.Name], c.Version)
		}
	}
	for _, versions := range all {
		slices.Sort(versions)
	}
	return all, nil
}
