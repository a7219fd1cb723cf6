package doctor

import (
	"errors"
	"fmt"
)

// Err returns an error if there are problems.
func (r *Report) Err() error {
	switch n := r.Problems(); n {
	case 0:
		return nil
	case 1:
		return errors.New("doctor found a problem: its line says what to do")
	default:
		return fmt.Errorf("doctor found %d problems: each line says what to do", n)
	}
}
