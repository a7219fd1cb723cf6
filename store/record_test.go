package store_test

import (
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestRecordNotUTF8 records no value that JSON would change.
func TestRecordNotUTF8(t *testing.T) {
	st := storetest.Open(t)
	for value, recorded := range map[string]bool{"caf\xc3\xa9": true, "caf\ufffd": true, "caf\xe9": false} {
		for _, v := range []any{value, []string{value}, map[string]int{value: 1}} {
			if err := st.Record("test", value, v); err != nil {
				t.Fatal(err)
			}
			var again any
			if found, err := st.Recall("test", value, &again); err != nil || found != recorded {
				t.Errorf("%q as %T: recorded is %v (%v)", value, v, found, err)
			}
		}
	}
}
