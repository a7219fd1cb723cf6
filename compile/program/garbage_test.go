package program

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestRarely: garbage is collected rarely where there is memory for it and the user says nothing,
// and a program is not another one by it.
func TestRarely(t *testing.T) {
	enough := uint64(runtime.NumCPU()) * roomy
	for _, c := range []struct {
		env    []string
		memory uint64
		want   []string
	}{
		{[]string{"HOME=/h"}, enough, []string{"GOGC=400"}},
		{[]string{"HOME=/h"}, enough - 1, nil},
		{[]string{"HOME=/h"}, 0, nil},
		{[]string{"GOGC=50"}, enough, []string{"GOGC=50"}},
		{[]string{"GOMEMLIMIT=1GiB"}, enough, []string{"GOMEMLIMIT=1GiB"}},
		{[]string{"GOGC="}, enough, []string{"GOGC=400"}},
		{[]string{"GOGC=50", "A=b", "GOMEMLIMIT=1GiB"}, 0, []string{"GOGC=50", "GOMEMLIMIT=1GiB"}},
	} {
		got := rarely(c.env, c.memory)
		if !slices.Equal(got, c.want) {
			t.Errorf("rarely(%q, %d) = %q, want %q", c.env, c.memory, got, c.want)
		}
		if key := goVariables(got); len(key) > 0 {
			t.Errorf("the records of programs depend on %q", key)
		}
	}
}

// TestMemory: a container with a limit has no more than that.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]uint64{"1073741824\n": 1 << 30, "max\n": 4 << 30, "9000000000000\n": 4 << 30} {
		file := filepath.Join(dir, "memory.max")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := bounded(4<<30, file); got != want {
			t.Errorf("of 4 GiB a limit of %q leaves %d bytes, want %d", text, got, want)
		}
	}
	if got := bounded(4<<30, filepath.Join(dir, "none")); got != 4<<30 {
		t.Errorf("without a limit there are %d bytes, want all", got)
	}
	if runtime.GOOS == "linux" && memory() == 0 {
		t.Error("it is not known how much memory there is")
	}
}
