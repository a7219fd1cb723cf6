package output

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	both := fmt.Errorf("%w and %w", a, b)
	for _, tt := range []struct {
		err  error
		want []error
	}{
		{nil, nil},
		{a, []error{a}},
		{errors.Join(a, errors.Join(b, c)), []error{a, b, c}},
		{both, []error{both}},
	} {
		if got := Split(tt.err); !slices.Equal(got, tt.want) {
			t.Errorf("%v is split into %v", tt.err, got)
		}
	}
}
