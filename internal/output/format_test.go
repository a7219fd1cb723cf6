package output

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFprintf(t *testing.T) {
	type kind string
	var b strings.Builder
	n, err := Fprintf(&b, "%s\t%s\t%v\t%v\t%d\n", "a\tb", kind("c\nd"), errors.New("e\x1b"), time.Second, 7)
	if want := `a\tb` + "\t" + `c\nd` + "\t" + `e\x1b` + "\t1s\t7\n"; b.String() != want || n != len(want) ||
		err != nil {
		t.Errorf("%q, %d, %v", b.String(), n, err)
	}
}
