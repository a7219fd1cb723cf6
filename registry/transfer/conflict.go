package transfer

import (
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// conflict is a tag that names another digest than the image; the zero value is none.
type conflict struct {
	Image

	have v1.Hash
}

// conflictError has the tags that name another digest.
type conflictError struct{ error }

func (e conflictError) Unwrap() error { return e.error }

// taken returns the error for tags that name another digest. Those with one remedy are one line,
// which describes the first and names the others.
func (p *push) taken(all []conflict) error {
	var remedies []string
	first, others := map[string]string{}, map[string][]string{}
	for _, c := range all {
		if c.Ref == nil {
			continue
		}
		what, todo := p.options.Conflict(c.Image, c.have)
		if first[todo] == "" {
			remedies, first[todo] = append(remedies, todo), what
		} else {
			others[todo] = append(others[todo], c.Ref.Name())
		}
	}
	var errs []error
	for _, todo := range remedies {
		more := ""
		if also := others[todo]; len(also) > 0 {
			more = fmt.Sprintf("; %d more taken: %s", len(also), strings.Join(also, ", "))
		}
		errs = append(errs, conflictError{errors.New(first[todo] + more + ": " + todo)})
	}
	return errors.Join(errs...)
}
