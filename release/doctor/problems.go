package doctor

import (
	"errors"
	"fmt"
)

// Err returns an error if there are problems: a failure of a server ([outcome.Failed]) if one of
// them is.
func (r *Report) Err() (err error) {
	switch n := r.Problems(); n {
	case 0:
		return nil
	case 1:
		err = errors.New("doctor found a problem: its line says what to do")
	default:
		err = fmt.Errorf("doctor found %d problems: each line says what to do", n)
	}
	if r.outage {
		return outage{err}
	}
	return err
}

// outage is the error of problems that are those of a server.
type outage struct{ error }

// Outage marks an error as one of a server ([outcome.Failed]).
func (outage) Outage() {}
