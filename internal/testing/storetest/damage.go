package storetest

import (
	"os"
	"testing"
	"time"
)

// Damage replaces the bytes of a file of a store, as another program would: at another time.
func Damage(tb testing.TB, path string, b []byte) {
	tb.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		tb.Fatal(err)
	}
	then := time.Now().Add(time.Second) // a clock may tick rarely
	if err := os.Chtimes(path, then, then); err != nil {
		tb.Fatal(err)
	}
}
