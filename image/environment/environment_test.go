package environment

import (
	"slices"
	"testing"
)

// TestVariables: the order is that of the configuration, and on Windows names have no case.
func TestVariables(t *testing.T) {
	vars := New([]string{"Path=/bin", "EMPTY", "A=1=2", "Path=/sbin", "PATH=/usr/bin"})
	if keys := vars.Keys(); !slices.Equal(keys, []string{"Path", "EMPTY", "A", "PATH"}) {
		t.Errorf("keys: %q", keys)
	}
	for key, want := range map[string]string{"Path": "/sbin", "PATH": "/usr/bin", "A": "1=2", "EMPTY": ""} {
		if got, ok := vars.Get(key); got != want || !ok {
			t.Errorf("%s: %q %v, want %q", key, got, ok, want)
		}
	}
	if _, ok := vars.Get("a"); ok {
		t.Error("a is A")
	}
	windows := vars.WithoutCase()
	if got, ok := windows.Get("path"); got != "/usr/bin" || !ok {
		t.Errorf("path on Windows: %q %v", got, ok)
	}
	if keys := windows.Keys(); !slices.Equal(keys, []string{"Path", "EMPTY", "A"}) {
		t.Errorf("keys on Windows: %q", keys)
	}
}

// TestClone: a copy shares nothing.
func TestClone(t *testing.T) {
	vars := New([]string{"A=1"})
	vars.Unread = "base"
	vars.Declare("D")
	c := vars.Clone()
	c.Set("A", "2")
	c.Set("B", "3")
	c.Declare("E")
	if got, _ := vars.Get("A"); got != "1" || len(vars.Keys()) != 1 || vars.Known("E") == nil {
		t.Errorf("the original has %q, keys %q, and knows E: %v", got, vars.Keys(), vars.Known("E"))
	}
	if c.Unread != "base" || c.Known("D") != nil {
		t.Errorf("the copy has %q, and D: %v", c.Unread, c.Known("D"))
	}
}

// TestKnown: a variable that a base may set, which is not read, is an error.
func TestKnown(t *testing.T) {
	for _, tc := range []struct {
		unread, key string
		known       bool
	}{
		{"", "ANY", true},
		{"builder", "SET", true},
		{"builder", "DECLARED", true},
		{"builder", "ANY", false},
		{"builder", "1x", true}, // not the name of a variable
		{"golang:1.26", "ANY", true},
		{"docker.io/library/golang:1.26", "ANY", true},
		{"golang:1.26", "GOFLAGS", false},
		{"golang:1.26", "git_tag", false},
		{"golang:1.26", "PATH", false},
		{"golang", "ANY", false}, // may be a base of slipway.yaml
		{"ghcr.io/library/golang:1.26", "ANY", false},
	} {
		vars := New([]string{"SET="})
		vars.Declare("DECLARED")
		vars.Unread = tc.unread
		if err := vars.Known(tc.key); (err == nil) != tc.known {
			t.Errorf("%s of %q: %v, want known %v", tc.key, tc.unread, err, tc.known)
		}
	}
}
