package doctor

import (
	"errors"
	"testing"
	"time"
)

func TestCompare(t *testing.T) {
	here := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, tc := range []struct {
		there time.Time
		err   error
		want  Finding
	}{
		{here, nil, Finding{"clock", true, "that of host"}},
		{here.Add(5*time.Minute + 20*time.Second), nil, Finding{"clock", true, "that of host"}},
		{here.Add(-5 * time.Minute), nil, Finding{"clock", true, "that of host"}},
		{here.Add(6 * time.Minute), nil, Finding{
			"clock",
			false, "6m0s behind host: set this machine's clock, since logins are valid for a limited time",
		}},
		{here.Add(-26 * time.Hour), nil, Finding{
			"clock",
			false, "26h0m0s ahead of host: set this machine's clock, since logins are valid for a limited time",
		}},
		{time.Time{}, nil, Finding{"clock", true, "not compared: host does not tell the time"}},
		{time.Time{}, errors.New("refused"), Finding{"clock", true, "not compared: host does not answer"}},
	} {
		f := findings{check: "clock"}
		compare(&f, "host", here, tc.there, tc.err)
		if len(f.list) != 1 || f.list[0] != tc.want {
			t.Errorf("%v, %v: %+v, want %+v", tc.there, tc.err, f.list, tc.want)
		}
	}
}
