package progress

import (
	"slices"
	"strings"
	"testing"
)

// TestWarnings: a warning is printed once, also if only a digest in it has become known since.
func TestWarnings(t *testing.T) {
	var log strings.Builder
	w := Warnings{Printer: New(&log)}
	known := "app@sha256:" + strings.Repeat("a", 64)
	for _, line := range []string{
		"warning: one", "warning: app@sha256:… is odd", "warning: one",
		"warning: " + known + " is odd", "warning: two",
	} {
		w.Add(line)
	}
	want := []string{"warning: one", "warning: app@sha256:… is odd", "warning: two"}
	if got := w.All(); !slices.Equal(got, want) {
		t.Errorf("All() = %q, want %q", got, want)
	}
	if got := strings.Join(want, "\n") + "\n"; log.String() != got {
		t.Errorf("printed %q, want %q", log.String(), got)
	}
	var quiet Warnings
	quiet.Add("warning: one")
	if got := quiet.All(); len(got) != 1 {
		t.Errorf("without a printer, All() = %q", got)
	}
}
