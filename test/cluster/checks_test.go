package cluster

import (
	"context"
	"strings"
	"testing"
)

// check is one thing that has to be true of a release on a cluster. Those before it in the
// list have passed.
type check struct {
	name string
	run  func(context.Context, testing.TB, *cluster) error
}

var checks = []check{
	{"Accepted", accepted},
	{"Pinned", pinned},
	{"Running", running},
	{"Stacks", stacks},
	{"Builders", builders},
	{"WindowsBuild", windowsBuild},
	{"WindowsImage", windowsImage},
	{"WithoutTolerations", withoutTolerations},
	{"LinuxBuild", linuxBuild},
	{"LinuxImage", linuxImage},
	{"Rebase", rebase},
	{"Rejected", rejected},
	{"Converted", converted},
	{"Permitted", permitted},
}

// TestRelease checks the release as it is.
func TestRelease(t *testing.T) {
	t.Parallel()
	r, programs := prepare(t)
	c := start(t, r, programs, r.manifest)
	for i, check := range checks {
		ok := t.Run(check.name, func(t *testing.T) {
			if err := check.run(t.Context(), t, c); err != nil {
				t.Error(err)
			}
		})
		if !ok {
			t.Fatalf("the %d checks after %s were left out", len(checks)-i-1, check.name)
		}
	}
	if list := shared(t, r.registry); len(list) == 0 || !strings.HasPrefix(list[0], "mirror/") ||
		!strings.HasPrefix(list[len(list)-1], "mirror/") {
		t.Errorf("all clusters share the repositories %q, which are not only those of the release", list)
	}
}
