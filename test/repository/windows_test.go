package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

// TestWindowsTable compares the table in docs/windows.md with what package platform decides.
func TestWindowsTable(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "docs", "windows.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{} // host and image, as one word each, to yes or no
	rows := regexp.MustCompile(`(?m)^\| (ltsc\d+) \| (\w+) \| (\w+) \| (\w+) \|$`).FindAllStringSubmatch(string(b), -1)
	columns := regexp.MustCompile(
		`(?m)^\| host \| (ltsc\d+) image \| (ltsc\d+) image \| (ltsc\d+) image \|$`).FindStringSubmatch(string(b))
	if len(columns) != 4 {
		t.Fatal("docs/windows.md has no table of hosts and images")
	}
	for _, row := range rows {
		for n, image := range columns[1:] {
			said[row[1]+" "+image] = row[n+2]
		}
	}
	for _, host := range platform.LTSC {
		for _, image := range platform.LTSC {
			h, err := platform.Parse("windows/amd64:" + host.Name)
			if err != nil {
				t.Fatal(err)
			}
			i, err := platform.Parse("windows/amd64:" + image.Name)
			if err != nil {
				t.Fatal(err)
			}
			want := map[bool]string{true: "yes", false: "no"}[platform.Runs(h, i)]
			if got := said[host.Name+" "+image.Name]; got != want {
				t.Errorf("docs/windows.md says %q of a host %s and an image %s, want %s", got, host.Name,
					image.Name, want)
			}
		}
	}
}
