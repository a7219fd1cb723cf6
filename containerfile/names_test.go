package containerfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/platform"
)

// TestNames lists the images that a Dockerfile names. A builder gets them under their names, and
// would take one for a stage that is called like it: the commands of the stage were left out.
func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"FROM golang:1.26 AS golang\nFROM scratch\nCOPY --from=golang /a /a\n":                    "golang:1.26",
		"FROM alpine AS a\nFROM a\nCOPY --from=debian:12 /b /b\n":                                 "alpine debian:12",
		"FROM alpine\nCOPY --from=alpine:latest /b /b\n":                                          "alpine alpine:latest",
		"FROM alpine AS alpine\nRUN x\n":                                                          "D:1:6: ",
		"FROM docker.io/library/alpine:latest AS alpine\nFROM alpine\n":                           "D:1:6: ",
		"FROM debian AS base\nFROM debian\nCOPY --from=base /a /a\nCOPY --from=base:latest / /\n": "D:4:13: ",
	} {
		file := filepath.Join(t.TempDir(), "Dockerfile")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := containerfile.Images(containerfile.Input{
			File: file, Shown: "D", Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
		})
		var got []string
		for _, n := range all {
			got = append(got, n.Name)
		}
		if strings.HasPrefix(want, "D:") {
			if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "rename the stage") {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		} else if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
