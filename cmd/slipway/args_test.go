package main

import (
	"slices"
	"strings"
	"testing"
)

func TestLongFlags(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       "",
		"release":                                "release",
		"release -registry=ghcr.io/me":           "release --registry=ghcr.io/me",
		"release -registry ghcr.io/me":           "release --registry ghcr.io/me",
		"release --registry=ghcr.io/me":          "release --registry=ghcr.io/me",
		"release -q -json -out=x":                "release -q --json --out=x",
		"release -q=false":                       "release -q=false",
		"stage build -platforms=windows/amd64:x": "stage build --platforms=windows/amd64:x",
		"airgap inspect -json -- -json":          "airgap inspect --json -- -json",
		"airgap inspect -":                       "airgap inspect -",
		"airgap inspect -1x":                     "airgap inspect -1x",
		"__complete release -pla":                "__complete release --pla",
		"serve -addr=127.0.0.1:5000 -quiet":      "serve --addr=127.0.0.1:5000 --quiet",
	} {
		got := longFlags(strings.Fields(in))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("longFlags(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLongFlagsLeavesItsArgument(t *testing.T) {
	args := []string{"-json"}
	longFlags(args)
	if args[0] != "-json" {
		t.Errorf("the argument became %q", args[0])
	}
}
