package signature

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHangingSigner ends a program that does not answer.
func TestHangingSigner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hangs")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := run(t.Context(), []string{path}, []byte("a message"), 10*time.Millisecond)
	if err == nil || !strings.HasSuffix(err.Error(), "no signature after 10ms") {
		t.Errorf("the error is %v", err)
	}
}
